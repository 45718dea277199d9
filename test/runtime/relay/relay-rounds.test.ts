/** What a relay asks the store: its number of transactions, as the server counts them. */
import { existsSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Machine, storePlace } from '../../support/machine.ts';
import { hasPostgres, Postgres } from '../../support/postgres.ts';

/** The server writes its counts down at most once in a second. */
const COUNTED_MS = 1_500;
const IDLE_MS = 5_000;

describe.skipIf(!hasPostgres)('a relay', { timeout: 60_000 }, () => {
  let engine: Postgres;
  beforeAll(async () => {
    engine = await Postgres.start();
  });
  afterAll(() => engine.stop());

  it('without anything to do asks the store once in a second, however many teams there are', async () => {
    const { place, database } = await storePlace(engine);
    const machine = new Machine(place, 'a');
    expect(await machine.start(), machine.said).toBeNull();
    for (const team of ['one', 'two', 'three', 'four']) {
      await machine.ok('create', team, '--member', 'ada');
      await machine.ok('send', team, 'ada', 'hello');
    }
    await expect.poll(() => existsSync(machine.log('four'))).toBe(true);
    const watcher = await engine.session('owner', 'postgres');
    const transactions = async (): Promise<number> => {
      const { rows } = await watcher.query<{ count: string }>(
        'select xact_commit as count from pg_stat_database where datname = $1',
        [database],
      );
      return Number(rows[0]?.count);
    };
    try {
      await setTimeout(COUNTED_MS);
      const before = await transactions();
      await setTimeout(IDLE_MS);
      const asked = (await transactions()) - before;
      expect(asked).toBeGreaterThan(0);
      // One a second, and what else the server does on a busy machine; a question a team would be 20 and more a second.
      expect(asked).toBeLessThanOrEqual(30);
    } finally {
      await watcher.end();
    }
  });
});
