/** What a lead settles on the day of a store: what its own members reserved whose leases have lapsed, and nothing else. */
import { join } from 'node:path';
import { appendFileSync, mkdirSync } from 'node:fs';
import { beforeEach, expect, test, onTestFinished, vi } from 'vitest';
import type { LedgerEntry } from '../../../src/model/team/budget.ts';
import { BudgetWatch } from '../../../src/runtime/budget/budget-watch.ts';
import { settleLost } from '../../../src/runtime/budget/limits.ts';
import type { MemberSighting, Sighting } from '../../../src/policy/sighting.ts';
import { realDisk } from '../../../src/store/files/disk.ts';
import { rootPaths } from '../../../src/store/files/paths.ts';
import { SharedDay } from '../../../src/store/team/shared-day.ts';
import { name } from '../../support/team.ts';
import { tempDir } from '../../support/temp.ts';
import { ToldTeam } from '../../support/told-team.ts';

const TODAY = '2026-11-27';

beforeEach(() => {
  vi.stubEnv('XDG_STATE_HOME', tempDir());
  onTestFinished(() => void vi.unstubAllEnvs());
});

/** A day whose only machine is this one. */
function dayIn(told: ToldTeam): SharedDay {
  const { root, clock } = told;
  const folder = rootPaths(root).spending;
  const commit = ({ day, lines }: { readonly day: string; readonly lines: readonly string[] }): Promise<boolean> => {
    mkdirSync(folder, { recursive: true });
    const text = lines.map((line) => `\n${line}\n`).join('');
    appendFileSync(join(folder, `${lines.length === 0 ? TODAY : day}.jsonl`), text, { mode: 0o600 });
    return Promise.resolve(lines.length > 0);
  };
  const day = new SharedDay({ disk: realDisk, clock, root, commit });
  onTestFinished(() => day.close());
  return day;
}

const reserve = (id: string, of: string, by: string): LedgerEntry => {
  const process = { pid: 1, startTime: '1', bootId: 'another', pidNamespace: 'another' };
  return { do: 'reserve', id, member: by, by, agent: 'claude/', hold: { cost: 2 }, of, process };
};

test('a member of its own whose process is gone, and an earlier process of it; a living one and other teams are left', async () => {
  const told = new ToldTeam({ ada: 'executor/claude', bob: 'executor/claude' }).led().started('ada').started('bob');
  const { store } = told;
  const board = store.board.fold();
  const life = (member: string): string => board.members.get(name(member))?.incarnation ?? '';
  const day = dayIn(told);
  await day.change(() => ({
    entries: [
      { do: 'limit', scope: 'day', limit: { cost: 20 } },
      reserve('r1', 'login/ada', life('ada')),
      reserve('r2', 'login/bob', life('bob')),
      reserve('r3', 'login/bob', 'an earlier process'),
      reserve('r4', 'login-2/ada', 'of another team'),
    ],
    result: undefined,
  }));
  const sighted = (member: string, process: MemberSighting['process']): MemberSighting => ({
    ...SIGHTED,
    name: name(member),
    process,
  });
  const sighting: Sighting = {
    board,
    members: [sighted('ada', 'dead'), sighted('bob', 'alive')],
    overslept: false,
    untrusted: new Set(),
    unattended: true,
  };
  const { ledger, events, clock, paths } = store;
  const watch = new BudgetWatch({ ledger, day: store.day, sharedDay: day, events, clock, paths });
  expect(await watch.look(sighting)).toBeUndefined();
  expect([...(day.look()?.open.keys() ?? [])]).toEqual(['r2', 'r4']);
  expect(day.look()?.spent.get('day')).toMatchObject({ cost: 4 });
  // Of a team that nobody leads any more a person says it.
  await settleLost(day, 'login-2/ada');
  expect([...(day.look()?.open.keys() ?? [])]).toEqual(['r2']);
  await expect(settleLost(day, 'login-2/ada')).rejects.toMatchObject({ code: 'USAGE' });
  expect(day.look()?.spent.get('day')).toMatchObject({ cost: 6 });
});

const SIGHTED: MemberSighting = {
  name: name('ada'),
  byHand: false,
  process: 'alive',
  unfit: false,
  deadFor: 0,
  startingFor: 0,
  aliveFor: 0,
  beatAge: 0,
  progressAge: 0,
  restarts: 0,
  consecutiveFailures: 0,
  quarantined: false,
  givenUp: false,
  boundedByTimeout: false,
  needsCommand: false,
  completed: 0,
  workedMs: 0,
  answered: false,
};
