/** A session asks as pg would, with its own form of a question: what it sends and reads is the same. */
import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod';
import { parseEngineAddress } from '../../../src/model/config/engine-address.ts';
import { realClock } from '../../../src/os/system-clock.ts';
import type { EngineValue } from '../../../src/store/engine/engine-queries.ts';
import { EngineSession } from '../../../src/store/engine/engine-session.ts';
import { initEngine } from '../../../src/store/engine/engine-setup.ts';
import { hasPostgres, Postgres } from '../../support/postgres.ts';

describe.skipIf(!hasPostgres)('a question of a session', () => {
  let postgres: Postgres;
  let session: EngineSession;
  let client: Client;
  beforeAll(async () => {
    postgres = await Postgres.start();
    await initEngine(parseEngineAddress(postgres.url(), 'argument'), [], realClock);
    client = new Client(postgres.url());
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await postgres.stop();
  });
  beforeEach(async () => {
    session = await EngineSession.open(parseEngineAddress(postgres.url(), 'argument'), realClock);
  });
  afterEach(() => session.close());

  const any = z.looseObject({});
  const ask = (text: string, values: readonly EngineValue[] = []) => session.ask(text, values, any);

  it.each<[string, string, EngineValue[]]>([
    ['texts', 'select $1::text as a, $2::text as b', ['', '{"a\\b",\n\u{1f600} ä}']],
    ['texts in an array', 'select $1::text[] as a', [['', 'a,b', '{"a\\b"}', '\\"', 'NULL', 'ä\n\u{1f600}']]],
    ['no text in an array', 'select $1::text[] as a', [[]]],
    ['numbers', 'select $1::bigint as a, $2::integer as b, $3::float8 as c', [2 ** 53 - 1, -7, 0.25]],
    ['numbers in an array', 'select array[$1::bigint, null] as a', [12]],
    ['what is there and what is not', 'select $1::boolean as a, $2::boolean as b, $3::text as c', [true, false, null]],
    ['bytes', 'select $1::bytea as a', [Buffer.from([0, 255, 92, 10])]],
    ['JSON', 'select $1::json as a', ['{"__proto__":1,"a":[null,"x"]}']],
    ['a date', "select date '2026-11-28' as a, 'NaN'::float8 as b", []],
    ['a column of an odd name', 'select 1 as "a b", 2 as constructor', []],
    ['no column', 'select from teams.about', []],
    ['no row', 'select version from teams.about where version < 0', []],
    ['many rows', 'select n, repeat($1, n) as text from generate_series(1, 300) n', ['x']],
  ])('has the answer with %s that pg gives', async (_, text, values) => {
    const { rows } = await client.query<Record<string, unknown>>(text, values);
    const plain = rows.map((row) => Object.fromEntries(Object.entries(row)));
    for (let again = 0; again < 3; again += 1) expect(await ask(text, values)).toEqual(plain);
  });

  it('is asked again after it was refused, at whatever step', async () => {
    const divide = 'select 1 / $1::integer as a';
    for (let again = 0; again < 2; again += 1) {
      await expect(ask(divide, [0])).rejects.toMatchObject({ code: 'ENGINE_UNFIT' });
      expect(await ask(divide, [1])).toEqual([{ a: 1 }]);
    }
    const number = 'select $1::integer as a';
    // Before the server has described it.
    await expect(ask(number, ['x'])).rejects.toBeInstanceOf(Error);
    await session.close();
    session = await EngineSession.open(parseEngineAddress(postgres.url(), 'argument'), realClock);
    for (let again = 0; again < 2; again += 1) {
      await expect(ask('select nothing from nowhere')).rejects.toMatchObject({ code: 'ENGINE_UNFIT' });
      expect(await ask(number, [again])).toEqual([{ a: again }]);
    }
  });

  it('is answered in its turn when several are asked at once', async () => {
    const text = 'select $1::integer as a';
    const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => ask(text, [at])));
    expect(answers).toEqual(Array.from({ length: 20 }, (_, at) => [{ a: at }]));
  });

  it('has the other servers looked at while it waits, though others are asked after it', async () => {
    const sleep = vi.fn((ms: number) => realClock.sleep(ms));
    await session.close();
    session = await EngineSession.open(parseEngineAddress(postgres.url(), 'argument'), { ...realClock, sleep });
    sleep.mockClear();
    const asked = [expect(ask('select pg_sleep(60)')).rejects.toThrow('The session with the engine is over.')];
    const more = setInterval(() => asked.push(expect(ask('select 1 as a')).rejects.toThrow()), 100);
    onTestFinished(() => clearInterval(more));
    await vi.waitUntil(() => sleep.mock.calls.length > 0, { timeout: 20_000 });
    clearInterval(more);
    await postgres.query("select pg_terminate_backend(pid) from pg_stat_activity where query like 'select pg_sleep%'");
    await Promise.all(asked);
  });

  it('fails with the session', async () => {
    const asked = expect(ask('select pg_sleep(20)')).rejects.toThrow('The session with the engine is over.');
    await postgres.query("select pg_terminate_backend(pid) from pg_stat_activity where query like 'select pg_sleep%'");
    await asked;
  });

  it('ends the session if the server wants to copy something', async () => {
    await expect(ask('copy teams.about from stdin')).rejects.toThrow();
  });
});
