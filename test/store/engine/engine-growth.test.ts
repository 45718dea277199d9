/** What a question to the engine reads: as much with a thousand rows before it as with none, also before any `analyze`. */
import type { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseEngineAddress } from '../../../src/model/config/engine-address.ts';
import { realClock } from '../../../src/os/system-clock.ts';
import { initEngine } from '../../../src/store/engine/engine-setup.ts';
import { newIds } from '../../../src/store/files/new-ids.ts';
import { hasPostgres, Postgres } from '../../support/postgres.ts';

const newId = newIds();
const id = (): string => newId(realClock.now());
const ROWS = 1_000;

describe.skipIf(!hasPostgres)('a question to the engine', () => {
  let postgres: Postgres;
  let host: Client;
  const team = id();
  const again = (of: string): string =>
    JSON.stringify({ type: 'message', sender: 'ada', content: 'x', timestamp: 1, id: of });
  const mail = (): string => again(id());
  const record = (): string => JSON.stringify({ id: id(), v: 2, at: '', author: { lead: '', epoch: 1 }, type: 'note' });
  const sent: string[] = [];
  /** Of mail that nobody acknowledges. */
  const waiting: string[] = [];

  beforeAll(async () => {
    postgres = await Postgres.start();
    await postgres.query('create role host login');
    await initEngine(parseEngineAddress(postgres.url(), 'argument'), [{ role: 'host' }], realClock);
    // Statistics would change the plans in the midst of it.
    for (const table of ['log', 'mail', 'ledger', 'event'])
      await postgres.query(`alter table teams.${table} set (autovacuum_enabled = false)`);
    host = await postgres.session('host');
    // Five thousand commits; none of them must outlive the server.
    await host.query('set synchronous_commit = off');
    await host.query('select teams.create_team($1, $2)', [team, 'login']);
    await host.query('select teams.event_source($1, $2, 0)', [team, 'here']);
    // One by one, as a relay does: the server keeps plans that it made for empty tables.
    for (let at = 0; at < ROWS; at += 1) {
      const line = mail();
      sent.push((JSON.parse(line) as { id: string }).id);
      await ask('select teams.send($1, $2, $3)', [team, 'bob', [line]]);
      await ask('select teams.append($1, $2, $3)', [team, [record()], at]);
      await ask('select teams.append_ledger($1, $2, $3)', [team, at, ['{"entry":{"do":"limit"}}']]);
      await ask('select teams.tell_events($1, $2, $3, $4)', [team, 'here', at + 1, ['{"type":"note"}']]);
      if (at < ROWS - 2) await ask('select teams.acknowledge($1, $2, $3, $4)', [team, 'bob', '', [sent[at]]]);
    }
    const lines = Array.from({ length: ROWS }, mail);
    waiting.push(...lines.map((line) => (JSON.parse(line) as { id: string }).id));
    await ask('select teams.send($1, $2, $3)', [team, 'eve', lines]);
  }, 60_000);
  afterAll(async () => {
    await host.end();
    await postgres.stop();
  });

  const ask = (text: string, values: unknown[]) => host.query({ name: text, text, values });

  /** Of this session, of what it has not told the server's statistics yet. */
  const rowsRead = async (): Promise<number> => {
    const { rows } = await host.query<{ read: string }>(
      `select coalesce(sum(seq_tup_read + idx_tup_fetch), 0) as read from pg_stat_xact_all_tables
       where schemaname = 'teams' and relname in ('log', 'mail', 'ledger', 'event')`,
    );
    return Number(rows[0]?.read);
  };

  it.each<[string, string, () => unknown[]]>([
    ['send', 'select teams.send($1, $2, $3)', () => [team, 'bob', [mail()]]],
    ['append', 'select teams.append($1, $2, $3)', () => [team, [record()], ROWS]],
    ['acknowledge', 'select teams.acknowledge($1, $2, $3, $4)', () => [team, 'bob', '', [sent.at(-1)]]],
    [
      'acknowledge, where all waits,',
      'select teams.acknowledge($1, $2, $3, $4)',
      () => [team, 'eve', '', [waiting[ROWS / 2]]],
    ],
    [
      'send of what was sent before',
      'select teams.send($1, $2, $3)',
      () => [team, 'eve', [again(waiting.at(-1) ?? '')]],
    ],
    ['mail_after', 'select teams.mail_after($1, $2, $3, 100)', () => [team, 'bob', ROWS - 1]],
    ['log_after', 'select teams.log_after($1, $2, 100)', () => [team, ROWS - 1]],
    ['append_ledger', 'select teams.append_ledger($1, $2, $3)', () => [team, ROWS, ['{"entry":{"do":"limit"}}']]],
    ['tell_events', 'select teams.tell_events($1, $2, $3, $4)', () => [team, 'here', ROWS + 1, ['{"type":"note"}']]],
    ['events_after', 'select teams.events_after($1, $2, $3, 100)', () => [team, 'here', ROWS - 1]],
  ])('%s reads a few rows', async (_name, text, values) => {
    await host.query('begin');
    try {
      const before = await rowsRead();
      await ask(text, values());
      expect((await rowsRead()) - before).toBeLessThan(10);
    } finally {
      await host.query('rollback');
    }
  });
});
