/** A team whose lead and members run on two machines: two roots with a relay each, and a PostgreSQL server. */
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { realClock } from '../../../src/os/system-clock.ts';
import type { Workplace } from '../../support/cli.ts';
import { percentile } from '../../support/figures.ts';
import { Machine, storePlace, told } from '../../support/machine.ts';
import { allowLeft } from '../../support/leftovers.ts';
import { hasPostgres, Postgres } from '../../support/postgres.ts';
import { running } from '../../support/processes.ts';
import { ended, served, type Served } from '../../support/served.ts';

const listed = z.object({
  tasks: z.array(z.looseObject({ id: z.string(), status: z.string(), owner: z.string().nullish() })),
});
const logged = z.object({ at: z.string() });
const shown = z.object({ lead: z.looseObject({ alive: z.boolean(), pid: z.number().nullable(), epoch: z.number() }) });

/** Kills processes with all that they have started. */
function killWhole(pids: readonly number[]): void {
  const all = running();
  const whole = [...pids];
  for (const pid of whole) whole.push(...all.flatMap((one) => (one.parent === pid ? [one.pid] : [])));
  for (const pid of whole) process.kill(pid, 'SIGKILL');
}

describe.skipIf(!hasPostgres)('a team on two machines', { timeout: 90_000 }, () => {
  let engine: Postgres;
  let place: Workplace;
  let database: string;
  beforeAll(async () => {
    engine = await Postgres.start();
  });
  afterAll(() => engine.stop());
  beforeEach(async () => {
    ({ place, database } = await storePlace(engine));
  });

  const serving = (machine: Machine, ...argv: string[]): Served => served(machine.process(...argv));

  const tasksOn = async (machine: Machine) =>
    listed.parse(JSON.parse((await machine.ok('task', 'list', 'login', '--json')).out)).tasks;
  const doneOn = async (machine: Machine): Promise<number> =>
    (await tasksOn(machine)).filter(({ status }) => status === 'completed').length;
  const isLed = async (machine: Machine) =>
    shown.parse(JSON.parse((await machine.ok('status', 'login', '--json')).out)).lead;

  async function lead(machine: Machine, epoch = 1) {
    const process = serving(machine, 'lead', 'login');
    // It has the lease first, and is elected then.
    await expect
      .poll(async () => Object.values(await isLed(machine)), { timeout: 20_000 })
      .toEqual(expect.arrayContaining([true, epoch]));
    return process;
  }

  const worker = async (machine: Machine, name: string) => {
    const process = serving(machine, 'worker', 'login', name, '--agent', 'exec');
    await expect.poll(() => process.said(), { timeout: 20_000 }).toContain(`${name} works for team`);
    return process;
  };

  async function addTasks(machine: Machine, count: number): Promise<void> {
    for (let number = 1; number <= count; number += 1)
      await machine.ok('task', 'create', 'login', `t${String(number)}`, '--run', `echo done-${String(number)}`);
  }

  it('does twenty tasks of a lead here by two workers there, and both machines show the results', async () => {
    const [a, b] = await Machine.two(place, 'ada', 'bob');
    await lead(a);
    await addTasks(a, 20);
    const workers = [await worker(b, 'ada'), await worker(b, 'bob')];
    // The lead is on the other machine, and has no pid here.
    expect(await isLed(b)).toMatchObject({ alive: true, pid: null, machine: hostname() });
    expect((await b.ok('status', 'login')).out).toContain(`led on ${hostname()} since`);
    expect((await a.ok('status', 'login')).out).toMatch(new RegExp(`ada .* on ${hostname()}`));
    for (const one of [a, b]) await expect.poll(() => doneOn(one), { timeout: 60_000 }).toBe(20);
    expect(readFileSync(a.log(), 'utf8')).toBe(readFileSync(b.log(), 'utf8'));
    // Each task once.
    expect(readFileSync(a.log(), 'utf8').match(/"type":"task.completed"/g)).toHaveLength(20);
    for (const one of [a, b]) {
      const { out } = await one.ok('task', 'get', 'login', '7');
      expect(out).toContain('done-7');
    }
    const second = await a.teams('worker', 'login', 'ada', '--agent', 'exec');
    expect([second.code, told(second)]).toEqual([3, expect.stringMatching(/ada is running already as pid \d+ on /)]);
    const other = await b.teams('lead', 'login', '--takeover');
    expect([other.code, told(other)]).toEqual([3, expect.stringMatching(/is led on \S+ \(pid \d+ there\)/)]);
    for (const { child, said } of workers) {
      child.kill('SIGTERM');
      expect(await ended(child), said()).toBe(0);
    }
  });

  it('goes on when a worker, a relay and the lead are killed, and does each task', async () => {
    const [a, b] = await Machine.two(place, 'ada', 'bob');
    allowLeft();
    const first = await lead(a);
    await addTasks(a, 30);
    const ada = await worker(b, 'ada');
    const bob = await worker(b, 'bob');
    const isDone = (count: number) => expect.poll(() => doneOn(b), { timeout: 40_000 }).toBeGreaterThanOrEqual(count);
    await isDone(3);
    await b.stop('SIGKILL');
    expect(await b.start(), b.said).toBeNull();
    await isDone(8);
    // A task that runs when its worker is killed.
    const long = (await a.ok('task', 'create', 'login', 'long', '--run', 'sleep 3', '--owner', 'ada')).out;
    expect(long).toContain('31');
    await expect
      .poll(async () => (await tasksOn(a)).find(({ id }) => id === '31')?.status, { timeout: 40_000 })
      .toBe('in_progress');
    ada.child.kill('SIGKILL');
    // The lead of the other machine sees the lease lapse, and takes its claim back.
    await expect
      .poll(() => readFileSync(a.log(), 'utf8'), { timeout: 25_000 })
      .toMatch(/"type":"task.released","task":"31","epoch":1,"reason":"lost"/);
    // The lead is lost; another machine takes its place when its lease has lapsed.
    first.child.kill('SIGKILL');
    await ended(first.child);
    await expect.poll(async () => (await isLed(b)).alive, { timeout: 25_000 }).toBe(false);
    await lead(b, 2);
    await worker(a, 'ada');
    await expect.poll(() => doneOn(a), { timeout: 40_000 }).toBe(31);
    expect(bob.child.exitCode).toBeNull();
    const log = readFileSync(a.log(), 'utf8');
    expect(log.match(/"type":"task.completed"/g)).toHaveLength(31);
    await expect.poll(() => readFileSync(b.log(), 'utf8')).toBe(log);
  });

  it('wakes the member of another machine that can do a new task', async () => {
    const [a, b] = await Machine.two(place, 'ada');
    await lead(a);
    await worker(b, 'ada');
    // Without a bell a member looks once a second; each task comes at another time since its last look.
    for (let number = 1; number <= 8; number += 1) {
      await setTimeout(number * 130);
      await a.ok('task', 'create', 'login', `t${String(number)}`, '--run', 'true');
      await expect.poll(() => doneOn(a), { timeout: 20_000 }).toBe(number);
    }
    const times = (type: string): number[] =>
      readFileSync(a.log(), 'utf8')
        .split('\n')
        .flatMap((line) => (line.includes(`"type":"${type}"`) ? [Date.parse(logged.parse(JSON.parse(line)).at)] : []));
    const made = times('task.created');
    const waits = times('task.claimed').map((at, index) => at - (made[index] ?? 0));
    expect(waits).toHaveLength(8);
    expect(percentile(waits, 50), waits.join(', ')).toBeLessThan(250);
  });

  it('gives the tasks of a lost machine away as soon as their leases lapse', async () => {
    const members = ['ada', 'bob', 'cleo', 'dan'];
    const [a, b] = await Machine.two(place, ...members);
    allowLeft();
    await lead(a);
    for (const name of members) await a.ok('task', 'create', 'login', name, '--run', 'sleep 61', '--owner', name);
    const workers = await Promise.all(members.map((name) => worker(b, name)));
    const programs = () =>
      running().filter(({ command, cwd }) => command === 'sleep 61' && cwd?.startsWith(place.root));
    await expect.poll(() => programs().length, { timeout: 20_000 }).toBe(members.length);
    await b.stop('SIGKILL');
    killWhole(workers.flatMap(({ child }) => child.pid ?? []));
    // Not all of them just before a look of the relay or of the lead, which look again each second.
    const session = await engine.session('owner', database);
    const text = `update teams.lease set until = clock_timestamp() + $2 * interval '1 s' where name = $1
      returning extract(epoch from until) * 1000 as until`;
    const lapses: number[] = [];
    for (const [at, name] of members.entries()) {
      const { rows } = await session.query<{ until: string }>(text, [name, 1 + at * 1.3]);
      lapses.push(Number(rows[0]?.until));
    }
    await session.end();
    const released = (): number[] =>
      members.map((_, at) => {
        const record = new RegExp(`^.*"type":"task.released","task":"${String(at + 1)}".*$`, 'm').exec(
          readFileSync(a.log(), 'utf8'),
        );
        return Date.parse(z.object({ at: z.string() }).safeParse(JSON.parse(record?.[0] ?? '{}')).data?.at ?? '');
      });
    await expect.poll(() => released().some(Number.isNaN), { timeout: 20_000 }).toBe(false);
    const waits = released().map((at, index) => at - (lapses[index] ?? 0));
    for (const wait of waits) expect(wait).toBeGreaterThan(-50);
    // A look each second would take half a second each, of the relay and of the lead.
    expect(percentile(waits, 50), waits.join(', ')).toBeLessThan(500);
  });

  it.each([
    ['an idle worker', undefined],
    ['a worker in a task', 'sleep 60'],
  ])('whose store and relay are both gone, %s ends within seconds of SIGTERM', async (_, run) => {
    allowLeft();
    const own = await Postgres.start();
    const machines: Machine[] = [];
    try {
      ({ place } = await storePlace(own));
      const [a, b] = await Machine.two(place, 'ada');
      machines.push(a, b);
      const { child, said } = await worker(b, 'ada');
      if (run !== undefined) {
        await a.ok('task', 'create', 'login', 'long', '--run', run);
        await expect.poll(async () => (await tasksOn(b))[0]?.status, { timeout: 20_000 }).toBe('in_progress');
      }
      await b.stop('SIGKILL');
      await own.kill();
      const asked = realClock.monotonic();
      child.kill('SIGTERM');
      const code = await ended(child);
      expect(realClock.monotonic() - asked).toBeLessThan(10_000);
      // What it could not say is one sentence; without a task it had nothing to say.
      expect([code, said()]).toEqual(run === undefined ? [0, said()] : [4, expect.stringMatching(/relay/)]);
    } finally {
      for (const one of machines) await one.stop();
      await own.stop();
    }
  });

  it('waits while the store is away, and goes on when it is back', async () => {
    const own = await Postgres.start();
    const machines: Machine[] = [];
    try {
      ({ place } = await storePlace(own));
      const [a, b] = await Machine.two(place, 'ada');
      machines.push(a, b);
      const led = await lead(a);
      await addTasks(a, 12);
      const ada = await worker(b, 'ada');
      await expect.poll(() => doneOn(a), { timeout: 40_000 }).toBeGreaterThan(2);
      await own.kill();
      // Longer than a lease: nobody may take it for a death when the store is back.
      await realClock.sleep(12_000);
      // What the store had in its last moment may have reached one of them only.
      const [before = '', longer = ''] = [a, b].map((one) => readFileSync(one.log(), 'utf8')).sort();
      expect(longer.startsWith(before)).toBe(true);
      await own.run();
      await expect.poll(() => doneOn(a), { timeout: 40_000 }).toBe(12);
      const log = readFileSync(a.log(), 'utf8');
      expect(log.startsWith(longer)).toBe(true);
      expect(log).not.toContain('"reason":"lost"');
      expect(log.match(/"type":"(?:member.started|lead.took)"/g)).toHaveLength(2);
      for (const { child, said } of [ada, led]) {
        child.kill('SIGTERM');
        const code = await ended(child);
        expect(code, said()).toBe(child === led.child ? 143 : 0);
      }
    } finally {
      for (const one of machines) await one.stop();
      await own.stop();
    }
  });
});
