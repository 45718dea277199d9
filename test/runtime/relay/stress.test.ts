/** Many real processes on two machines at one task and at one inbox of a team in a store; sizes are in sizes.ts. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { LEAD } from '../../../src/model/text/names.ts';
import { realClock } from '../../../src/os/system-clock.ts';
import { openStore } from '../../../src/store/team/team-store.ts';
import { teamPaths } from '../../../src/store/files/paths.ts';
import { Crowd } from '../../support/crowd.ts';
import { figure } from '../../support/figures.ts';
import { Machine, storePlace } from '../../support/machine.ts';
import { hasPostgres, Postgres } from '../../support/postgres.ts';
import { SIZES, TIMEOUT_MS } from '../../support/sizes.ts';
import { name, task } from '../../support/team.ts';

const PROCESSES = 8;
const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n);
const lifeOf = (n: number): string => String(n).padStart(26, '0');
const taken = z.object({ messages: z.array(z.object({ sender: z.string(), content: z.string() })) });

describe.skipIf(!hasPostgres)('many processes on two machines', { timeout: 2 * TIMEOUT_MS }, () => {
  let engine: Postgres;
  beforeAll(async () => {
    engine = await Postgres.start();
  });
  afterAll(() => engine.stop());

  it('exactly one of all simultaneous claimants gets a task', async () => {
    const { place } = await storePlace(engine);
    const racers = numbers(SIZES.racers).map((n) => `racer-${String(n)}`);
    const [a, b] = await Machine.two(place, ...racers);
    const tasks = SIZES.sharedRaceRounds;
    const store = openStore(teamPaths(a.root, name('login')), { clock: realClock });
    const person = { person: LEAD, epoch: store.board.fold().lead.epoch };
    const started = racers.map((member, n) => ({
      type: 'member.started' as const,
      name: name(member),
      inc: lifeOf(n),
      after: null,
    }));
    const made = numbers(tasks).map((n) => ({
      type: 'task.created' as const,
      task: String(n + 1),
      fields: task(`t${String(n)}`),
    }));
    expect(await store.board.append(person, () => ({ type: 'batch', changes: [...started, ...made] }))).toMatchObject({
      outcome: { ok: true },
    });
    const share = racers.length / PROCESSES;
    const options = numbers(PROCESSES).map((process) => ({
      root: process % 2 === 0 ? a.root : b.root,
      team: 'login',
      members: Object.fromEntries(
        numbers(share).map((n) => [`racer-${String(process * share + n)}`, lifeOf(process * share + n)]),
      ),
    }));
    await expect.poll(() => readFileSync(b.log(), 'utf8'), { timeout: 10_000 }).toBe(readFileSync(a.log(), 'utf8'));
    const crowd = await Crowd.gather(place.root, 'sharedRace', options);
    let wrong = 0;
    for (let round = 1; round <= tasks; round += 1)
      wrong += (await crowd.round<string[]>(String(round))).flat().length === 1 ? 0 : 1;
    const done = [...store.board.fold().tasks.values()].filter(
      ({ status, claims }) => status === 'completed' && claims === 1,
    );
    await store.close();
    figure({ area: `claim race of ${String(SIZES.racers)} in a store`, count: tasks, violations: wrong });
    expect([wrong, done.length]).toEqual([0, tasks]);
    await expect.poll(() => readFileSync(b.log(), 'utf8'), { timeout: 10_000 }).toBe(readFileSync(a.log(), 'utf8'));
  });

  it('all mail of many processes to one inbox is there, once, and in the order of each sender', async () => {
    const { place } = await storePlace(engine);
    const [a, b] = await Machine.two(place, 'ada');
    const senders = numbers(SIZES.sharedWriters).map((n) => `writer-${String(n)}`);
    const options = senders.map((from, n) => ({ root: n % 2 === 0 ? a.root : b.root, team: 'login', from, batch: 10 }));
    const crowd = await Crowd.gather(place.root, 'sharedSend', options);
    const seen = new Map<string, number>();
    let wrong = 0;
    const take = async (): Promise<number> => {
      const { out } = await b.ok('take', 'login', 'ada', '--json');
      const { messages } = taken.parse(JSON.parse(out));
      for (const { sender, content } of messages) {
        const next = seen.get(sender) ?? 0;
        wrong += content === `${sender} ${String(next)}` ? 0 : 1;
        seen.set(sender, next + 1);
      }
      return messages.length;
    };
    for (let round = 0; round < SIZES.sharedWrites; round += 10) await Promise.all([crowd.round('ada'), take()]);
    const sum = (): number => [...seen.values()].reduce((all, one) => all + one, 0);
    const count = senders.length * SIZES.sharedWrites;
    await expect.poll(async () => (await take(), sum()), { timeout: TIMEOUT_MS }).toBe(count);
    figure({ area: `${String(senders.length)} writers on one inbox of a store: messages`, count, violations: wrong });
    expect(wrong).toBe(0);
  });
});
