import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { codeOf } from '../../src/model/text/errors.ts';
import { isFinal, type NewTaskInput } from '../../src/model/board/task.ts';
import type { Board } from '../../src/model/board/board.ts';
import { identityOf, livenessOf } from '../../src/os/process-table.ts';
import { SPAWN_POINTS } from '../fixtures/dying-disk.ts';
import { openZoo, until } from '../fixtures/zoo.ts';
import { realClock } from '../support/clock.ts';
import { fastClock } from '../support/clock-fast.ts';
import { allowLeft } from '../support/leftovers.ts';
import { running } from '../support/processes.ts';
import {
  isRunning,
  lead,
  leadProcess,
  living,
  scripted,
  run,
  team,
  untilGone,
  workerProcess,
  type Apart,
  type Team,
} from '../support/session.ts';
import { SIZES } from '../support/sizes.ts';
import { name } from '../support/team.ts';

const containing = (text: string): unknown => expect.stringContaining(text);
const isDone = (board: Board): boolean => [...board.tasks.values()].every(isFinal);
const lines = (path: string): string[] => (existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : []);
const gate = (file: string): string => `until test -e ${file}; do sleep 0.02; done`;
const open = (on: Team, file: string): void => writeFileSync(join(on.root, file), '');
const kill = (on: Team, member: string): boolean => process.kill(on.pid(member), 'SIGKILL');
/** A sleep of a shell loop may have ended meanwhile. */
function killed(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (codeOf(error) !== 'ESRCH') throw error;
  }
}
/** The pid of the process that cleans up after a lead. */
function reaperOf(first: Apart): number {
  const [pid, ...others] = running().flatMap((one) =>
    one.parent === first.pid && one.command.includes('reaper.cjs') ? [one.pid] : [],
  );
  if (pid === undefined || others.length > 0) throw new Error('there is not one reaper');
  return pid;
}
const decided = (on: Team, act: string): string[] =>
  on.events('lead.decided').flatMap((event) => (event['act'] === act ? [event.member ?? event.task ?? ''] : []));
/** Every accepted end of a task, in order. */
const completions = (on: Team): string[] =>
  [...on.handle.store.board.log.history()].flatMap(({ event, outcome }) =>
    outcome.ok && event.type === 'task.completed' ? [event.task] : [],
  );

describe('a teammate that is killed', () => {
  it('a killed teammate gives its task to another at once, after all that it started is gone', async () => {
    allowLeft();
    const work = { run: `echo "$TEAMS_MEMBER $$" >> who.txt; ${gate('go')}` };
    const on = await team({ members: ['ada', 'bob'], tasks: [{ subject: 'One', work }] });
    const session = await lead(on);
    await session.start(session.startable());
    const loop = session.run();
    await on.until('it is begun', () => lines(join(on.root, 'who.txt')).length === 1);
    const first = on.task('1');
    const victim = first.status === 'in_progress' ? first.claim.member : '';
    kill(on, victim);
    await on.until('another took it', (board) => board.tasks.get('1')?.claims === 2);
    const [pid] = lines(join(on.root, 'who.txt')).map((line) => Number(line.split(' ')[1]));
    expect(isRunning(pid ?? 0), 'what it had started').toBe(false);
    open(on, 'go');
    expect(await loop).toEqual({ why: 'finished' });
    expect(on.task('1')).toMatchObject({ status: 'completed', lost: 1, attempts: 0 });
    await session.shutDown();
  });

  it('a killed teammate is restarted after 5, 10 and 20 s, then abandoned, and its tasks go to another', async () => {
    allowLeft();
    const clock = fastClock();
    const tasks = [
      { subject: 'Bob’s', owner: name('bob'), work: { run: gate('go') } },
      { subject: 'Ada’s', owner: name('ada'), blockedBy: ['1'] },
    ];
    const on = await team({ members: ['ada', 'bob'], tasks });
    const session = await lead(on, { clock, monitorIntervalMs: 3_600_000 });
    await session.start(session.startable());
    clock.race(40);
    const loop = session.run();
    const delays: number[] = [];
    for (let life = 1; life <= 4; life += 1) {
      const pid = on.pid('ada');
      const died = clock.monotonic();
      kill(on, 'ada');
      const after = life <= 3 ? 'restart' : 'abandon';
      // Not Bob's: at forty times the speed his heartbeat may look stale on a busy machine.
      const times = (): number => decided(on, after).filter((member) => member === 'ada').length;
      await on.until(`${after} ${life}`, () => times() === (life <= 3 ? life : 1));
      delays.push(clock.monotonic() - died);
      // A start takes real time.
      clock.race(1);
      if (life <= 3) await on.until('it is there again', () => on.find('ada') !== undefined && on.find('ada') !== pid);
      clock.race(40);
    }
    expect(delays.slice(0, 3).map((ms, index) => ms >= 5_000 * 2 ** index)).toEqual([true, true, true]);
    await on.until('bob has the task', () => on.task('2').owner === 'bob');
    open(on, 'go');
    expect(await loop).toEqual({ why: 'finished' });
    expect(session.store.state.read()?.workers.find(({ id }) => id === 'ada')?.restartCount).toBe(3);
    await session.shutDown();
  });

  it('a killed teammate is ended and started once more if its next process hangs before it is ready', async () => {
    allowLeft();
    const clock = fastClock();
    const on = await team({ members: ['ada'], tasks: [{ subject: 'One', work: { run: gate('go') } }] });
    const session = await lead(on, { clock, monitorIntervalMs: 3_600_000 });
    await session.start(session.startable());
    const loop = session.run();
    await on.until('it works', (board) => board.busy.size === 1);
    // The next process of ada waits here for 15 s of real time, which are twenty minutes of the lead's.
    const stuck = on.paths.leaseLock(name('ada'));
    writeFileSync(stuck, 'not a lock of ours');
    kill(on, 'ada');
    clock.race(80);
    await on.until('it is ended', () => decided(on, 'stop').length === 1);
    rmSync(stuck);
    await on.until('it is started again', () => decided(on, 'restart').length === 2);
    clock.race(1);
    open(on, 'go');
    expect(await loop).toEqual({ why: 'finished' });
    expect(on.task('1')).toMatchObject({ status: 'completed', lost: 1, claims: 2 });
    await session.shutDown();
  });

  it('a task that took down three processes fails and is never claimed again', async () => {
    allowLeft();
    const tasks = [{ subject: 'Poison', work: { run: 'kill -9 $PPID; sleep 5' } }, { subject: 'Good' }];
    const on = await team({ members: ['ada', 'bob', 'cy', 'dan'], tasks });
    expect(await run(on)).toBe('finished');
    expect(on.task('1')).toMatchObject({ status: 'failed', code: 'POISON', lost: 3, attempts: 0 });
    expect(on.task('2').status).toBe('completed');
  });

  it('a restart of a killed teammate is counted on disk at once, for the next lead', async () => {
    allowLeft();
    const clock = fastClock();
    const on = await team({ members: ['ada'] });
    const first = await lead(on, { clock, endsWhenDone: false, monitorIntervalMs: 3_600_000 });
    await first.start(first.startable());
    clock.race(20);
    const loop = first.run();
    kill(on, 'ada');
    await on.until('it is restarted', () => decided(on, 'restart').length === 1);
    await vi.waitUntil(() => first.store.state.read()?.workers[0]?.restartCount === 1, { timeout: 5_000, interval: 5 });
    first.halt();
    await loop;
    await first.close();
  });

  it('a stopped teammate loses its task to another, and its late completion is refused', async () => {
    allowLeft();
    const clock = fastClock();
    const work = { run: `echo "$TEAMS_MEMBER" >> who.txt; ${gate('go')}` };
    const on = await team({
      members: [
        { name: 'ada', agent: { kind: 'exec' as const } },
        { name: 'bob', agent: { kind: 'exec' as const } },
      ],
      tasks: [{ subject: 'One', owner: name('ada'), work }],
    });
    const worker = await workerProcess(on, 'ada');
    await on.until('it is begun', () => lines(join(on.root, 'who.txt')).length === 1);
    const limits = { watchdogWarningMs: 20_000, watchdogReassignMs: 600_000, maxConsecutiveErrors: 3, maxAgents: 5 };
    const session = await lead(on, { clock, limits, endsWhenDone: false, monitorIntervalMs: 3_600_000 });
    await session.start([name('bob')]);
    const loop = session.run();
    worker.child.kill('SIGSTOP');
    clock.race(40);
    await on.until('bob took it', () => lines(join(on.root, 'who.txt')).length === 2, 20_000);
    clock.race(1);
    open(on, 'go');
    await on.until('bob ended it', isDone);
    worker.child.kill('SIGCONT');
    await session.shutDown({ force: true });
    await loop;
    expect(completions(on)).toEqual(['1']);
    expect(on.task('1')).toMatchObject({ status: 'completed', by: { member: 'bob', epoch: 2 } });
    expect(await worker.ended).toMatchObject({ code: 0 });
  }, 40_000);
});

describe('a teammate that hangs', () => {
  const limits = { watchdogWarningMs: 300, watchdogReassignMs: 700, maxConsecutiveErrors: 3, maxAgents: 5 };
  const waits = scripted({ waitsFor: 'go', repeat: true });

  it('a hanging teammate is asked once, then loses its task and its process', async () => {
    allowLeft();
    const on = await team({
      members: [{ name: 'ada', agent: waits }, 'bob'],
      tasks: [{ subject: 'One', owner: name('ada'), work: { run: 'true' } }],
    });
    const session = await lead(on, { limits });
    await session.start(session.startable());
    const pid = on.pid('ada');
    expect(await session.run()).toEqual({ why: 'finished' });
    expect(decided(on, 'check')).toEqual(['ada']);
    expect(decided(on, 'fence')).toEqual(['ada']);
    expect(on.events('message.received').filter((event) => event['kind'] === 'status')).toHaveLength(1);
    expect(on.task('1')).toMatchObject({ status: 'completed', by: { member: 'bob', epoch: 2 }, lost: 0, attempts: 0 });
    expect(isRunning(pid)).toBe(false);
    await session.shutDown();
  });

  it('a hanging teammate is left alone as long as it prints', async () => {
    const on = await team({
      members: [{ name: 'ada', agent: waits }, 'bob'],
      tasks: [{ subject: 'One', owner: name('ada') }],
    });
    const session = await lead(on, { limits: { ...limits, watchdogReassignMs: 1_500, watchdogWarningMs: 1_000 } });
    await session.start(session.startable());
    const loop = session.run();
    for (let at = 0; at < 25; at += 1) {
      appendFileSync(on.paths.output(name('ada')), '.');
      await realClock.sleep(100);
    }
    open(on, 'go');
    expect(await loop).toEqual({ why: 'finished' });
    expect(decided(on, 'fence')).toEqual([]);
    expect(on.task('1')).toMatchObject({ status: 'completed', by: { member: 'ada' } });
    await session.shutDown();
  });

  it('a teammate loses nothing if it was the lead that slept', async () => {
    const clock = fastClock();
    const on = await team({
      members: [{ name: 'ada', agent: waits }, 'bob'],
      tasks: [{ subject: 'One', owner: name('ada') }],
    });
    const session = await lead(on, { clock });
    await session.start(session.startable());
    const loop = session.run();
    await on.until('it works', (board) => board.busy.size === 1);
    clock.jump(30 * 60_000);
    await on.until('the lead forgives', () =>
      on.events('lead.decided').some((event) => event['act'] === 'resetDeadlines'),
    );
    open(on, 'go');
    expect(await loop).toEqual({ why: 'finished' });
    expect(on.events('lead.decided').map((event) => event['act'])).toEqual(['resetDeadlines']);
    await session.shutDown();
  });
});

describe('a lead that is killed', () => {
  const tasks: NewTaskInput[] = Array.from({ length: 12 }, (_, index) => ({
    subject: `Task ${index + 1}`,
    blockedBy: index >= 6 ? [String(index - 5)] : [],
    work: { run: `echo "result of ${index + 1}"; ${index % 3 === 1 ? gate('go') : 'true'}` },
  }));

  const finish = async (on: Team): Promise<void> => {
    open(on, 'go');
    expect(await run(on)).toBe('finished');
    expect(completions(on).toSorted((a, b) => Number(a) - Number(b))).toEqual(
      tasks.map((_, index) => String(index + 1)),
    );
    for (const [index] of tasks.entries())
      expect(readFileSync(on.paths.result(String(index + 1)), 'utf8')).toBe(`result of ${index + 1}\n`);
    expect([...on.board().tasks.values()].filter((task) => task.attempts + task.lost > 0)).toEqual([]);
  };

  it('a killed lead takes everything along, and a new one ends the run with the same results', async () => {
    const on = await team({ members: ['ada', 'bob', 'cy'], tasks });
    const first = await leadProcess(on);
    await on.until('work is under way', (board) => board.busy.size >= 2 && completions(on).length >= 2);
    first.child.kill('SIGKILL');
    await first.ended;
    await untilGone(on.marks());
    expect(on.board().tasks.size).toBe(12);
    await finish(on);
  });

  it('a lead killed together with every other process is cleaned up after by the next, which ends the run', async () => {
    const on = await team({ members: ['ada', 'bob', 'cy'], tasks });
    const first = await leadProcess(on);
    await on.until('work is under way', (board) => board.busy.size >= 2 && completions(on).length >= 2);
    const marks = on.marks();
    for (const pid of [reaperOf(first), first.pid, ...living(marks)]) killed(pid);
    await first.ended;
    // No process was left to end what a teammate was just starting.
    const second = await lead(on);
    expect(living(marks)).toEqual([]);
    await second.close();
    await finish(on);
  });

  it.each(SPAWN_POINTS.flatMap((point) => Array.from({ length: SIZES.spawnDeaths }, () => point)))(
    'a lead killed while it starts a teammate, %s, leaves no process, and the next lead starts all members',
    async (dies) => {
      allowLeft();
      const on = await team({ members: ['ada', 'bob', 'cy'], tasks: tasks.slice(0, 3) });
      expect((await (await leadProcess(on, { dies })).ended).signal).toBe('SIGKILL');
      const record = on.handle.store.roster.read(name('bob'));
      expect(record === undefined).toBe(dies === 'before the intent');
      const marks = on.marks();
      expect(marks).toHaveLength(dies === 'before the intent' ? 1 : 2);
      await untilGone(marks);
      open(on, 'go');
      expect(await run(on)).toBe('finished');
      expect(completions(on)).toHaveLength(3);
      expect([...on.board().tasks.values()].filter(({ attempts, lost }) => attempts + lost > 0)).toEqual([]);
    },
  );

  it('a killed lead takes a zoo of escapes along', async (context) => {
    allowLeft();
    const zoo = openZoo();
    if (zoo.missing) context.skip(`there is no ${zoo.missing} here`);
    const animals = Object.entries(zoo.animals).map(([program, marker], index) => {
      const copy = `${index}-${program.slice(program.lastIndexOf('/') + 1)}`;
      return { copy, program, run: `${program.endsWith('.py') ? 'python3' : 'sh'} ./${copy} ${marker}; sleep 60` };
    });
    const members = animals.map((_, index) => `m${index}`);
    const on = await team({
      members: members.slice(0, 3),
      tasks: [0, 1, 2].map((at) => ({
        subject: `Zoo ${at}`,
        work: {
          run: [...animals.filter((_, index) => index % 3 === at).map((animal) => `(${animal.run}) &`), 'wait'].join(
            ' ',
          ),
        },
      })),
    });
    for (const { copy, program } of animals) copyFileSync(program, join(on.root, copy));
    const first = await leadProcess(on);
    await until('the zoo is out', zoo.isOut, 15_000);
    const reaper = identityOf(reaperOf(first));
    first.child.kill('SIGKILL');
    await first.ended;
    // A look at the table can miss a program that hops from pid to pid; the reaper ends when nothing is left.
    await until('the reaper has ended', () => reaper === undefined || livenessOf(reaper) === 'dead', 15_000);
    expect(zoo.seen()).toEqual([]);
    expect(living(on.marks())).toEqual([]);
  }, 40_000);
});

describe('who leads', () => {
  it('one of two leads that start at once leads; the other learns which', async () => {
    const on = await team({ members: [] });
    for (let round = 0; round < 20; round += 1) {
      const answers = await Promise.allSettled([lead(on, { endsWhenDone: false }), lead(on, { endsWhenDone: false })]);
      const won = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
      const lost = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as unknown] : []));
      expect([won.length, lost.length]).toEqual([1, 1]);
      expect(codeOf(lost[0])).toBe('LEAD_ALIVE');
      expect(String(lost[0])).toContain(`pid ${process.pid}`);
      await won[0]?.close();
    }
  });

  it('one of two lead processes leads', async () => {
    const on = await team({ members: [] });
    const both = await Promise.all([leadProcess(on, { serves: true }), leadProcess(on, { serves: true })]);
    const [winner, loser] = both[0].said()?.kind === 'ready' ? both : both.toReversed();
    expect(await loser?.ended).toMatchObject({
      code: 3,
      said: { code: 'LEAD_ALIVE', text: containing(`pid ${winner?.pid}`) },
    });
    winner?.child.kill('SIGTERM');
    expect(await winner?.ended).toMatchObject({ code: 0 });
  });

  it('leadership passes to a takeover, also from a stopped lead, which writes nothing more', async () => {
    const on = await team({ members: ['ada'], tasks: [{ subject: 'One', work: { run: gate('go') } }] });
    const old = await leadProcess(on, { serves: true });
    await on.until('it works', (board) => board.busy.size === 1);
    old.child.kill('SIGSTOP');
    const fresh = await leadProcess(on, { takeover: true });
    expect(fresh.said()).toEqual({ kind: 'ready' });
    old.child.kill('SIGCONT');
    expect((await old.ended).signal).toBe('SIGKILL');
    open(on, 'go');
    expect(await fresh.ended).toMatchObject({ code: 0 });
    expect(on.board().lead.epoch).toBe(2);
    expect(on.task('1').status).toBe('completed');
  });

  it('a lead that finds another in the log gives up: it stops what it started and changes nothing', async () => {
    allowLeft();
    const on = await team({ members: ['ada'], tasks: [{ subject: 'One', work: { run: gate('go') } }] });
    const session = await lead(on);
    await session.start(session.startable());
    const loop = session.run().catch((error: unknown) => error);
    await on.until('it works', (board) => board.busy.size === 1);
    const other = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
    on.handle.store.board.appendNow({ lead: other, epoch: 2 }, () => ({ type: 'lead.took', epoch: 2 }));
    on.handle.store.roster.write({ version: 1, name: name('ada'), phase: 'running' });
    const before = readFileSync(on.paths.log, 'utf8');
    expect(codeOf(await loop)).toBe('LEAD_ALIVE');
    expect(codeOf(await session.shutDown().catch((error: unknown) => error))).toBe('LEAD_ALIVE');
    await session.close();
    const added = readFileSync(on.paths.log, 'utf8').slice(before.length).split('\n').filter(Boolean);
    expect(added.filter((line) => line.includes('"epoch":1'))).toEqual([]);
    await untilGone(on.marks());
  });
});

/** Running members may still write, so a directory that fills again is removed again. */
function remove({ paths }: Team): void {
  for (let tries = 0; existsSync(paths.folder); tries += 1) {
    try {
      rmSync(paths.folder, { recursive: true });
    } catch (error) {
      if (codeOf(error) !== 'ENOTEMPTY' || tries > 20) throw error;
    }
  }
}

describe('a removed team directory', () => {
  it.for(['removed', 'removed and made again'])('a team directory that is %s ends lead and teammates', async (how) => {
    const on = await team({ members: ['ada', 'bob'], tasks: [{ subject: 'One', work: { run: gate('go') } }] });
    const led = await leadProcess(on, { serves: true });
    await on.until('it works', (board) => board.busy.size === 1);
    const marks = on.marks();
    remove(on);
    if (how !== 'removed') mkdirSync(on.paths.folder, { mode: 0o700 });
    expect(await led.ended).toMatchObject({ code: 4, said: { kind: 'failed', code: 'TEAM_GONE' } });
    await untilGone(marks);
    const left = existsSync(on.paths.folder) ? readdirSync(on.paths.folder) : [];
    expect(left).toEqual([]);
  });

  it('a removed team directory ends a worker without a lead', async () => {
    const on = await team({ members: ['ada'] });
    const worker = await workerProcess(on, 'ada');
    remove(on);
    expect((await worker.ended).code).toBe(4);
  });
});

describe('a config that is damaged in mid-run', () => {
  it('a config that is damaged in mid-run ends no work', async () => {
    const on = await team({ members: ['ada'], tasks: [{ subject: 'One', work: { run: gate('go') } }] });
    const led = await leadProcess(on);
    await on.until('it works', (board) => board.busy.size === 1);
    writeFileSync(on.paths.config, '{ "version": 1,\n  broken');
    open(on, 'go');
    expect(await led.ended).toMatchObject({ code: 4, said: { code: 'CORRUPT', text: containing('line 2') } });
    expect(on.task('1').status).toBe('completed');
    expect(living(on.marks())).toEqual([]);
    const refused = await lead(on).catch((error: unknown) => error);
    expect([codeOf(refused), String(refused)]).toEqual(['CORRUPT', containing('line 2')]);
  });
});
