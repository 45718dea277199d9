import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { Board } from '../../../src/model/board/board.ts';
import type { Clock } from '../../../src/model/text/clock.ts';
import { codeOf } from '../../../src/model/text/errors.ts';
import { isFinal, type NewTaskInput } from '../../../src/model/board/task.ts';
import { pastMail } from '../../../src/store/mail/inbox-view.ts';
import { realDisk } from '../../../src/store/files/disk.ts';
import { hashText } from '../../../src/store/board/results.ts';
import { fastClock } from '../../support/clock-fast.ts';
import { allowLeft } from '../../support/leftovers.ts';
import { lead, living, run, scripted, team, untilGone, workerProcess, type Team } from '../../support/session.ts';
import { name, PERSON } from '../../support/team.ts';
import { tempDir } from '../../support/temp.ts';
import { refusing } from '../../support/refusing.ts';

const status = (board: Board): Record<string, string> =>
  Object.fromEntries([...board.tasks.values()].map((task) => [task.id, task.status]));
const containing = (text: string): unknown => expect.stringContaining(text);
const isDone = (board: Board): boolean => [...board.tasks.values()].every(isFinal);
const lines = (path: string): string[] => (existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : []);
const history = (on: Team, member: string) => [...pastMail(realDisk, on.paths.inbox(name(member)))];

describe('starting', () => {
  it('a run starts all members at once and goes on when each has written its record', async () => {
    const on = await team({ members: ['ada', 'bob', 'cy'] });
    const session = await lead(on);
    await session.start(session.startable());
    const records = on.handle.store.roster.all().filter(({ name: one }) => one !== 'lead');
    expect(records.map(({ name: one, phase }) => [one, phase])).toEqual([
      ['ada', 'running'],
      ['bob', 'running'],
      ['cy', 'running'],
    ]);
    expect(living(on.marks()).length).toBeGreaterThanOrEqual(3);
    expect([...on.board().members.values()].every(({ incarnation }) => incarnation !== null)).toBe(true);
    expect(await session.shutDown()).toEqual(['ada', 'bob', 'cy']);
    expect(living(on.marks())).toEqual([]);
  });

  it('a run stops the others if one member does not start, and names it', async () => {
    allowLeft();
    const members = ['ada', { name: 'bob', agent: { kind: 'scripted' as const, options: { turns: 'none' } } }, 'cy'];
    const on = await team({ members });
    const session = await lead(on);
    const error = await session.start(session.startable()).catch((caught: unknown) => caught);
    expect(codeOf(error)).toBe('AGENT_CRASHED');
    expect(String(error)).toContain('bob did not start (exit 2)');
    expect(living(on.marks())).toEqual([]);
    expect(on.events('spawn.rolled_back')).toHaveLength(1);
    expect(readFileSync(on.paths.output(name('bob')), 'utf8')).toContain('USAGE');
  });
});

describe('a member that is slow to start', () => {
  /** Its process waits for its lease meanwhile, for at most 15 s. */
  async function slow(...members: string[]) {
    const on = await team({ members });
    const clock = fastClock();
    let looks = 0;
    const sleep: Clock['sleep'] = (ms, signal) => {
      looks += 1;
      return clock.sleep(ms, signal);
    };
    const session = await lead(on, { clock: { ...clock, sleep } });
    const lock = on.paths.leaseLock(name('ada'));
    writeFileSync(lock, 'not a lock of ours');
    const start = session.start(session.startable());
    await vi.waitUntil(() => living(on.marks()).length > 0, { timeout: 10_000, interval: 5 });
    /** So much time passes, and the lead looks again. */
    const pass = async (ms: number): Promise<void> => {
      clock.jump(ms);
      const before = looks;
      await Promise.race([
        start.catch(() => undefined),
        vi.waitUntil(() => looks > before + 2, { timeout: 10_000, interval: 1 }),
      ]);
    };
    return { on, session, start, pass, goOn: () => rmSync(lock) };
  }

  it('is waited for as long as its process lives', async () => {
    const { on, session, start, pass, goOn } = await slow('ada', 'bob');
    await pass(60_000);
    goOn();
    await start;
    expect([...on.board().members.values()].every(({ incarnation }) => incarnation !== null)).toBe(true);
    expect(await session.shutDown()).toEqual(['ada', 'bob']);
  });

  it('is ended with the others when nobody has become ready for five minutes', async () => {
    allowLeft();
    const { on, start, pass } = await slow('ada');
    const failure = start.catch((error: unknown) => error);
    await pass(300_000);
    expect(String(await failure)).toContain('ada did not start (not ready in time)');
    expect(living(on.marks())).toEqual([]);
  });
});

describe('work', () => {
  /** Each task prints its id and waits for up to three earlier ones. */
  function randomGraph(count: number, seed: number): NewTaskInput[] {
    let state = seed;
    const random = (below: number): number => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) % below;
    return Array.from({ length: count }, (_, index) => ({
      subject: `Task ${index + 1}`,
      blockedBy: index === 0 ? [] : [...new Set(Array.from({ length: random(4) }, () => String(1 + random(index))))],
      work: { run: 'printf "%s\\n" "$TEAMS_TASK_ID" >> order.txt' },
    }));
  }

  it('a run does 300 tasks of a random graph once each, none before its blockers', async () => {
    const tasks = randomGraph(300, 7);
    const on = await team({ members: ['ada', 'bob', 'cy', 'dan', 'eve'], tasks });
    expect(await run(on)).toBe('finished');
    const order = lines(join(on.root, 'order.txt'));
    expect(order.toSorted((a, b) => Number(a) - Number(b))).toEqual(tasks.map((_, index) => String(index + 1)));
    const place = new Map(order.map((id, at) => [id, at]));
    const early = tasks.flatMap(({ blockedBy = [] }, index) =>
      blockedBy.filter((blocker) => (place.get(blocker) ?? 0) > (place.get(String(index + 1)) ?? 0)),
    );
    expect(early).toEqual([]);
    expect([...on.board().tasks.values()].filter((task) => task.claims !== 1)).toEqual([]);
  }, 60_000);

  it('peers write to each other, and used mail is acknowledged', async () => {
    const ada = scripted(
      { calls: [{ tool: 'SendMessage', input: { recipient: 'bob', content: 'The door is open.' } }] },
      { match: 'I saw it', answers: 'good' },
    );
    const bob = scripted({
      match: 'The door is open.',
      calls: [{ tool: 'SendMessage', input: { recipient: 'ada', content: 'I saw it.' } }],
    });
    const members = [
      { name: 'ada', agent: ada },
      { name: 'bob', agent: bob },
    ];
    const on = await team({ members, tasks: [{ subject: 'Open the door', owner: name('ada') }] });
    const session = await lead(on, { endsWhenDone: false });
    await session.start(session.startable());
    const loop = session.run();
    await vi.waitUntil(() => history(on, 'ada').length > 0 && history(on, 'bob').length > 0, {
      timeout: 10_000,
      interval: 10,
    });
    expect(history(on, 'bob').map(({ sender, content }) => [sender, content])).toEqual([['ada', 'The door is open.']]);
    expect(history(on, 'ada').map(({ sender, content }) => [sender, content])).toEqual([['bob', 'I saw it.']]);
    session.halt();
    await loop;
    await session.shutDown();
  });

  it('a run verifies, retries, skips the dependants of a failure, and keeps each result with its hash', async () => {
    const tasks: NewTaskInput[] = [
      { subject: 'Good', work: { run: 'echo said; echo hidden >&2', verify: ['true', 'test -d .teams'] } },
      { subject: 'Unverified', work: { run: 'echo made', verify: ['echo "not so"; false'] } },
      {
        subject: 'Second time lucky',
        retries: 1,
        work: { run: 'test -e again && exit 0; touch again; echo first; exit 3' },
      },
      { subject: 'Waits for a failure', blockedBy: ['2'], work: { run: 'touch ran-4' } },
      { subject: 'And so does this', blockedBy: ['4', '1'], work: { run: 'touch ran-5' } },
      { subject: 'Promises a file', work: { run: 'true', artifact: 'promised.md' } },
      { subject: 'Keeps its promise', work: { run: 'echo kept > kept.md', artifact: 'kept.md' } },
      { subject: 'Runs what is not there', work: { run: ['no-such-program-here', 'x'] } },
      { subject: 'Never ends', work: { run: 'echo began; sleep 60', timeoutMs: 300 } },
      { subject: 'Fails twice', retries: 1, work: { run: 'exit 7' } },
    ];
    const on = await team({ members: ['ada', 'bob', 'cy'], tasks });
    expect(
      await run(on, {
        limits: { watchdogWarningMs: 300_000, watchdogReassignMs: 600_000, maxConsecutiveErrors: 99, maxAgents: 5 },
      }),
    ).toBe('finished');
    expect(status(on.board())).toEqual({
      1: 'completed',
      2: 'failed',
      3: 'completed',
      4: 'skipped',
      5: 'skipped',
      6: 'failed',
      7: 'completed',
      8: 'failed',
      9: 'failed',
      10: 'failed',
    });
    expect(existsSync(join(on.root, 'ran-4')) || existsSync(join(on.root, 'ran-5'))).toBe(false);
    expect(on.task('2')).toMatchObject({ reason: containing('verify failed: echo "not so"; false') });
    expect(on.task('3')).toMatchObject({ attempts: 1, claims: 2 });
    expect(on.task('6')).toMatchObject({ reason: containing('promised.md') });
    expect(on.task('7')).toMatchObject({ result: { files: ['kept.md'] } });
    expect(on.task('8')).toMatchObject({ reason: containing('not installed'), attempts: 1 });
    expect(on.task('9')).toMatchObject({ reason: containing('imed out after') });
    expect(on.task('10')).toMatchObject({ attempts: 2, claims: 2, reason: containing('exit 7') });
    const ends = [...on.handle.store.board.log.history()].flatMap(({ event, outcome }) =>
      outcome.ok && (event.type === 'task.completed' || event.type === 'task.failed') ? [event] : [],
    );
    for (const { task, epoch, result } of ends) {
      const text = readFileSync(on.paths.result(task, epoch), 'utf8');
      expect(hashText(text), `task ${task}`).toBe(result?.hash);
    }
    expect(readFileSync(on.paths.result('1', 1), 'utf8')).toContain('said');
    expect(readFileSync(on.paths.result('1'), 'utf8')).toContain('said');
    expect(readdirSync(on.paths.mail)).toEqual([]);
  });

  it('children get the documented environment and no secret', async () => {
    vi.stubEnv('FAKE_API_KEY', 'canary-1234');
    vi.stubEnv('ANTHROPIC_API_KEY', 'canary-5678');
    vi.stubEnv('LET_THROUGH', 'passed');
    const tasks = [
      {
        subject: 'Look',
        work: {
          run: 'env > seen.txt; cat "$TEAMS_TASK_FILE" > task.json; cat "$TEAMS_MAIL_FILE" > mail.jsonl',
          env: { OWN: 'of the task' },
        },
      },
    ];
    const planDir = tempDir();
    const on = await team({ members: ['ada'], tasks, envPass: ['LET_THROUGH'], planDir });
    await on.handle.send('ada', 'Mind the step.');
    await run(on);
    const seen = new Map(
      lines(join(on.root, 'seen.txt')).map((line): [string, string] => [
        line.slice(0, line.indexOf('=')),
        line.slice(line.indexOf('=') + 1),
      ]),
    );
    expect(Object.fromEntries(seen)).toMatchObject({
      TEAMS_ROOT: on.root,
      TEAMS_TEAM: 'crew',
      TEAMS_MEMBER: 'ada',
      TEAMS_ROLE: 'executor',
      TEAMS_TASK_ID: '1',
      TEAMS_PLAN_DIR: planDir,
      OWN: 'of the task',
      LET_THROUGH: 'passed',
    });
    expect(seen.get('TEAMS_TOKEN')).toMatch(/^[\w-]{43}$/);
    expect(seen.get('PATH')?.split(':')[0]).toMatch(/\/bin$/);
    const allowed =
      /^(TEAMS_VOUCHED|PATH|HOME|USER|SHELL|LANG|LC_.*|TERM|TMPDIR|TZ|CI|NO_COLOR|LET_THROUGH|OWN|TEAMS_(ROOT|TEAM|MEMBER|ROLE|TOKEN|TASK_ID|TASK_FILE|MAIL_FILE|PLAN_DIR|RUN|MARK)|PWD|OLDPWD|SHLVL|_)$/;
    expect([...seen.keys()].filter((key) => !allowed.test(key))).toEqual([]);
    expect(JSON.parse(readFileSync(join(on.root, 'task.json'), 'utf8'))).toMatchObject({ id: '1', subject: 'Look' });
    expect(JSON.parse(lines(join(on.root, 'mail.jsonl'))[0] ?? '')).toMatchObject({
      sender: 'lead',
      content: 'Mind the step.',
    });
    const files = readdirSync(on.root, { recursive: true, encoding: 'utf8' }).map((file) => join(on.root, file));
    const texts = files
      .filter((file) => !existsSync(join(file, '.')))
      .map((file) => [file, readFileSync(file, 'utf8')]);
    expect(texts.filter(([, text]) => text?.includes('canary-')).map(([file]) => file)).toEqual([]);
    expect(
      texts.filter(
        ([file, text]) => file !== join(on.root, 'seen.txt') && text?.includes(seen.get('TEAMS_TOKEN') ?? '?'),
      ),
    ).toEqual([]);
  });

  it('a process answers a status check in the middle of a task', async () => {
    const tasks = [{ subject: 'Wait', work: { run: 'until test -e go; do sleep 0.02; done' } }];
    const on = await team({ members: ['ada'], tasks });
    const session = await lead(on);
    await session.start(session.startable());
    const loop = session.run();
    await on.until('the task runs', (board) => board.busy.size === 1);
    await on.handle.send('ada', 'STATUS CHECK: Report progress on task #1.', { kind: 'status_check', task_id: '1' });
    await on.until('the answer', () => on.events('message.received').some((event) => event['kind'] === 'status'));
    expect(on.events('message.received').find((event) => event['kind'] === 'status')?.text).toContain(
      'task #1 in progress',
    );
    expect(on.task('1').status).toBe('in_progress');
    writeFileSync(join(on.root, 'go'), '');
    expect(await loop).toEqual({ why: 'finished' });
    await session.shutDown();
  });

  it('a member is quarantined after exactly three failed tasks in a row, and its tasks go to others', async () => {
    const failing = Array.from({ length: 8 }, (_, index) => ({
      subject: `Fails for ada ${index}`,
      owner: name('ada'),
    }));
    // A command of the task is never the member's fault; its agent's is.
    const agent = { kind: 'exec' as const, command: ['/bin/sh', '-c', 'test "$TEAMS_MEMBER" != ada'] };
    const members = [
      { name: 'ada', agent },
      { name: 'bob', agent },
    ];
    const on = await team({ members, tasks: failing });
    expect(await run(on)).toBe('finished');
    const all = [...on.board().tasks.values()];
    expect(all.filter((task) => task.status === 'failed')).toHaveLength(3);
    expect(all.filter((task) => task.status === 'completed' && task.by.member === 'bob')).toHaveLength(5);
    expect(
      on
        .events('lead.decided')
        .filter((event) => event['act'] === 'quarantine')
        .map(({ member }) => member),
    ).toEqual(['ada']);
    expect(on.events('member.exited').find(({ member }) => member === 'ada')?.text).toBe('exit 0');
  });
});

describe('stopping', () => {
  it('a team stays open while a member refuses to stop, until it is forced', async () => {
    const stubborn = refusing('I am not done.');
    const on = await team({ members: [{ name: 'ada', agent: stubborn }, 'bob'] });
    const session = await lead(on, { endsWhenDone: false });
    await session.start(session.startable());
    const error = await session.shutDown().catch((caught: unknown) => caught);
    expect(codeOf(error)).toBe('STILL_RUNNING');
    expect(String(error)).toContain('ada refuses to stop (I am not done.)');
    expect(on.board().phase).toBe('open');
    expect(await session.shutDown({ force: true })).toContain('ada');
    expect(living(on.marks())).toEqual([]);
  });

  it('stopping ends processes that ignore SIGTERM, also in their own session', async () => {
    allowLeft();
    const tasks = [
      {
        subject: 'Deaf',
        work: { run: 'trap "" TERM; setsid sh -c \'trap "" TERM; sleep 60\' & while :; do sleep 0.05; done' },
      },
    ];
    const on = await team({ members: ['ada'], tasks });
    const session = await lead(on, { shutdownTimeoutMs: 200 });
    await session.start(session.startable());
    const loop = session.run();
    await on.until('the task runs', (board) => board.busy.size === 1);
    await vi.waitUntil(() => living(on.marks()).length >= 4, { timeout: 5_000, interval: 10 });
    session.halt();
    await loop;
    await session.shutDown();
    expect(living(on.marks())).toEqual([]);
  }, 20_000);

  it('a worker without a lead works on until the team closes', async () => {
    const on = await team({ members: ['ada'], tasks: [{ subject: 'Alone', work: { run: 'echo done' } }] });
    const worker = await workerProcess(on, 'ada');
    await on.until('its task', isDone);
    on.handle.store.board.appendNow(PERSON, () => ({ type: 'team.closing' }));
    expect(await worker.ended).toMatchObject({ code: 0, said: { kind: 'ended' } });
  });

  it('one process can be a member at a time, and the second learns which one it is', async () => {
    const on = await team({ members: ['ada'] });
    const [first, second] = await Promise.all([workerProcess(on, 'ada'), workerProcess(on, 'ada')]);
    const [winner, loser] = first.said()?.kind === 'ready' ? [first, second] : [second, first];
    expect(await loser.ended).toMatchObject({
      code: 3,
      said: { kind: 'failed', code: 'MEMBER_ALIVE', text: containing(`pid ${winner.pid}`) },
    });
    winner.child.kill('SIGTERM');
    expect(await winner.ended).toMatchObject({ code: 0 });
  });

  it('the lead sees a killed worker that a person started again', async () => {
    allowLeft();
    const tasks = [
      { subject: 'One', work: { run: 'until test -e go; do sleep 0.02; done' } },
      { subject: 'Two', work: { run: 'true' } },
    ];
    const on = await team({ members: [{ name: 'ada', agent: { kind: 'exec' as const } }], tasks });
    const first = await workerProcess(on, 'ada');
    const session = await lead(on, { endsWhenDone: false });
    const loop = session.run();
    await on.until('the task runs', (board) => board.busy.size === 1);
    first.child.kill('SIGKILL');
    await on.until('it is taken back', () => on.task('1').lost === 1);
    writeFileSync(join(on.root, 'go'), '');
    const second = await workerProcess(on, 'ada');
    expect(second.said()).toEqual({ kind: 'ready' });
    await on.until('its tasks', isDone);
    expect(on.task('1')).toMatchObject({ status: 'completed', lost: 1 });
    session.halt();
    await loop;
    await session.shutDown();
    expect(await second.ended).toMatchObject({ code: 0 });
    await untilGone(on.marks());
  });
});
