/** The board on the command line, used by a person without a runner and by a program that has one. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { memberToolContext } from '../../../src/runtime/tools/member-tool-context.ts';
import { openHandle } from '../../../src/runtime/team/team-handle.ts';
import { useTool } from '../../../src/runtime/tools/toolbox.ts';
import { failureSchema, Workplace } from '../../support/cli.ts';
import { asMember } from '../../support/member.ts';

const fieldsSchema = z.looseObject({ id: z.string(), status: z.string(), subject: z.string() });
const taskSchema = z.strictObject({ schemaVersion: z.literal(2), task: fieldsSchema });
const tasksSchema = z.strictObject({ schemaVersion: z.literal(2), tasks: z.array(fieldsSchema) });
const verdictSchema = z.strictObject({
  schemaVersion: z.literal(2),
  task: fieldsSchema,
  verdict: z.looseObject({ result: z.string() }),
});

let place: Workplace;
const task = async (...argv: string[]) => (await place.json(taskSchema, 'task', ...argv)).task;
const refusal = async (...argv: string[]): Promise<[number, string]> => {
  const { code, out } = await place.teams('task', ...argv, '--json');
  return [code, failureSchema.parse(JSON.parse(out)).error.code];
};

beforeEach(async () => {
  place = new Workplace();
  await place.teams('create', 'login', '--member', 'ada:explorer', '--member', 'bob');
});

describe('texts that are too long, or empty', () => {
  it.each([
    [['update', 'login', '1', '--subject', ''], 'Expected "subject" not to be empty.'],
    [['update', 'login', '1', '--subject', 'x'.repeat(1_001)], 'Expected "subject" to have at most 1000 characters.'],
    [
      ['update', 'login', '1', '--active-form', 'x'.repeat(1_001)],
      'Expected "activeForm" to have at most 1000 characters.',
    ],
    [['skip', 'login', '1', '--why', 'x'.repeat(4_097)], 'Expected "why" to have at most 4096 characters.'],
    [['retry', 'login', '1', '--note', 'x'.repeat(4_097)], 'Expected "note" to have at most 4096 characters.'],
  ])('are refused before anything is written (case %#)', async (argv, message) => {
    await task('create', 'login', 'First');
    const log = join(place.root, '.tasks/login/log.jsonl');
    const before = readFileSync(log, 'utf8');
    const { code, out } = await place.teams('task', ...argv, '--json');
    expect([code, failureSchema.parse(JSON.parse(out)).error]).toMatchObject([2, { code: 'USAGE', message }]);
    expect(readFileSync(log, 'utf8')).toBe(before);
  });
});

describe('task create', () => {
  it('task create takes every property of a task', async () => {
    await task('create', 'First');
    const [said, work] = [
      [
        '--subject',
        'Second',
        '--key',
        'second',
        '--description',
        'More.',
        '--active-form',
        'Going second',
        '--owner',
        'ada',
      ],
      [
        '--run',
        'npm test',
        '--verify',
        'true',
        '--file',
        'a.ts',
        '--env',
        'A=b=c',
        '--timeout',
        '5m',
        '--artifact',
        'out.md',
      ],
    ];
    const made = await task(
      'create',
      'login',
      ...said,
      ...work,
      '--blocked-by',
      'First',
      '--retries',
      '2',
      '--optional',
    );
    expect(made).toMatchObject({
      id: '2',
      subject: 'Second',
      key: 'second',
      description: 'More.',
      activeForm: 'Going second',
      owner: 'ada',
      work: {
        run: 'npm test',
        verify: ['true'],
        files: ['a.ts'],
        env: { A: 'b=c' },
        timeoutMs: 300_000,
        artifact: 'out.md',
      },
      blockedBy: ['1'],
      retries: 2,
      required: false,
      status: 'pending',
    });
  });

  it.each([
    ['no subject', [], 'USAGE'],
    ['an unknown blocker', ['x', '--blocked-by', '9'], 'UNKNOWN_TASK'],
    ['an unknown owner', ['x', '--owner', 'cy'], 'UNKNOWN_MEMBER'],
    ['an invalid role name', ['x', '--role', 'A b'], 'BAD_NAME'],
    ['a variable without a name', ['x', '--env', '=1'], 'USAGE'],
    ['an invalid duration', ['x', '--timeout', 'soon'], 'USAGE'],
    ['an invalid number', ['x', '--retries', '-1'], 'USAGE'],
  ])('task create refuses %s', async (_, argv, code) => {
    expect(await refusal('create', ...argv)).toEqual([2, code]);
    expect((await place.json(tasksSchema, 'task', 'list')).tasks).toEqual([]);
  });
});

describe('the board', () => {
  beforeEach(async () => {
    await task('create', 'Profile the route', '--owner', 'ada');
    await task('create', 'Fix the call', '--blocked-by', '1');
  });

  it('the board is listed, whole or in part', async () => {
    const ids = async (...argv: string[]) =>
      (await place.json(tasksSchema, 'task', 'list', ...argv)).tasks.map(({ id }) => id);
    expect(await ids('login')).toEqual(['1', '2']);
    expect(await ids('--owner', 'ada')).toEqual(['1']);
    expect(await ids('--status', 'failed')).toEqual([]);
    expect((await place.teams('task', 'list')).out).toMatch(
      /^#1 {2}pending {2}ada.*\n#2 {2}pending {2}- .*waits for #1\n$/,
    );
  });

  it('a task goes from claim to completion, and its dependant becomes ready', async () => {
    expect(await refusal('claim', '2', '--as', 'bob')).toEqual([3, 'NOT_READY']);
    expect(await task('claim', 'login', '--next', '--as', 'ada')).toMatchObject({ id: '1', status: 'in_progress' });
    expect(await refusal('claim', '1', '--as', 'bob')).toEqual([3, 'ALREADY_CLAIMED']);
    expect(await refusal('complete', '1', '--as', 'ada')).toEqual([2, 'USAGE']);
    const done = await task(
      'complete',
      '1',
      '--as',
      'ada',
      '--result',
      'p99 is 40 ms',
      '--file',
      'a.ts',
      '--exit-code',
      '0',
    );
    expect(done).toMatchObject({
      status: 'completed',
      result: { summary: 'p99 is 40 ms', files: ['a.ts'], exitCode: 0 },
    });
    expect(readFileSync(join(place.root, '.teams/login/results/1.1.md'), 'utf8')).toBe('p99 is 40 ms');
    expect(await task('claim', '2', '--as', 'bob')).toMatchObject({ status: 'in_progress' });
  });

  it('the board keeps the history of a task', async () => {
    await task('claim', '1', '--as', 'ada');
    const said = await place.say(['task', 'fail', '1', '--as', 'ada', '--reason', '-'], { stdin: 'The API\nis gone.' });
    expect(said.code).toBe(0);
    const { history } = z
      .looseObject({ history: z.array(z.looseObject({ type: z.string() })) })
      .parse(await task('get', 'login', '1'));
    expect(history.map(({ type }) => type)).toEqual(['task.created', 'task.claimed', 'task.failed']);
    expect((await place.teams('task', 'get', 'Profile the route')).out).toContain('  The API\n  is gone.\n');
  });

  it('a failed task can be retried or skipped', async () => {
    await task('claim', '1', '--as', 'ada');
    await task('fail', '1', '--as', 'ada', '--reason', 'no');
    expect(await task('retry', '1')).toMatchObject({ status: 'pending' });
    await task('claim', '1', '--as', 'ada');
    expect(await task('release', '1', '--as', 'ada', '--why', 'no key')).toMatchObject({ status: 'pending' });
    expect(await task('skip', '1', '--cascade', '--why', 'too late')).toMatchObject({ status: 'skipped' });
    expect((await place.json(tasksSchema, 'task', 'list')).tasks.map(({ status }) => status)).toEqual([
      'skipped',
      'skipped',
    ]);
    expect(await refusal('retry', '1')).toEqual([3, 'FINAL']);
  });

  it('a task can be unblocked', async () => {
    await task('create', 'Third', '--blocked-by', '1', '--blocked-by', '2');
    expect(await task('unblock', 'login', '3', '2')).toMatchObject({ blockedBy: ['1'] });
    expect(await task('unblock', '3')).toMatchObject({ blockedBy: [] });
    expect(await refusal('unblock', '3')).toEqual([2, 'BAD_REFERENCE']);
  });

  it('update changes subject, owner and edges, and refuses an empty change', async () => {
    const changed = await task('update', '2', '--subject', 'Fix it', '--owner', 'bob', '--unblock', '1');
    expect(changed).toMatchObject({ subject: 'Fix it', owner: 'bob', blockedBy: [] });
    expect(await task('update', '2', '--owner', 'nobody', '--block', '1')).not.toHaveProperty('owner');
    expect(await refusal('update', '1', '--block', '2')).toEqual([2, 'CYCLE']);
    expect(await refusal('update', '2')).toEqual([2, 'USAGE']);
  });

  it.each([
    ...['get', 'claim', 'release', 'retry', 'skip', 'unblock', 'approve', 'refuse', 'update'].map((verb) => [verb]),
    ['complete', '--result', 'x'],
    ['fail', '--reason', 'x'],
  ])('%s of an unknown task is refused', async (verb, ...argv) => {
    expect(await refusal(verb, 'login', '9', ...argv)).toEqual([2, 'UNKNOWN_TASK']);
  });
});

describe('what a verb and a tool have in common', () => {
  const call = { signal: new AbortController().signal, progress: () => {} };

  it.each([
    [['create', ''], 'TaskCreate', { subject: '', description: '' }],
    [['create', 'x', '--owner', 'A b'], 'TaskCreate', { subject: 'x', description: '', owner: 'A b' }],
    [['create', 'x', '--blocked-by', ''], 'TaskCreate', { subject: 'x', description: '', blockedBy: [''] }],
    [['create', 'x', '--blocked-by', '9'], 'TaskCreate', { subject: 'x', description: '', blockedBy: ['9'] }],
    [['update', '1'], 'TaskUpdate', { taskId: '1' }],
    [['update', '1', '--owner', 'cy'], 'TaskUpdate', { taskId: '1', owner: 'cy' }],
    [['update', '1', '--block', '2'], 'TaskUpdate', { taskId: '1', addBlockedBy: ['2'] }],
    [['update', '1', '--unblock', ''], 'TaskUpdate', { taskId: '1', removeBlockedBy: [''] }],
    [['claim', '2'], 'TaskUpdate', { taskId: '2', status: 'in_progress' }],
    [['complete', '1'], 'TaskUpdate', { taskId: '1', status: 'completed' }],
    [['fail', '2', '--reason', 'x'], 'TaskUpdate', { taskId: '2', status: 'failed', result: 'x' }],
    [['release', '1'], 'TaskUpdate', { taskId: '1', status: 'pending' }],
  ])('verb and tool share one definition and one refusal: task %j', async (argv, tool, input) => {
    await task('create', 'First');
    await task('create', 'Second', '--blocked-by', '1');
    const { out } = await place.teams('task', ...argv, '--as', 'ada', '--json');
    const { error } = failureSchema.parse(JSON.parse(out));
    await using ada = openHandle('login', { root: place.root, environment: {}, as: 'ada' });
    const answer = await useTool(memberToolContext(ada), tool, input, call);
    expect(answer).toEqual({ ok: false, why: `${error.code}: ${error.message}` });
    expect((await place.json(tasksSchema, 'task', 'list')).tasks).toHaveLength(2);
  });
});

describe('the end of a task without a runner', () => {
  const done = ['complete', '1', '--result', 'it is done', '--as', 'ada'];

  it('a completion without a runner runs the verify commands of the task', async () => {
    await task('create', 'Prove it', '--owner', 'ada', '--verify', 'test -e proof');
    await task('claim', '1', '--as', 'ada');
    const { code, out } = await place.teams('task', ...done);
    expect([code, out]).toEqual([1, '#1  not done: test -e proof: exit 1\n']);
    expect((await task('get', '1')).status).toBe('in_progress');
    place.put('proof', '');
    expect((await task(...done)).status).toBe('completed');
  });

  it("a completion without a runner is judged by the user's hook", async () => {
    const judge = {
      onTaskCompleted: 'grep -q "it is done" && test -e seen || { touch seen; echo look again; exit 2; }',
    };
    place.put('home/config/teams/config.yaml', JSON.stringify({ hooks: judge }));
    await task('create', 'Prove it', '--owner', 'ada');
    await task('claim', '1', '--as', 'ada');
    const { code, out } = await place.teams('task', ...done);
    expect([code, out]).toEqual([1, '#1  not done: onTaskCompleted: the hook refuses it\nlook again\n']);
    expect((await task(...done)).status).toBe('completed');
    expect((await place.teams('log', 'login', '--json')).out).toContain('"type":"hook.refused"');
  });

  it('a completion is refused in the words of the tool', async () => {
    await task('create', 'Prove it', '--owner', 'ada');
    expect(await refusal(...done)).toEqual([3, 'STALE_CLAIM']);
    await task('claim', '1', '--as', 'ada');
    expect(await refusal('complete', '1', '--as', 'ada')).toEqual([2, 'USAGE']);
    expect(await refusal('complete', '1', '--result', 'x', '--as', 'bob')).toEqual([2, 'POLICY_DENIED']);
  });
});

describe('the approval of a plan', () => {
  const mailOf = async (member: string) => {
    const { messages } = await place.json(z.looseObject({ messages: z.array(z.looseObject({})) }), 'inbox', member);
    return messages;
  };

  beforeEach(async () => {
    await task('create', 'Fix the call', '--owner', 'ada');
    await task('claim', '1', '--as', 'ada');
    await place.teams('send', 'lead', 'I shall …', '--kind', 'plan_approval_request', '--as', 'ada');
  });

  it.each([
    ['approve', true],
    ['refuse', false],
  ])('the approval of a plan goes to the asker and closes the request: %s', async (verb, approve) => {
    const [asked] = await mailOf('lead');
    expect(await task(verb, 'login', '1', 'Keep the API.')).toMatchObject({ id: '1' });
    const answer = { type: 'plan_approval_response', request_id: asked?.['id'], task_id: '1', sender: 'lead' };
    expect(await mailOf('ada')).toMatchObject([
      { ...answer, data: { approve }, content: expect.stringContaining('Keep the API.') as string },
    ]);
    expect(await mailOf('lead')).toEqual([]);
    expect(await refusal(verb, '1')).toEqual([3, 'FINAL']);
  });

  it('a plan can be approved after the lead has read the request', async () => {
    await place.teams('take', 'lead');
    await task('approve', '1');
    expect(await mailOf('ada')).toHaveLength(1);
  });

  it('the request for approval ends with its claim', async () => {
    await task('release', '1', '--as', 'ada');
    expect(await mailOf('lead')).toEqual([]);
    expect(await refusal('approve', '1')).toEqual([3, 'FINAL']);
  });

  it('only the lead can approve a plan', async () => {
    expect(await refusal('approve', '1', '--as', 'bob')).toEqual([2, 'POLICY_DENIED']);
  });

  it('a plan without a request cannot be approved', async () => {
    await task('create', 'Another');
    expect(await refusal('approve', '2')).toEqual([3, 'REFUSED']);
  });
});

describe('a program that a teammate runs', () => {
  /** The process of ada as its children know it, with a claim on task 1. */
  async function asAda(...verify: string[]): Promise<Record<string, string>> {
    await task('create', 'Fix the call', ...verify.flatMap((command) => ['--verify', command]));
    return asMember(place, 'login', 'ada', '1');
  }

  const reports = async (): Promise<unknown[]> =>
    (await place.teams('log', '--json')).out
      .trim()
      .split('\n')
      .map((line) => z.looseObject({ type: z.string() }).parse(JSON.parse(line)))
      .filter(({ type }) => type === 'task.reported');

  it("a teammate's program reports completion, and its runner ends the task", async () => {
    const environment = await asAda('true');
    const { code, out } = await place.say(['task', 'complete', '1', '--result', 'Fixed.', '--json'], { environment });
    expect(code).toBe(0);
    expect(verdictSchema.parse(JSON.parse(out))).toMatchObject({
      task: { status: 'in_progress' },
      verdict: { result: 'passed' },
    });
    expect(await reports()).toMatchObject([
      { member: 'ada', task: '1', epoch: 1, outcome: 'completed', text: 'Fixed.' },
    ]);
  });

  it("a teammate's program learns which verification failed", async () => {
    const environment = await asAda('true', 'echo 3 tests are red; exit 4');
    const { code, out } = await place.say(['task', 'complete', '1'], { environment });
    expect(code).toBe(1);
    expect(out).toMatch(/^#1 {2}not done: .*exit 4.*\n3 tests are red\n$/);
    expect(await reports()).toMatchObject([{ outcome: 'unverified' }]);
  });

  it("a teammate's program reports a failure with its reason", async () => {
    const environment = await asAda('true');
    expect((await place.say(['task', 'fail', '1', '--reason', 'No key.'], { environment })).code).toBe(0);
    expect(await reports()).toMatchObject([{ outcome: 'failed', text: 'No key.' }]);
  });

  it('the runner accepts the report of its program', { timeout: 60_000 }, async () => {
    const member = (owner: string, run: string, verify = '[]') =>
      `  - {subject: For ${owner}, owner: ${owner}, required: false, verify: ${verify}, run: '${run}'}`;
    const plan = [
      'name: told',
      'members:',
      ...['ada', 'bob', 'cy'].map((one) => `  - {name: ${one}, agent: {kind: exec}}`),
      'tasks:',
      member('ada', 'echo printed; teams task complete $TEAMS_TASK_ID --result "p99 is 40 ms"'),
      member('bob', 'teams task fail $TEAMS_TASK_ID --reason "three tests are red"; exit 0'),
      member('cy', 'teams task complete $TEAMS_TASK_ID --result done; echo told $?', `['test -f missing']`),
    ];
    place.put('plan.yaml', plan.join('\n'));
    await place.teams('run', 'plan.yaml');
    const { tasks } = await place.json(tasksSchema, 'task', 'list', 'told');
    expect(tasks).toMatchObject([
      { status: 'completed', result: { summary: expect.stringMatching(/^printed\n[^]*\n\np99 is 40 ms$/) as string } },
      { status: 'failed', reason: 'three tests are red' },
      { status: 'failed', reason: expect.stringContaining('verify failed: test -f missing') as string },
    ]);
    expect((await place.teams('logs', 'told', 'cy')).out).toContain('told 1\n');
  });
});
