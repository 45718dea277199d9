/** The server of a store answers what it likes. What a seal or a hash says is not the server's to change. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Workplace } from '../support/cli.ts';
import { realDisk } from '../../src/store/files/disk.ts';
import { newIds } from '../../src/store/files/new-ids.ts';
import { folderAt } from '../../src/store/files/folder-of.ts';
import { holderText } from '../../src/store/replica/elsewhere.ts';
import { Machine, storePlace } from '../support/machine.ts';
import { hasPostgres, Postgres } from '../support/postgres.ts';

/** Of a relay, in bytes: Node itself, and a few of the longest answers. */
const MOST_MEMORY = 400 * 2 ** 20;

describe.skipIf(!hasPostgres)('the server of a store', { timeout: 120_000 }, () => {
  let engine: Postgres;
  let place: Workplace;
  let database = '';
  beforeAll(async () => {
    engine = await Postgres.start();
  });
  afterAll(() => engine.stop());
  beforeEach(async () => {
    ({ place, database } = await storePlace(engine));
  });

  /** As the owner of the tables, past all functions. */
  const change = async (text: string): Promise<number | null> => {
    const client = await engine.session('owner', database);
    const { rowCount } = await client.query(text);
    await client.end();
    return rowCount;
  };

  it('gives a team no configuration of another team of the user', async () => {
    const [a] = await Machine.two(place, 'ada');
    await a.ok('create', 'other', '--member', 'ada');
    const ofTeam = (name: string): string => `(select id from teams.team where name = '${name}')`;
    const theirs = `(select body from teams.document where team = ${ofTeam('other')} and name = 'config')`;
    const own = `team = ${ofTeam('login')} and name = 'config'`;
    expect(await change(`update teams.document set body = ${theirs}, revision = revision + 1 where ${own}`)).toBe(1);
    await expect.poll(() => a.file('config.json'), { timeout: 10_000 }).toContain('"other"');
    const { code, err } = await a.teams('worker', 'login', 'ada', '--agent', 'exec', '--idle-timeout', '1ms');
    expect([code, err]).toEqual([4, expect.stringContaining('was not made by you on this machine') as string]);
  });

  it('gives a message no other body than that of its hash', async () => {
    const [a, b] = await Machine.two(place, 'ada');
    await b.stop();
    const sent = await place.say(['send', 'login', 'ada', '-', '--root', a.root], { stdin: 'x'.repeat(300_000) });
    expect(sent.code, sent.err).toBe(0);
    expect(await change(`update teams.artifact set body = 'forged'`)).toBe(1);
    await b.start();
    const inbox = join(b.root, '.teams/login/ada_inbox.jsonl');
    await expect.poll(() => existsSync(inbox), { timeout: 10_000 }).toBe(true);
    expect(
      existsSync(
        join(b.root, '.teams/login/blobs', /blobs\/([0-9a-f]{64})/.exec(b.file('ada_inbox.jsonl'))?.[1] ?? 'x'),
      ),
    ).toBe(false);
  });

  it('fills no file that all processes read with hosts and leases: any role can name them', async () => {
    const [a, b] = await Machine.two(place, 'ada');
    const client = await engine.session('owner', database);
    const folder = folderAt(realDisk, b.root);
    const owner = holderText(folder ?? expect.fail('no folder'), 0);
    const many = Array.from({ length: 3_000 }, (_, n) => `l${n}`);
    const labels = [...many, 'x'.repeat(5 * 2 ** 20), '\u001b[2J', '../..'];
    const register = 'select teams.register_host($1, $2, 1, $3, null, 600)';
    for (const name of ['evil', '../evil', 'e\u001b[2J', 'y'.repeat(2_000)])
      await client.query(register, [name, owner, labels]);
    await client.query(`select teams.register_host('h' || n, $1, 1, $2, null, 600) from generate_series(1, 1200) n`, [
      owner,
      many.slice(0, 100),
    ]);
    const { rows } = await client.query<{ id: string }>(`select id from teams.team where name = 'login'`);
    await client.query(`select teams.take_lease($1, 'm' || n, $2, 600) from generate_series(1, 6000) n`, [
      rows[0]?.id,
      owner,
    ]);
    await client.end();
    await expect.poll(() => a.file('hosts.json'), { timeout: 20_000 }).toContain('"evil"');
    await expect.poll(() => a.file('elsewhere.json').length, { timeout: 20_000 }).toBeGreaterThan(100_000);
    for (const one of [a, b]) {
      expect(one.file('hosts.json').length).toBeLessThan(4 * 2 ** 20);
      expect(one.file('elsewhere.json').length).toBeLessThan(2 ** 20);
      expect(one.file('hosts.json')).not.toMatch(/\.\.|\\u001b|xxxx|yyyy/);
      await one.ok('status', 'login');
      expect((await one.ok('task', 'create', 'login', 'Work')).code).toBe(0);
    }
  });

  it('costs no machine more than a page with records of 100 MB, which any role can write, and stops no relay', async () => {
    const [a, b] = await Machine.two(place, 'ada');
    const client = await engine.session('owner', database);
    const { rows } = await client.query<{ id: string }>(`select id from teams.team where name = 'login'`);
    const [team] = rows.map(({ id }) => id);
    const long = (record: object): string =>
      JSON.stringify({ ...record, at: '2026-01-01T00:00:00.000Z', subject: 'x'.repeat(100 * 2 ** 20) });
    const author = { person: 'owner', via: 'cli' };
    await client.query('select teams.append($1, $2, 0)', [
      team,
      [long({ id: newIds()(0), v: 2, author, type: 'note' })],
    ]);
    await client.query('select teams.send($1, $2, $3)', [team, 'ada', [long({ id: newIds()(1), sender: 'lead' })]]);
    await client.query('select teams.event_source($1, $2, 0)', [team, 'evil/1/2/3']);
    await client.query('select teams.tell_events($1, $2, 10, $3)', [team, 'evil/1/2/3', [long({ type: 'note' })]]);
    await client.end();
    await change(
      `insert into teams.artifact select id, '${'a'.repeat(64)}', repeat('x', 100000000)::bytea from teams.team`,
    );
    for (const one of [a, b]) {
      expect((await one.ok('task', 'create', 'login', 'Work')).code).toBe(0);
      await expect.poll(() => one.file('ada_inbox.jsonl'), { timeout: 20_000 }).toContain('"unreadable":');
      expect(readFileSync(one.log(), 'utf8').length).toBeLessThan(2 ** 20);
      expect(one.file('events.jsonl').length).toBeLessThan(2 ** 20);
      expect(one.peakMemory()).toBeLessThan(MOST_MEMORY);
      await one.ok('send', 'login', 'ada', 'hello');
      // What it has kept is what it finds again.
      await one.stop();
      expect(await one.start(), one.said).toBeNull();
      await one.ok('status', 'login');
    }
  });

  it.each<[string, string, RegExp]>([
    ['100 MB in one record', `repeat('x', 100000000)`, / MiB to one question|characters/],
    ['a record of two lines', `E'{}\\n{}'`, /no line of a team/],
    ['an empty record', `''`, /no line of a team/],
  ])('ends the relay with one sentence for %s of functions that were changed', async (_, line, said) => {
    const [a, b] = await Machine.two(place, 'ada');
    await b.stop();
    const before = readFileSync(a.log(), 'utf8');
    // Whoever owns the functions also answers what is asked of a record's length.
    await change(`create schema evil; alter database ${database} set search_path = evil, pg_catalog;
      create function evil.octet_length(text) returns integer language sql as 'select 1';
      create function evil.strpos(text, text) returns integer language sql as 'select 0'`);
    await change(`create or replace function teams.log_after(of_team text, after bigint, most integer)
      returns table (number bigint, line text) language sql as $f$
        select log.number, log.line from teams.log where log.team = of_team and log.number > after
        union all select (select max(log.number) + 1 from teams.log where log.team = of_team), ${line}
        order by 1 limit most $f$`);
    await change(`update teams.head set last = last + 1`);
    await a.stop();
    expect(await a.start(), a.said).not.toBeNull();
    expect(a.said).toMatch(said);
    expect(a.said.trim().split('\n')).toHaveLength(1);
    expect(readFileSync(a.log(), 'utf8')).toBe(before);
  });

  it('ends the relay with one sentence for news of another shape', async () => {
    const [a, b] = await Machine.two(place, 'ada');
    await b.stop();
    await change(
      `create or replace function teams.news() returns json language sql as $f$ select '{"teams":[{"id":1}],"hosts":null}'::json $f$`,
    );
    expect(await a.ended()).not.toBe(0);
    expect(a.said).toMatch(/The store answered in a shape that teams does not know, at news\./);
  });

  it('ends the relay with one sentence where its numbers cannot be followed', async () => {
    const [a, b] = await Machine.two(place, 'ada');
    await a.stop();
    await b.stop();
    const event = '{"type":"task.told","at":"2999-01-01T00:00:00.000Z"}';
    await change(
      `insert into teams.event select id, 9007199254740993, 'owner', 'elsewhere/1/2/3', '${event}' from teams.team`,
    );
    await change(
      `insert into teams.event_head select id, 9007199254740993 from teams.team on conflict (team) do update set last = excluded.last`,
    );
    await a.start();
    expect(await a.ended()).not.toBe(0);
    expect(a.said).toMatch(/The store gave a record the number 9007199254740993/);
  });
});
