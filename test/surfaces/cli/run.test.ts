/** `run`, `resume`, `wait`, `cancel`: a plan from its file to an exit code, with interruptions. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { BIN, failureSchema, until, Workplace } from '../../support/cli.ts';
import { allowLeft } from '../../support/leftovers.ts';
import { running } from '../../support/processes.ts';

const MEMBERS = 'members: [{name: ada, agent: {kind: exec}}]';
const plan = (name: string, ...tasks: string[]): string =>
  [`name: ${name}`, MEMBERS, 'tasks:', ...tasks.map((task) => `  - ${task}`), ''].join('\n');

const QUICK = plan('quick', '{subject: One, run: echo one}', '{subject: Two, run: echo two, blockedBy: [One]}');
const CASCADE = `name: cascade
cascade: true
members:
  - {name: ada, agent: {kind: exec}}
  - {name: tim, role: test-engineer, agent: {kind: exec, command: 'cat >"$TEAMS_MEMBER.txt"'}}
tasks:
  - {subject: Implement the API, owner: ada, run: echo built}
`;
/** A member that works on tasks in words. */
const WORDS = `name: words
members: [{name: ada, agent: {kind: exec, command: 'cat >"$TEAMS_MEMBER.txt"'}}]
tasks: [{subject: Build it, run: echo built}]
`;
const RED = plan('red', '{subject: Break, run: exit 7}', '{subject: After, run: echo after, blockedBy: [Break]}');
const SLOW = plan('slow', '{subject: Sleep, run: sleep 45.5}');

/** A short shutdown time-out: the sleeps in these plans never end by themselves. */
const HURRY = { TEAMS_SHUTDOWN_TIMEOUT_MS: '100' };

const reportSchema = z.looseObject({
  schemaVersion: z.literal(2),
  team: z.string(),
  outcome: z.string(),
  durationMs: z.number(),
  members: z.array(z.looseObject({ name: z.string() })),
  tasks: z.array(z.looseObject({ id: z.string(), status: z.string() })),
  gates: z.looseObject({}),
});
const pidSchema = z.object({ schemaVersion: z.literal(2), team: z.string(), pid: z.number().int().positive() });

const archived = ({ root }: Workplace): string[] => {
  const shelf = join(root, '.teams', '.archive');
  return existsSync(shelf) ? readdirSync(shelf).sort() : [];
};

/** Processes that work below a root. */
const workIn = ({ root }: Workplace) =>
  running().filter(
    ({ pid, cwd, command }) => pid !== process.pid && (cwd?.startsWith(root) === true || command.includes(root)),
  );

const asleep = (place: Workplace) => () => workIn(place).some(({ command }) => command === 'sleep 45.5');

describe('run', () => {
  it('run carries out a plan and reports, exit 0', async () => {
    const place = new Workplace();
    place.put('plan.yaml', QUICK);
    const { code, out, err } = await place.teams('run', 'plan.yaml');
    expect(code).toBe(0);
    expect(out).toMatch(/^TEAM COMPLETE\n/);
    expect(out.trimEnd().split('\n').at(-1)).toBe(join(place.root, '.teams', 'quick'));
    expect(err).toMatch(/\[\w+\] completed #1 /);
    const report = reportSchema.parse(JSON.parse((await place.teams('run', 'plan.yaml', '--json', '--quiet')).out));
    expect(report.tasks.map(({ status }) => status)).toEqual(['completed', 'completed']);
    expect(archived(place)).toHaveLength(1);
  });

  it('run creates no team for an agent that cannot work here, and says what is missing', async () => {
    const place = new Workplace();
    place.put(
      'plan.yaml',
      QUICK.replace('kind: exec', 'kind: acp, command: [no-such-agent]').replaceAll('run:', 'prompt:'),
    );
    const { code, err } = await place.teams('run', 'plan.yaml');
    expect(code).toBe(5);
    expect(err).toBe(
      'teams: The agent of ada cannot work here: no program no-such-agent on PATH; `teams doctor` says what to do.\n',
    );
    expect(existsSync(join(place.root, '.teams'))).toBe(false);
  });

  it('run exits 1 if a required task fails, and names the task', async () => {
    const place = new Workplace();
    place.put('plan.yaml', RED);
    const { code, out } = await place.teams('run', 'plan.yaml', '--fail-fast', '--json', '--quiet');
    expect(code).toBe(1);
    expect(reportSchema.parse(JSON.parse(out)).tasks.map(({ status }) => status)).toContain('failed');
    expect((await place.teams('wait', 'red')).code).toBe(1);
  });

  it('run with a cascade adds tests and a review, and starts the missing members', async () => {
    const place = new Workplace();
    place.put('plan.yaml', CASCADE);
    const { code, out } = await place.teams('run', 'plan.yaml', '--agent', 'exec:cat', '--quiet');
    expect(code).toBe(0);
    expect(out).toContain('[DONE] #2: Write tests for the API (tim, ');
    expect(out).toContain('[cascade: test for #1]');
    expect(out).toContain('[DONE] #3: Review the API and tests (worker-1, ');
    expect(out).toContain('  Created: 2 follow-up tasks | Completed: 2 | Failed: 0');
    expect(readFileSync(join(place.root, 'tim.txt'), 'utf8')).toContain('Follows task #1: Implement the API');
    // A reviewer writes no files.
    const review = readFileSync(join(place.root, '.teams', 'cascade', 'results', '3.md'), 'utf8');
    expect(review).toContain('What tim says of it:');
    const config = readFileSync(join(place.root, '.teams', 'cascade', 'config.json'), 'utf8');
    expect(config).toMatch(/"prompt": "You are the quality reviewer/);
  });

  it('run says what a follow-up needs if no member may do it', async () => {
    const place = new Workplace();
    place.put('plan.yaml', CASCADE.replace('role: test-engineer', 'role: code-reviewer'));
    const { code, out } = await place.teams('run', 'plan.yaml', '--quiet');
    expect(code).toBe(1);
    expect(out).toContain('task #2 needs the role test-engineer, which no member has');
  });

  it('run has the finished work verified, fixes the findings, and verifies again', async () => {
    const place = new Workplace();
    place.put('plan.yaml', WORDS);
    const judge = 'exec:if test -e ada.txt; then echo PASS; echo well done; else echo FAIL; echo "- no tests"; fi';
    const { code, out } = await place.teams('run', 'plan.yaml', '--quiet', '--reviewer', judge);
    expect(code).toBe(0);
    expect(out).toContain('[DONE] #2: [no-cascade] Fix: no tests (ada, ');
    expect(out).toContain('\nCross-CLI: pass\n');
    expect(out).toContain('  Verifier: exec | Result: PASS\n  Notes: "well done"\n');
  });

  it('run stops fixing what never passes, and says so', async () => {
    const place = new Workplace();
    place.put('plan.yaml', WORDS);
    const argv = ['run', 'plan.yaml', '--quiet', '--json', '--reviewer', 'exec:cat; echo PASS?'];
    const { code, out } = await place.teams(...argv);
    expect(code).toBe(1);
    const report = reportSchema.parse(JSON.parse(out));
    expect(report.tasks).toHaveLength(4);
    expect(report.gates).toMatchObject({ crossVerify: 'fail' });
  });

  it('run has no verifier if only commands worked, and says so', async () => {
    const place = new Workplace();
    place.put('plan.yaml', `${QUICK}gates: {crossVerify: true}\n`);
    const { code, out } = await place.teams('run', 'plan.yaml', '--quiet');
    expect(code).toBe(0);
    expect(out).toContain('crossVerify skipped: no work is of a vendor that another vendor could verify');
  });

  it('run counts a skipped gate as a failed one with --strict', async () => {
    const place = new Workplace();
    place.put('plan.yaml', `${QUICK}gates: {build: true}\n`);
    expect((await place.teams('run', 'plan.yaml', '--quiet')).code).toBe(0);
    expect((await place.teams('run', 'plan.yaml', '--quiet', '--strict')).code).toBe(1);
  });

  it('run starts nothing with --dry-run', async () => {
    const place = new Workplace();
    place.put('plan.yaml', QUICK);
    const { code, out } = await place.teams('run', 'plan.yaml', '--dry-run', '--name', 'other');
    expect({ code, head: out.split('\n')[0] }).toEqual({ code: 0, head: 'Plan other (forge): 1 member, 2 tasks' });
    expect((await place.teams('validate', 'plan.yaml')).out.split('\n')[0]).toBe(
      'Plan quick (forge): 1 member, 2 tasks',
    );
    expect(existsSync(join(place.root, '.teams'))).toBe(false);
  });

  it('run reads a plan from stdin, fills in values, and gives it an agent', async () => {
    const place = new Workplace();
    const text = 'members: [{name: ada}]\ntasks: [{subject: "Say {{word}}", run: "echo {{word}}"}]\n';
    const argv = ['run', '-', '--var', 'word=hello', '--agent', 'exec', '--name', 'stdin', '--json', '--quiet'];
    const { code, out } = await place.say(argv, { stdin: text });
    expect(code).toBe(0);
    expect(reportSchema.parse(JSON.parse(out))).toMatchObject({ team: 'stdin', tasks: [{ subject: 'Say hello' }] });
  });

  it('a plan from stdin that is not UTF-8 is refused: its commands would be others', async () => {
    const { code, out } = await new Workplace().shell(
      `printf 'tasks: [{run: cat \\344.txt}]' | ${BIN} validate - --json`,
    );
    expect(code).toBe(2);
    const message = '-:1:19: This is not UTF-8; save it as UTF-8.';
    expect(JSON.parse(out)).toMatchObject({ error: { code: 'PLAN_INVALID', message } });
  });

  it('run keeps its folders out of git, and says so once', async () => {
    const place = new Workplace();
    await place.shell('git init -q .');
    place.put('plan.yaml', QUICK);
    expect((await place.teams('run', 'plan.yaml')).err).toContain('git ignores the folders of teams from now on');
    expect((await place.teams('run', 'plan.yaml')).err).not.toContain('exclude');
    expect((await place.shell('git status --porcelain')).out).not.toMatch(/\.te?a[ms]/);
  });

  it.each([
    ['a task text', ['run', 'make it fast'], 5, 'AGENT_UNAVAILABLE'],
    ['a spec', ['run', '3:executor', 'make it fast'], 5, 'AGENT_UNAVAILABLE'],
    ['a member without an agent', ['run', 'bare.yaml'], 5, 'AGENT_UNAVAILABLE'],
    ['nothing', ['run'], 2, 'USAGE'],
    ['a file that does not exist', ['run', 'plan.yml'], 2, 'USAGE'],
    ['a directory', ['run', 'home'], 2, 'USAGE'],
    ['a damaged plan', ['run', 'bad.yaml'], 2, 'PLAN_INVALID'],
    ['a bad variable', ['run', 'plan.yaml', '--var', 'x'], 2, 'USAGE'],
    ['a bad time', ['run', 'plan.yaml', '--timeout', 'soon'], 2, 'USAGE'],
    ['a bad name', ['run', 'plan.yaml', '--name', '../x'], 2, 'BAD_NAME'],
    ['an unknown agent', ['run', 'plan.yaml', '--agent', 'exce'], 2, 'USAGE'],
    ['contradicting flags', ['run', 'plan.yaml', '--resume', '--fresh'], 2, 'USAGE'],
  ])('run refuses %s', async (_, argv, exitCode, errorCode) => {
    const place = new Workplace();
    place.put('plan.yaml', QUICK);
    place.put('bad.yaml', 'tasks: 3\nmember: []\n');
    place.put('bare.yaml', 'members: [{name: ada}]\ntasks: [{subject: Think}]\n');
    const { code, out } = await place.teams(...argv, '--json');
    expect({ code, error: failureSchema.parse(JSON.parse(out)).error.code }).toEqual({
      code: exitCode,
      error: errorCode,
    });
    expect(existsSync(join(place.root, '.teams'))).toBe(false);
  });

  it('run suggests the name of a mistyped file', async () => {
    const place = new Workplace();
    place.put('plans/plan.yaml', QUICK);
    expect((await place.teams('run', 'plans/plna.yaml')).err).toContain('did you mean "plans/plan.yaml"?');
  });
});

describe('a run that was stopped', () => {
  it('a run stopped by its time limit exits 124, and is resumed when it is run again', async () => {
    const place = new Workplace(HURRY);
    place.put('plan.yaml', plan('slow', '{subject: Sleep, run: "test -e woken || sleep 45.5"}'));
    const { code, err } = await place.teams('run', 'plan.yaml', '--timeout', '700ms');
    expect({ code, last: err.trimEnd().split('\n').at(-1) }).toEqual({ code: 124, last: 'teams resume slow' });
    expect(workIn(place)).toEqual([]);
    place.put('woken', '');
    const again = await place.teams('run', 'plan.yaml');
    expect(again).toMatchObject({ code: 0 });
    expect(again.err).toContain('Continuing the unfinished team slow.');
    expect(archived(place)).toEqual([]);
  });

  it('a stopped run is not mixed with another plan of its name, and the error names it', async () => {
    const place = new Workplace(HURRY);
    place.put('plan.yaml', SLOW);
    await place.teams('run', 'plan.yaml', '--timeout', '500ms', '--quiet');
    place.put('other.yaml', QUICK);
    expect((await place.teams('run', 'other.yaml')).err).toContain('Team slow is unfinished and has no lead');
    expect((await place.teams('wait', 'slow')).code).toBe(3);
    place.put('plan.yaml', plan('slow', '{subject: Changed, run: echo changed}'));
    const changed = await place.teams('run', 'plan.yaml', '--json');
    const { error } = failureSchema.parse(JSON.parse(changed.out));
    expect({ code: changed.code, error: error.code }).toEqual({ code: 3, error: 'TEAM_EXISTS' });
    expect(error.message).toMatch(/--resume.*--fresh/);
    expect((await place.teams('run', 'plan.yaml', '--resume', '--timeout', '500ms', '--quiet')).code).toBe(124);
    expect((await place.teams('run', 'plan.yaml', '--fresh', '--quiet')).code).toBe(0);
    expect(archived(place)).toHaveLength(1);
  });

  it.each([
    ['half', 'truncate -s 20 plan.json'],
    ['empty', 'truncate -s 0 plan.json'],
    ['a folder', 'rm plan.json && mkdir plan.json'],
    ['a link', 'ln -sf /dev/zero plan.json'],
  ])('--fresh does what it says where the plan of the team before is %s', async (_, damage) => {
    const place = new Workplace(HURRY);
    place.put('plan.yaml', SLOW);
    await place.teams('run', 'plan.yaml', '--timeout', '500ms', '--quiet');
    execFileSync('sh', ['-c', damage], { cwd: join(place.root, '.teams/slow') });
    place.put('plan.yaml', plan('slow', '{subject: One, run: echo one}'));
    const { code, err } = await place.teams('run', 'plan.yaml', '--quiet');
    expect([code, err]).toEqual([4, expect.stringContaining('plan.json')]);
    expect(await place.teams('run', 'plan.yaml', '--fresh', '--quiet')).toMatchObject({ code: 0, err: '' });
    expect(archived(place)).toHaveLength(1);
  });

  it('a stopped run can be cancelled, and then there is nothing to resume', async () => {
    const place = new Workplace(HURRY);
    place.put(
      'plan.yaml',
      plan('slow', '{subject: One, run: echo one}', '{subject: Sleep, run: sleep 45.5, blockedBy: [One]}'),
    );
    await place.teams('run', 'plan.yaml', '--timeout', '1s', '--quiet');
    const { code, out } = await place.teams('cancel', 'slow');
    expect(code).toBe(0);
    // How far the run came in its second is up to the machine.
    expect(out).toMatch(
      /^Team slow cancelled\. 0 workers stopped\. [01]\/2 tasks were completed before cancellation\.\n$/,
    );
    const resumed = await place.teams('resume', 'slow');
    expect([resumed.code, resumed.err]).toEqual([4, 'teams: Team slow was cancelled; it cannot be resumed.\n']);
    const again = await place.teams('cancel', 'slow');
    expect([again.code, again.out]).toEqual([0, 'Nothing to cancel: team slow has ended (cancelled).\n']);
    expect((await place.teams('status', 'slow')).code).toBe(0);
  });

  it('run does not touch a team of that name that a person created', async () => {
    const place = new Workplace();
    await place.teams('create', 'quick');
    place.put('plan.yaml', QUICK);
    expect((await place.teams('run', 'plan.yaml')).code).toBe(3);
    expect((await place.teams('run', 'plan.yaml', '--name', 'quicker', '--quiet')).code).toBe(0);
  });
});

describe('a run in the background', () => {
  it('a run in the background is led by the printed pid, refuses a second lead, and can be waited for', async () => {
    const place = new Workplace(HURRY);
    place.put('plan.yaml', plan('slow', '{subject: Wait, run: "until test -e woken; do sleep 0.02; done"}'));
    const { team, pid } = await place.json(pidSchema, 'run', 'plan.yaml', '--detach');
    onTestFinished(() => void place.teams('cancel', team, '--force'));
    expect(await place.json(z.looseObject({ lead: z.looseObject({ pid: z.number() }) }), 'status')).toMatchObject({
      lead: { pid },
    });
    const second = await place.teams('run', 'plan.yaml', '--json');
    const { error } = failureSchema.parse(JSON.parse(second.out));
    expect({ code: second.code, error: error.code }).toEqual({ code: 3, error: 'LEAD_ALIVE' });
    expect(error.message).toContain(`pid ${pid} since`);
    expect((await place.teams('wait', team, '--timeout', '50ms')).code).toBe(124);
    const waiting = place.teams('wait', team);
    place.put('woken', '');
    expect(await waiting).toMatchObject({ code: 0 });
    await until(() => workIn(place).length === 0, 'the lead ends');
    expect(readFileSync(join(place.root, '.teams/slow/logs/lead.log'), 'utf8')).toContain('TEAM COMPLETE');
  });

  it('a run in the background can be taken over', async () => {
    const place = new Workplace(HURRY);
    place.put('plan.yaml', plan('slow', '{subject: Wait, run: "until test -e woken; do sleep 0.02; done"}'));
    const { pid } = await place.json(pidSchema, 'run', 'plan.yaml', '--detach');
    place.put('woken', '');
    expect((await place.teams('run', 'plan.yaml', '--takeover', '--quiet')).code).toBe(0);
    expect(running().some((one) => one.pid === pid)).toBe(false);
  });

  it('a run in the background can be cancelled from outside', async () => {
    const place = new Workplace(HURRY);
    place.put('plan.yaml', SLOW);
    await place.json(pidSchema, 'run', 'plan.yaml', '--detach');
    await until(asleep(place), 'the plan sleeps');
    expect((await place.teams('cancel', '--force')).out).toBe('Team slow force-cancelled.\n');
    await until(() => workIn(place).length === 0, 'everything ends');
  });
});

describe('signals', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('%s ends a run in order: no process is left, it can be resumed, exit %i', async (signal, exitCode) => {
    const place = new Workplace(HURRY);
    place.put('plan.yaml', SLOW);
    const { child, ended } = place.start('run', 'plan.yaml');
    await until(asleep(place), 'the plan sleeps');
    child.kill(signal);
    const { code, out, err } = await ended;
    expect(code).toBe(exitCode);
    expect(out).toMatch(/^TEAM INTERRUPTED: \d of \d tasks? done\n/);
    expect(err.trimEnd().split('\n').at(-1)).toBe('teams resume slow');
    expect(workIn(place)).toEqual([]);
    expect((await place.teams('resume', 'slow', '--timeout', '300ms', '--quiet')).code).toBe(124);
  });

  it.each([[[]], [['--quiet']]])('a second signal ends a run at once, and the first says so %j', async (flags) => {
    allowLeft(/ada\.lock$/); // The lease of a process that was killed.
    const place = new Workplace({ TEAMS_SHUTDOWN_TIMEOUT_MS: '60000' });
    place.put('plan.yaml', SLOW);
    const { child, ended } = place.start('run', 'plan.yaml', ...flags);
    await until(asleep(place), 'the plan sleeps');
    child.kill('SIGINT');
    await until(
      () => readFileSync(join(place.root, '.teams/slow/state.json'), 'utf8').includes('"phase": "shutdown"'),
      'it shuts down',
    );
    // Two signals within a moment are one key press, from the terminal and from a parent.
    await new Promise((done) => setTimeout(done, 150));
    child.kill('SIGINT');
    const { code, err } = await ended;
    expect(err).toContain('Finishing 1 task, at most 1m00s; Ctrl-C again stops at once.\n');
    expect({ code, last: err.trimEnd().split('\n').at(-1) }).toEqual({ code: 130, last: 'teams resume slow' });
    expect(workIn(place)).toEqual([]);
  });

  it('SIGKILL leaves no process of a gate, and the resume ends what the lead and its reaper left', async () => {
    allowLeft(); // The lease of a lead that was killed.
    const place = new Workplace(HURRY);
    place.put(
      'plan.yaml',
      `${QUICK}gates: {test: "if test -e go; then true; else setsid sleep 45.5 & sleep 45.5; fi"}\n`,
    );
    for (const victims of [/teams\.js run/, /teams\.js resume|reaper\.cjs/]) {
      const { ended } = place.start(...(victims.test('teams.js run') ? ['run', 'plan.yaml'] : ['resume', 'quick']));
      await until(asleep(place), 'the gate runs');
      const lead = workIn(place).find(({ command }) => /teams\.js r/.test(command));
      const pids = [lead, ...running().filter(({ parent }) => parent === lead?.pid)]
        .filter((one) => one !== undefined && victims.test(one.command))
        .map((one) => one?.pid ?? 0);
      // Stopped first: neither may act on the other's death before its own.
      for (const signal of ['SIGSTOP', 'SIGKILL'] as const) for (const pid of pids) process.kill(pid, signal);
      await ended;
      if (pids.length === 1) await until(() => !asleep(place)(), 'the gate is gone');
    }
    expect(asleep(place)()).toBe(true);
    place.put('go', '');
    expect((await place.teams('resume', 'quick', '--quiet')).code).toBe(0);
    expect(asleep(place)()).toBe(false);
  });
});

it('a run beside another one in the same directory is warned of', async () => {
  const place = new Workplace();
  place.put(
    'slow.yaml',
    'name: slow\nmembers: [{name: ada}]\ntasks: [{subject: Wait, run: "touch began; sleep 47.5"}]\n',
  );
  place.put('plan.yaml', QUICK);
  const { child, ended } = place.start('run', 'slow.yaml', '--agent', 'exec');
  await until(() => existsSync(join(place.root, 'began')), 'the other run works');
  const warning = `teams: Team slow (led by pid ${child.pid}) works in this directory, too: both may change the same files.\n`;
  expect((await place.teams('run', 'plan.yaml')).err).toContain(warning);
  child.kill('SIGTERM');
  expect((await ended).err).not.toContain('works in this directory');
  // A damaged team beside it does not hold it up.
  for (const file of ['config.json', 'state.json']) place.put(`.teams/slow/${file}`, '{');
  const { code, err } = await place.teams('run', 'plan.yaml', '--fresh');
  expect(code, err).toBe(0);
  expect(err).not.toContain('works in this directory');
});
