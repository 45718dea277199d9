/** The random commands of test/store/model-based.test.ts on a board of two machines, which must agree with the plain model. */
import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { parseName } from '../../../src/model/text/names.ts';
import { realClock } from '../../../src/os/system-clock.ts';
import { teamPaths } from '../../../src/store/files/paths.ts';
import { openStore, type TeamStore } from '../../../src/store/team/team-store.ts';
import { figure } from '../../support/figures.ts';
import { Machine, storePlace } from '../../support/machine.ts';
import { BOARD_COMMANDS } from '../../support/models/board-commands.ts';
import { BoardPair } from '../../support/models/board-pair.ts';
import { hasPostgres, Postgres } from '../../support/postgres.ts';
import { SIZES, TIMEOUT_MS } from '../../support/sizes.ts';

const PATIENCE = { timeout: 20_000, interval: 5 };

describe.skipIf(!hasPostgres)('a board on PostgreSQL', () => {
  let engine: Postgres;
  beforeAll(async () => {
    engine = await Postgres.start();
  });
  afterAll(() => engine.stop());

  it('equals the plain model, for two machines and for every new fold', { timeout: TIMEOUT_MS }, async () => {
    const { place } = await storePlace(engine);
    for (const name of ['HOME', 'XDG_STATE_HOME', 'XDG_CONFIG_HOME']) vi.stubEnv(name, place.environment[name]);
    onTestFinished(() => void vi.unstubAllEnvs());
    const machines = await Machine.two(place, 'dee');
    let count = 0;
    const run = async (commands: Iterable<fc.AsyncCommand<object, BoardPair>>): Promise<void> => {
      count += 1;
      const team = `model-${String(count)}`;
      await machines[0].ok('create', team, '--member', 'dee');
      const pathsOn = machines.map(({ root }) => teamPaths(root, parseName('team', team)));
      await expect
        .poll(() => pathsOn.map(({ log }) => logAt(log).includes('member.joined')), PATIENCE)
        .toEqual([true, true]);
      const opened: TeamStore[] = [];
      const open = (by: number) => {
        const [paths] = pathsOn.slice(by);
        if (paths === undefined) throw new Error('There are two machines.');
        const store = openStore(paths, { clock: realClock });
        opened.push(store);
        return store.board;
      };
      const meet = (check: () => void): Promise<void> => vi.waitFor(check, PATIENCE);
      try {
        const pair = await BoardPair.on({
          paths: pathsOn[0] ?? teamPaths('', parseName('team', team)),
          isBegun: true,
          open,
          meet,
        });
        await fc.asyncModelRun(() => ({ model: {}, real: pair }), commands);
        for (const one of [0, 1]) await pair.reopen(one);
        // A record that is refused changes no board, so it was not waited for.
        await vi.waitFor(() => {
          const [here, there] = pathsOn.map(({ log }) => logAt(log));
          expect(there).toBe(here);
        }, PATIENCE);
      } finally {
        for (const store of opened) await store.close();
      }
    };
    const all = fc.asyncProperty(fc.commands(BOARD_COMMANDS, { size: '+1' }), run);
    await fc.assert(all, { numRuns: SIZES.sharedModelRuns });
    figure({ area: 'model-based: board on PostgreSQL', count: SIZES.sharedModelRuns, violations: 0 });
  });
});

function logAt(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
