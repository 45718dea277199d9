/** Bad lines of the board's log are reported once, by the lead; other processes pass over them in silence. */
import { appendFileSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { NoiseWatch } from '../../../src/runtime/lead/noise-watch.ts';
import { openStore, type TeamStore } from '../../../src/store/team/team-store.ts';
import { ToldTeam } from '../../support/told-team.ts';

const found = (store: TeamStore): (string | undefined)[] =>
  [...store.events.read()].flatMap(({ event }) => (event.type === 'board.noise_found' ? [event.text] : []));

test('20,000 bad lines are one event of the lead, and none of any other process or of the next lead', async () => {
  const told = new ToldTeam({ ada: 'executor/exec' }).led();
  const { paths, clock } = told.store;
  const at = statSync(paths.log).size;
  appendFileSync(paths.log, 'x\n'.repeat(20_000));
  const other = openStore(paths, { clock });
  other.state.write(state(paths.name));
  other.board.fold();
  await other.close();
  expect(found(told.store)).toEqual([]);
  for (let lead = 0; lead < 2; lead += 1) {
    const store = openStore(paths, { clock });
    const watch = new NoiseWatch(store);
    store.board.fold();
    await watch.look();
    await watch.look();
    await store.close();
    expect(found(told.store)).toEqual([expect.stringMatching(new RegExp(`^20000 bad lines at offset ${at}: .*JSON`))]);
  }
  told.add('One');
  appendFileSync(paths.log, '{"torn\n');
  const store = openStore(paths, { clock });
  const watch = new NoiseWatch(store);
  store.board.fold();
  await watch.look();
  await store.close();
  expect(found(told.store)).toHaveLength(2);
});

const state = (teamName: TeamStore['paths']['name']) => ({
  version: 1,
  teamName,
  status: 'active' as const,
  createdAt: '2026-01-01T00:00:00.000Z',
  template: 'custom',
  prompt: '',
  phase: 'executing' as const,
  workers: [],
  sharedFiles: [],
  boundaryFiles: [],
  cascadeEnabled: false,
  cascadeDepth: 0,
  completedTasks: 0,
  totalTasks: 0,
  failedTasks: 0,
  crossCliVerification: { enabled: false, verifier: null, result: null },
  epoch: 1,
  gates: [],
});
