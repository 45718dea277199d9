/** The server of a store answers what it likes. What a seal or a hash says is not the server's to change. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Workplace } from '../support/cli.ts';
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
});
