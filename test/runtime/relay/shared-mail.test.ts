/** Mail of a team on two machines: two roots with a relay each, and a PostgreSQL server of the test's own. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { Workplace } from '../../support/cli.ts';
import { Machine, storePlace, told } from '../../support/machine.ts';
import { realClock } from '../../../src/os/system-clock.ts';
import { allowLeft } from '../../support/leftovers.ts';
import { hasPostgres, Postgres } from '../../support/postgres.ts';

const messages = z.object({
  messages: z.array(z.looseObject({ id: z.string(), content: z.string(), redelivered: z.literal(true).optional() })),
});

describe.skipIf(!hasPostgres)('mail of a team in a store', { timeout: 120_000 }, () => {
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

  const waiting = async (machine: Machine, member: string): Promise<string[]> => {
    const { out } = await machine.ok('inbox', 'login', member, '--json');
    return messages.parse(JSON.parse(out)).messages.map(({ content }) => content);
  };
  const take = async (machine: Machine, member: string, ...more: string[]) => {
    const { out } = await machine.ok('take', 'login', member, '--json', ...more);
    return messages.parse(JSON.parse(out)).messages;
  };
  const unread = async (member: string): Promise<unknown> => {
    const client = await engine.session('owner', database);
    const { rows } = await client.query<{ count: number }>(
      'select count(*)::int as count from teams.mail where member = $1 and acknowledged is null',
      [member],
    );
    await client.end();
    return rows[0]?.count;
  };
  const comesTo = (machine: Machine, member: string, content: readonly string[]) =>
    expect.poll(() => waiting(machine, member), { timeout: 10_000 }).toEqual(content);

  it('that one machine sends is read on the other, byte for byte, and once', async () => {
    const [a, b] = await Machine.two(place, 'ada', 'bob');
    await a.ok('send', 'login', 'ada', 'one');
    await b.ok('send', 'login', 'ada', 'two');
    await a.ok('send', 'login', 'lead', 'to the lead', '--as', 'ada');
    for (const one of [a, b]) {
      await comesTo(one, 'ada', ['one', 'two']);
      await comesTo(one, 'lead', ['to the lead']);
    }
    // An ordinary file on both.
    expect(a.file('ada_inbox.jsonl')).toBe(b.file('ada_inbox.jsonl'));
    expect((await take(b, 'ada')).map(({ content }) => content)).toEqual(['one', 'two']);
    expect(await unread('ada')).toBe(0);
    await comesTo(a, 'ada', []);
    expect(await take(a, 'ada')).toEqual([]);
    expect(await take(b, 'ada')).toEqual([]);
    expect((await take(a, 'lead')).map(({ content }) => content)).toEqual(['to the lead']);
  });

  it('is taken once by two machines that take at the same time', async () => {
    const [a, b] = await Machine.two(place, 'ada');
    const sent = Array.from({ length: 40 }, (_, number) => `m${String(number)}`);
    const taken: string[] = [];
    const deadline = realClock.monotonic() + 30_000;
    const isOver = (): boolean => taken.length >= sent.length || realClock.monotonic() > deadline;
    const sender = async (): Promise<void> => {
      for (const text of sent) await (Number(text.slice(1)) % 2 === 0 ? a : b).ok('send', 'login', 'ada', text);
    };
    const taker = async (machine: Machine): Promise<void> => {
      while (!isOver()) {
        const answer = await machine.teams('take', 'login', 'ada', '--max', '3', '--json');
        // The other one may get the lease between two portions: what was printed before is taken.
        for (const [, content = ''] of answer.out.matchAll(/"content":\s*"(m\d+)"/g)) taken.push(content);
        if (answer.code !== 0)
          expect([answer.code, told(answer)]).toEqual([3, expect.stringContaining('reads this inbox itself')]);
      }
    };
    await Promise.all([sender(), taker(a), taker(b)]);
    expect(taken.toSorted()).toEqual(sent.toSorted());
    expect(await unread('ada')).toBe(0);
    for (const one of [a, b]) await comesTo(one, 'ada', []);
  });

  it('with a long body is whole on the other machine', async () => {
    const [a, b] = await Machine.two(place, 'ada');
    const body = 'x'.repeat(300_000);
    const answer = await place.say(['send', 'login', 'ada', '-', '--root', a.root], { stdin: body });
    expect(answer.code, answer.err).toBe(0);
    await expect.poll(() => existsSync(join(b.root, '.teams', 'login', 'blobs'))).toBe(true);
    const blobs = join(b.root, '.teams', 'login', 'blobs');
    // Not under the name that it has while it is written.
    await expect.poll(() => readdirSync(blobs)).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
    expect(readFileSync(join(blobs, readdirSync(blobs)[0] ?? ''), 'utf8')).toBe(body);
  });

  it('is neither lost nor sent twice by a relay and an engine that are killed', async () => {
    allowLeft();
    const own = await Postgres.start();
    const machines: Machine[] = [];
    try {
      ({ place, database } = await storePlace(own));
      const [a, b] = await Machine.two(place, 'ada');
      machines.push(a, b);
      const sent: string[] = [];
      const over = new AbortController();
      const writer = async (machine: Machine, name: string): Promise<void> => {
        for (let number = 0; !over.signal.aborted; number += 1) {
          const text = `${name}-${String(number)}`;
          if ((await machine.teams('send', 'login', 'ada', text)).code === 0) sent.push(text);
        }
      };
      const writers = [writer(a, 'a1'), writer(b, 'b1')];
      const more = (by: number) => {
        const before = sent.length;
        return expect.poll(() => sent.length - before, { timeout: 30_000 }).toBeGreaterThan(by);
      };
      await more(10);
      await a.stop('SIGKILL');
      expect(await a.start(), a.said).toBeNull();
      await more(10);
      await own.kill();
      await own.run();
      await more(10);
      await b.stop('SIGKILL');
      expect(await b.start(), b.said).toBeNull();
      await more(10);
      over.abort();
      await Promise.all(writers);
      await expect
        .poll(async () => (await waiting(b, 'ada')).length, { timeout: 20_000 })
        .toBeGreaterThanOrEqual(sent.length);
      const taken = (await take(b, 'ada')).map(({ content }) => content);
      expect(sent.filter((text) => !taken.includes(text))).toEqual([]);
      expect(taken.length).toBe(new Set(taken).size);
    } finally {
      for (const one of machines) await one.stop();
      await own.stop();
    }
  });

  it('that was used while the relay was away is acknowledged when it is back', async () => {
    const [a, b] = await Machine.two(place, 'ada');
    await a.ok('send', 'login', 'ada', 'one');
    await a.ok('send', 'login', 'ada', 'two');
    await comesTo(b, 'ada', ['one', 'two']);
    // What a member's process does when it has used its mail, and its relay is killed meanwhile.
    await b.stop('SIGKILL');
    const inbox = b.file('ada_inbox.jsonl');
    writeFileSync(join(b.root, '.teams', 'login', 'ada_history.jsonl'), `${inbox.split('\n')[0] ?? ''}\n`);
    expect(await unread('ada')).toBe(2);
    expect(await b.start(), b.said).toBeNull();
    await expect.poll(() => unread('ada')).toBe(1);
    await comesTo(a, 'ada', ['two']);
    expect((await take(a, 'ada')).map(({ content }) => content)).toEqual(['two']);
    await comesTo(b, 'ada', []);
  });

  it('that another machine may have used before it was lost is marked as delivered again', async () => {
    const [a, b] = await Machine.two(place, 'ada');
    await a.ok('send', 'login', 'ada', 'one');
    await comesTo(b, 'ada', ['one']);
    // A process of another machine took the lease, and is not heard of any more.
    const holder = {
      pid: 7,
      startTime: '1',
      bootId: 'other',
      pidNamespace: '1',
      since: 1,
      machine: 'lost',
      folder: { dev: 1, ino: 1 },
    };
    await engine.query(
      `insert into teams.lease select id, 'ada', '${JSON.stringify(holder)}', clock_timestamp() + interval '2 s' from teams.team`,
      database,
    );
    const refused = await b.teams('take', 'login', 'ada');
    expect(refused).toMatchObject({ code: 3, err: expect.stringContaining('(pid 7 on lost)') as string });
    await comesTo(b, 'ada', []);
    let out = '';
    const first = async (): Promise<number> => {
      const answer = await a.teams('take', 'login', 'ada', '--json');
      ({ out } = answer);
      return answer.code;
    };
    await expect.poll(first, { timeout: 10_000 }).toBe(0);
    expect(messages.parse(JSON.parse(out)).messages).toMatchObject([{ content: 'one', redelivered: true }]);
    expect(await unread('ada')).toBe(0);
  });

  it('is sent and taken only with a relay; without one it is still shown', async () => {
    const [a] = await Machine.two(place, 'ada');
    await a.ok('send', 'login', 'ada', 'one');
    await comesTo(a, 'ada', ['one']);
    await a.stop();
    for (const words of [
      ['send', 'login', 'ada', 'two'],
      ['take', 'login', 'ada'],
    ])
      expect(await a.teams(...words)).toMatchObject({
        code: 4,
        err: expect.stringContaining('No relay runs') as string,
      });
    expect(await waiting(a, 'ada')).toEqual(['one']);
  });
});
