/** The server of a store answers what it likes. What a seal or a hash says is not the server's to change. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Workplace } from '../support/cli.ts';
import { realDisk } from '../../src/store/files/disk.ts';
import { folderAt } from '../../src/store/files/folder-of.ts';
import { holderText } from '../../src/store/replica/elsewhere.ts';
import { Machine, storePlace } from '../support/machine.ts';
import { hasPostgres, Postgres } from '../support/postgres.ts';

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
