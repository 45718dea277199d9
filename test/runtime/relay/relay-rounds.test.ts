/** What a relay asks the store: its number of transactions, as the server counts them. */
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LEAD, parseName } from '../../../src/model/text/names.ts';
import { newTaskSchema } from '../../../src/model/board/task.ts';
import { realClock } from '../../../src/os/system-clock.ts';
import { teamPaths } from '../../../src/store/files/paths.ts';
import { openStore, type TeamStore } from '../../../src/store/team/team-store.ts';
import { takeLease } from '../../../src/store/team/lease.ts';
import { Machine, storePlace } from '../../support/machine.ts';
import { hasPostgres, Postgres } from '../../support/postgres.ts';

/** The server writes its counts down at most once in a second. */
const COUNTED_MS = 1_500;
const IDLE_MS = 5_000;
const MESSAGES = 50;
const RECORDS = 80;
const ADA = parseName('member', 'ada');

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
    const { transactions, close } = await counted(engine, database);
    try {
      await setTimeout(COUNTED_MS);
      const before = await transactions();
      await setTimeout(IDLE_MS);
      const asked = (await transactions()) - before;
      expect(asked).toBeGreaterThan(0);
      // One a second, and what else the server does on a busy machine; a question a team would be 20 and more a second.
      expect(asked).toBeLessThanOrEqual(30);
    } finally {
      await close();
    }
  });

  it('asks the store once for a message of another machine, and not at all for one that was sent here', async () => {
    const { place, database } = await storePlace(engine);
    const [a, b] = await Machine.two(place, 'ada');
    const { transactions, close } = await counted(engine, database);
    const store = openStore(teamPaths(a.root, parseName('team', 'login')), { clock: realClock });
    try {
      await setTimeout(COUNTED_MS);
      const [before, begun] = [await transactions(), performance.now()];
      for (let at = 0; at < MESSAGES; at += 1)
        await store.sender.send({
          sender: LEAD,
          recipient: ADA,
          draft: { type: 'message', content: `message ${at}.` },
        });
      for (const machine of [a, b])
        await expect.poll(() => machine.file('ada_inbox.jsonl')).toContain(`message ${MESSAGES - 1}.`);
      const seconds = (performance.now() - begun + COUNTED_MS) / 1_000;
      await setTimeout(COUNTED_MS);
      // It is stored, and asked for, and the server passes two notifications on; and the looks of both machines.
      expect((await transactions()) - before).toBeLessThanOrEqual(MESSAGES * 4 + seconds * 2 + 30);
    } finally {
      await store.close();
      await close();
    }
  });

  it('asks the store nothing for a message to a member whose process it has, and once for one that is too long', async () => {
    const { place, database } = await storePlace(engine);
    const watcher = await engine.session('owner', database);
    await watcher.query(`alter database ${database} set track_functions = 'pl'`);
    const [a, b] = await Machine.two(place, 'ada');
    const [sending, taking] = [a, b].map(({ root }) =>
      openStore(teamPaths(root, parseName('team', 'login')), { clock: realClock }),
    ) as [TeamStore, TeamStore];
    const asked = async (): Promise<number> => {
      const { rows } = await watcher.query<{ calls: string }>(
        `select calls from pg_stat_user_functions where funcname = 'mail_after'`,
      );
      return Number(rows[0]?.calls ?? 0);
    };
    const send = (content: string): Promise<unknown> =>
      sending.sender.send({ sender: LEAD, recipient: ADA, draft: { type: 'message', content } });
    const taken = await takeLease(taking.paths, ADA, taking.forLease());
    try {
      expect(taken.held).toBe(true);
      await setTimeout(COUNTED_MS);
      const before = await asked();
      for (let at = 0; at < MESSAGES; at += 1) await send(`message ${at}.`);
      await expect.poll(() => b.file('ada_inbox.jsonl')).toContain(`message ${MESSAGES - 1}.`);
      await setTimeout(COUNTED_MS);
      const after = await asked();
      // Only a look that comes upon one of them asks.
      expect(after - before).toBeLessThan(MESSAGES / 5);
      await send('x'.repeat(7_000));
      await expect.poll(() => b.file('ada_inbox.jsonl')).toContain('xxx');
      // A session of the server passes its counts on only now and then.
      await expect.poll(asked, { timeout: 15_000 }).toBeGreaterThan(after);
    } finally {
      if (taken.held) await taken.lease.release();
      await Promise.all([sending.close(), taking.close(), watcher.end()]);
    }
  });

  it('asks the store once for a record of another machine, and no more for its own', async () => {
    const { place, database } = await storePlace(engine);
    const [a, b] = await Machine.two(place, 'ada');
    const { transactions, close } = await counted(engine, database);
    const store = openStore(teamPaths(a.root, parseName('team', 'login')), { clock: realClock });
    const { lead } = store.board.fold();
    const fields = newTaskSchema.parse({ subject: 'One' });
    const create = (at: number) =>
      store.board.append({ person: LEAD, epoch: lead.epoch }, () => ({
        type: 'task.created',
        task: String(at + 1),
        fields,
      }));
    try {
      await setTimeout(COUNTED_MS);
      const [before, begun] = [await transactions(), performance.now()];
      for (let at = 0; at < RECORDS; at += 1) expect((await create(at)).outcome.ok).toBe(true);
      await expect.poll(() => readFileSync(b.log(), 'utf8')).toBe(readFileSync(a.log(), 'utf8'));
      const seconds = (performance.now() - begun + COUNTED_MS) / 1_000;
      await setTimeout(COUNTED_MS);
      // It is stored, and asked for, and the server passes two notifications on; and the looks of both machines.
      expect((await transactions()) - before).toBeLessThanOrEqual(RECORDS * 4 + seconds * 2 + 30);
    } finally {
      await store.close();
      await close();
    }
  });
});

/** The transactions of a database, as a session of another one counts them. */
async function counted(engine: Postgres, database: string) {
  const watcher = await engine.session('owner', 'postgres');
  const transactions = async (): Promise<number> => {
    const { rows } = await watcher.query<{ count: string }>(
      'select xact_commit as count from pg_stat_database where datname = $1',
      [database],
    );
    return Number(rows[0]?.count);
  };
  return { transactions, close: () => watcher.end() };
}
