/** A run ends with its board, at a limit or where it cannot go on; a lead that serves a team only when it is told to. */
import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { StoreError } from '../../../src/model/text/errors.ts';
import type { Sighting, Verdict } from '../../../src/policy/sighting.ts';
import { BudgetWatch } from '../../../src/runtime/budget/budget-watch.ts';
import type { LeadOptions } from '../../../src/runtime/lead/lead-options.ts';
import { LoopEnd } from '../../../src/runtime/lead/loop-end.ts';
import { name } from '../../support/team.ts';
import { ToldTeam } from '../../support/told-team.ts';

const HELD = new StoreError('LANDING_HELD', 'Somebody must act first.');

/** The end of a lead's loop in a team, without any request to close. */
function endOf(told: ToldTeam, options: Pick<LeadOptions, 'endsWhenDone' | 'failFast'>, closing?: { force: boolean }) {
  const { store } = told;
  const end = new LoopEnd({
    store,
    options,
    budget: new BudgetWatch(store),
    closing: () => closing && { ...closing, now: false },
    cannotGoOn: () => HELD,
  });
  const seen = (): Sighting => ({
    board: store.board.fold(),
    members: [],
    overslept: false,
    untrusted: new Set(),
    unattended: true,
  });
  const insteadOf = (verdict: Verdict) => end.insteadOf(verdict, seen());
  return { before: () => end.before(seen()), insteadOf };
}

const VERDICTS: Verdict[] = [
  { do: 'finish' },
  { do: 'stuck', why: 'nobody may do #1' },
  { do: 'start', member: name('ada'), why: 'a task is ready' },
  { do: 'restart', member: name('ada'), attempt: 1, why: 'exit 1' },
];

test('a run ends when its board is done or stuck, and a member is started as long as the configuration is its own', () => {
  const told = new ToldTeam({ ada: 'executor/exec' }).led();
  const run = endOf(told, { endsWhenDone: true });
  expect(VERDICTS.map(run.insteadOf)).toEqual([
    { why: 'finished' },
    { why: 'stuck', what: 'nobody may do #1' },
    undefined,
    undefined,
  ]);
  writeFileSync(told.store.paths.config, '{"name":"login"}');
  const refused = { why: 'refused', error: expect.objectContaining({ code: 'UNTRUSTED' }) as unknown };
  expect(VERDICTS.map(run.insteadOf)).toEqual([{ why: 'finished' }, refused, refused, refused]);
});

test('a lead that serves a team goes on after each of these, and with work that cannot go on', async () => {
  const told = new ToldTeam({ ada: 'executor/exec' }).led();
  const served = endOf(told, { endsWhenDone: false });
  writeFileSync(told.store.paths.config, '{"name":"login"}');
  expect(VERDICTS.map(served.insteadOf)).toEqual([undefined, undefined, undefined, undefined]);
  expect(await served.before()).toBeUndefined();
});

test('what a run cannot go on without ends it when nobody works, and no sooner', async () => {
  const told = new ToldTeam({ ada: 'executor/exec' }).led().started('ada').add('One').claim('1', 'ada');
  const { before } = endOf(told, { endsWhenDone: true });
  expect(await before()).toBeUndefined();
  told.complete('1', 'ada');
  expect(await before()).toEqual({ why: 'refused', error: HELD });
});

test('the first required task that fails ends a run that is told to fail fast', async () => {
  const told = new ToldTeam({ ada: 'executor/exec' }).led().started('ada').add('One').add('Two').claim('1', 'ada');
  told.fail('1', 'ada', 'exit 1').claim('2', 'ada');
  expect(await endOf(told, { endsWhenDone: true }).before()).toBeUndefined();
  expect(await endOf(told, { endsWhenDone: true, failFast: true }).before()).toEqual({
    why: 'stuck',
    what: 'task #1 failed, and --fail-fast is set',
  });
});

test('a request to close ends each loop, as does a board that closes', async () => {
  const told = new ToldTeam({ ada: 'executor/exec' }).led();
  const asked = endOf(told, { endsWhenDone: false }, { force: true });
  expect(await asked.before()).toEqual({ why: 'closing', force: true, now: false });
  told.say({ type: 'team.closing' });
  expect(await endOf(told, { endsWhenDone: false }).before()).toEqual({ why: 'closing', force: false, now: false });
});
