/** Bad lines of the board's log are reported once, by the lead; other processes pass over them in silence. */
import { appendFileSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { NoiseWatch } from '../../../../src/runtime/lead/watches/noise-watch.ts';
import { openStore, type TeamStore } from '../../../../src/store/team/team-store.ts';
import { ToldTeam } from '../../../support/told-team.ts';

const found = (store: TeamStore): (string | undefined)[] =>
  [...store.events.read()].flatMap(({ event }) => (event.type === 'board.noise_found' ? [event.text] : []));

test('20,000 bad lines are one event of the lead, and none of any other process or of the next lead', async () => {
  const told = new ToldTeam({ ada: 'executor/exec' }).led();
  const { paths, clock } = told.store;
  const at = statSync(paths.log).size;
  appendFileSync(paths.log, 'x\n'.repeat(20_000));
  const other = openStore(paths, { clock });
  other.board.fold();
  await other.close();
  expect(found(told.store)).toEqual([]);
  let known: number | undefined;
  for (let lead = 0; lead < 2; lead += 1) {
    const store = openStore(paths, { clock });
    const watch = new NoiseWatch(store, known);
    store.board.fold();
    expect([watch.look(), watch.look()]).toEqual([lead === 0, false]);
    known = watch.told;
    await store.close();
    expect(found(told.store)).toEqual([expect.stringMatching(new RegExp(`^20000 bad lines at offset ${at}: .*JSON`))]);
  }
  told.add('One');
  appendFileSync(paths.log, '{"torn\n');
  const store = openStore(paths, { clock });
  const watch = new NoiseWatch(store, known);
  store.board.fold();
  expect(watch.look()).toBe(true);
  await store.close();
  expect(found(told.store)).toHaveLength(2);
});
