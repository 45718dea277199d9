/** `teams mcp` as hosts use it: a client over stdio leads a team through its whole life, or works in one. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { text as textOf } from 'node:stream/consumers';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { isWorkspaceTool, TOOL_NAMES } from '../../src/model/tool.ts';
import { BIN, until, Workplace } from '../support/cli.ts';
import { allowLeft } from '../support/leftovers.ts';
import { Host } from '../support/mcp-host.ts';
import { running } from '../support/processes.ts';

const AGENTS = `
agents:
  shell: { kind: exec, command: 'cat > "$TEAMS_MEMBER.txt"; echo made by $TEAMS_MEMBER' }
  slow: { kind: exec, command: 'echo begun > begun; setsid sleep 300 & wait' }
  talker:
    kind: scripted
    options:
      turns:
        - { match: begin, calls: [{ tool: SendMessage, input: { recipient: bob, content: 'ping bob' } }] }
        - { match: 'hello all', calls: [{ tool: SendMessage, input: { recipient: lead, content: 'ada heard all' } }] }
        - { answers: 'ada did it', repeat: true }
  answerer:
    kind: scripted
    options:
      turns:
        - { match: 'ping bob', calls: [{ tool: SendMessage, input: { type: broadcast, content: 'bob was pinged' } }, { tool: TeamDelete, input: { name: login } }] }
        - { answers: 'bob did it', repeat: true }
  attached: { kind: exec, command: '(cat frames; echo; sleep 2) | teams mcp > answers' }
  stubborn: { kind: scripted, options: { refusesShutdown: 'not yet', turns: [{ answers: 'done', repeat: true }] } }
`;

let place: Workplace;
beforeEach(() => {
  place = new Workplace();
  place.put('home/config/teams/config.yaml', AGENTS);
  place.put('home/config/teams/skills/greet.md', '---\ndescription: how to greet\n---\nSay hello.\n');
});

const clientInfo = { name: 'bare', version: '1' };
const callOf = (id: number, name: string, input: object) => ({
  ...{ jsonrpc: '2.0', id, method: 'tools/call' },
  params: { name, arguments: input },
});
const team_name = 'login';
const like = (pattern: RegExp): unknown => expect.stringMatching(pattern);
const lives = (): number =>
  running().filter(
    ({ pid, command, cwd }) => pid !== process.pid && (cwd ?? '').startsWith(place.root) && command !== '',
  ).length;

describe('a host that leads', () => {
  test('is offered every tool, each with what it does to the world', async () => {
    await using host = await Host.on(place);
    const { tools } = await host.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(TOOL_NAMES.filter((name) => !isWorkspaceTool(name)));
    const hints = Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations]));
    expect(hints['TaskList']).toMatchObject({ readOnlyHint: true, destructiveHint: false });
    expect(hints['TeamDelete']).toMatchObject({ readOnlyHint: false, destructiveHint: true });
  });

  test('takes a team through its life', async () => {
    await using host = await Host.on(place);
    expect(await host.call('TaskList')).toMatchObject({ isError: true, text: like(/^UNKNOWN_TEAM: /) });
    await host.say('TeamCreate', { team_name, description: 'the login page' });
    expect(await host.call('TeamCreate', { name: 'second' })).toMatchObject({
      isError: true,
      text: like(/^REFUSED: /),
    });

    const hire = (name: string, agent: string, more = {}) =>
      host.say('Task', { prompt: 'begin', team_name, name, agent, ...more });
    await Promise.all([hire('bob', 'answerer'), hire('cy', 'shell', { plan_approval: true }), hire('dan', 'stubborn')]);
    await hire('ada', 'talker', { subagent_type: 'explorer' });
    const again = await host.call('Task', { prompt: 'x', team_name, name: 'ada', agent: 'talker' });
    expect(again).toMatchObject({ isError: true, text: like(/^MEMBER_ALIVE: /) });

    // ada wrote to bob, bob to everybody; its TeamDelete was refused, or there were no team.
    const heard = await host.mail(/bob was pinged/);
    expect(heard).toMatch(/message from "bob", type "broadcast"/);
    await host.say('SendMessage', { type: 'broadcast', message: 'hello all' });
    await host.mail(/ada heard all/);

    await host.say('TaskCreate', { subject: 'Design', description: 'first', owner: 'ada' });
    await host.say('TaskCreate', { subject: 'Build', description: 'then', owner: 'cy', blockedBy: ['Design'] });
    const asked = await host.mail(/plan_approval_request/);
    await answer(host, asked, false, 'too short');
    await until(async () => /#2 \[failed\]/.test(await host.say('TaskList')), 'the refused plan failed its task');
    await host.say('TaskUpdate', { taskId: 'Build', status: 'pending' });
    await answer(host, await host.mail(/plan_approval_request/), true, 'go on');
    await until(async () => /#2 \[completed\]/.test(await host.say('TaskList')), 'the approved plan was carried out');
    expect(await host.say('TaskGet', { taskId: '2' })).toContain('made by cy');

    const tasks = await host.client.readResource({ uri: 'teams://login/tasks' });
    expect(JSON.stringify(tasks.contents)).toContain('Design');
    const refused = await host.call('TeamDelete', { name: team_name });
    expect(refused).toMatchObject({ isError: true, text: like(/^STILL_RUNNING: .*dan refuses to stop \(not yet\)/) });
    expect(await host.say('TaskList')).toContain('#1 [completed]');
    expect(await host.say('TeamDelete', { name: team_name, force: true })).toContain('2 of 2 tasks');
    expect(await host.say('TeamCreate', { name: team_name })).toContain('is there');
    await host.say('TeamDelete', { name: team_name });
  });

  test('sends out subagents, waits for them and stops them', async () => {
    await using host = await Host.on(place);
    expect(await host.say('Task', { prompt: 'hi', agent: 'shell' })).toContain('made by');
    const started = await host.say('Task', { prompt: 'hi', agent: 'slow', run_in_background: true });
    const task_id = /agent-\d+/.exec(started)?.[0];
    expect(await host.say('TaskOutput', { task_id })).toBe('agent-1 still works.');
    expect(await host.say('TaskStop', { task_id })).toBe('agent-1 was stopped.');
    expect(await host.call('TaskOutput', { task_id })).toMatchObject({ isError: true, text: like(/^UNKNOWN_TASK: /) });
  });

  test('takes no command from a model', async () => {
    await using host = await Host.on(place);
    for (const agent of ['exec:touch owned', '{"kind":"exec","command":"touch owned"}'])
      expect(await host.call('Task', { prompt: 'hi', agent })).toMatchObject({
        isError: true,
        text: like(/^USAGE: Unknown/),
      });
  });

  test('loads skills by name', async () => {
    await using host = await Host.on(place);
    expect(await host.say('Skill')).toBe('greet: how to greet');
    expect(await host.say('Skill', { name: 'greet' })).toContain('Say hello.');
  });
});

/** Answers the last plan that was asked about. */
async function answer(host: Host, mail: string, approve: boolean, content: string): Promise<void> {
  const request_id = [...mail.matchAll(/request_id "([^"]+)"/g)].at(-1)?.[1];
  await host.say('SendMessage', { recipient: 'cy', type: 'plan_approval_response', request_id, approve, content });
}

describe('a host that works as a member', () => {
  test('claims and ends its task, reads its mail once, and is refused what is the lead’s', async () => {
    await place.teams('create', 'solo', '--member', 'eve');
    await using host = await Host.on(place, '--team', 'solo', '--as', 'eve');
    const { tools } = await host.client.listTools();
    expect(tools.map(({ name }) => name)).not.toContain('TeamCreate');
    expect(await host.call('TeamCreate', { name: 'mine' })).toMatchObject({
      isError: true,
      text: like(/^POLICY_DENIED: TeamCreate is the lead's alone/),
    });
    await place.teams('task', 'create', 'solo', 'Read it', '--owner', 'eve');
    await place.teams('send', 'solo', 'eve', 'please hurry');
    expect(await host.say('TaskUpdate', { taskId: '1', status: 'in_progress' })).toMatch(
      /#1 \[in_progress\][^]*You have 1 unread message; call CheckInbox\.$/,
    );
    expect(await host.say('CheckInbox')).toContain('please hurry');
    expect(await host.say('CheckInbox')).toBe('No unread messages.');
    expect(await host.call('TaskUpdate', { taskId: '1', status: 'completed' })).toMatchObject({
      text: like(/gives the result/),
    });
    expect(await host.say('TaskUpdate', { taskId: '1', status: 'completed', result: 'read' })).toContain('[completed]');
    expect(await host.call('TaskUpdate', { taskId: '1', status: 'pending' })).toMatchObject({ text: like(/^FINAL: /) });
    const forged = { recipient: 'lead', type: 'shutdown_request', content: 'stop' };
    expect(await host.call('SendMessage', forged)).toMatchObject({ isError: true, text: like(/^POLICY_DENIED: /) });
  });
});

describe('an agent that attaches the server itself', () => {
  test('is the member whose token it carries, and its runner ends its task', async () => {
    const frames = [
      { id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } },
      { method: 'notifications/initialized' },
      callOf(2, 'TeamDelete', { name: team_name }),
      callOf(3, 'SendMessage', { recipient: 'lead', content: 'from inside' }),
      callOf(4, 'TaskUpdate', { taskId: '1', status: 'completed', result: 'as reported' }),
    ];
    place.put('frames', frames.map((frame) => JSON.stringify({ jsonrpc: '2.0', ...frame })).join('\n'));
    await using host = await Host.on(place);
    await host.say('TeamCreate', { team_name });
    await host.say('Task', { prompt: 'begin', team_name, name: 'fay', agent: 'attached' });
    await host.say('TaskCreate', { subject: 'Inside', description: 'x', owner: 'fay' });
    expect(await host.mail(/Completed task #1/)).toMatch(/from "fay"[^]*from inside/);
    const answers = readFileSync(join(place.root, 'answers'), 'utf8');
    expect(answers).toMatch(/POLICY_DENIED: TeamDelete is the lead's alone/);
    expect(answers).toMatch(/Task #1 is reported as completed: passed/);
    await host.say('TeamDelete', { name: team_name });
  });
});

/** The server as a bare process, for what a client of the SDK does not do. */
function bare(): {
  server: ChildProcess & { stdin: NodeJS.WritableStream };
  send: (frame: unknown) => void;
  out: Promise<string>;
} {
  const server = spawn(process.execPath, [BIN, 'mcp'], {
    ...{ cwd: place.root, env: place.environment },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const send = (frame: unknown): void =>
    void server.stdin.write(`${typeof frame === 'string' ? frame : JSON.stringify(frame)}\n`);
  send({
    ...{ jsonrpc: '2.0', id: 'hello', method: 'initialize' },
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
  });
  send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return { server, send, out: textOf(server.stdout) };
}

describe('a host that goes away', () => {
  const life = [
    callOf(1, 'TeamCreate', { name: team_name }),
    callOf(2, 'Task', { prompt: 'begin', team_name, name: 'ada', agent: 'slow' }),
    callOf(3, 'TaskCreate', { subject: 'Long', description: 'x', owner: 'ada' }),
    callOf(4, 'TaskList', {}),
    callOf(5, 'TeamDelete', { name: team_name }),
  ];

  test.each([
    [1, 'end'],
    [2, 'end'],
    [2, 'SIGTERM'],
    [4, 'SIGTERM'],
    [4, 'SIGKILL'],
    [5, 'end'],
  ] as const)('after %i calls, by %s, leaves nothing running', async (steps, how) => {
    // Who is killed leaves its leases for the next to find.
    if (how === 'SIGKILL') allowLeft(/\.lock$/);
    place.environment['TEAMS_SHUTDOWN_TIMEOUT_MS'] = '500';
    const { server, send } = bare();
    let answers = '';
    server.stdout?.on('data', (chunk: Buffer) => (answers += chunk.toString()));
    for (const [at, frame] of life.slice(0, steps).entries()) {
      send(frame);
      // The last one is under way when the host goes.
      if (at + 1 < steps)
        await until(
          () => answers.includes(`"id":${at + 1},`) || answers.includes(`"id":${at + 1}}`),
          `answer ${at + 1}`,
        );
    }
    const exited = once(server, 'exit');
    if (how === 'end') server.stdin.end();
    else server.kill(how);
    await exited;
    await until(() => lives() === 0, 'nothing runs any more');
  });
});

const answerSchema = z.union([
  z.strictObject({ jsonrpc: z.literal('2.0'), id: z.union([z.string(), z.number()]), result: z.looseObject({}) }),
  z.strictObject({
    jsonrpc: z.literal('2.0'),
    id: z.union([z.string(), z.number(), z.null()]).optional(),
    error: z.looseObject({ code: z.int(), message: z.string() }),
  }),
  z.looseObject({ jsonrpc: z.literal('2.0'), method: z.string() }),
]);

describe('5,000 frames of nonsense', () => {
  const json = fc.jsonValue({ maxDepth: 3 });
  const tool = fc.constantFrom(...TOOL_NAMES.filter((name) => name !== 'TeamCreate'), 'nothing', '__proto__');
  const frame = fc.oneof(
    json.map((value) => JSON.stringify(value)),
    fc.string({ maxLength: 80 }).map((text) => text.replaceAll('\n', ' ')),
    fc
      .record({
        jsonrpc: fc.constantFrom('2.0', '1.0'),
        id: fc.oneof(fc.nat(), fc.string(), json),
        method: fc.string(),
        params: json,
      })
      .map((value) => JSON.stringify(value)),
    fc
      .record({
        name: tool,
        arguments: fc.oneof(
          json,
          fc.dictionary(fc.constantFrom('taskId', 'name', 'recipient', 'content', 'prompt', 'wait'), json),
        ),
      })
      .map((params) => JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params })),
    fc
      .constantFrom('tools/list', 'resources/list', 'resources/read', 'ping', 'initialize', 'logging/setLevel')
      .chain((method) => json.map((params) => JSON.stringify({ jsonrpc: '2.0', id: 8, method, params }))),
  );

  test('leave a server that lives, and whose every answer is well formed', async () => {
    const { server, send, out } = bare();
    const frames = fc.sample(frame, 5_000);
    for (const one of frames) send(one);
    let isAnswered = false;
    server.stdout?.on('data', (chunk: Buffer) => (isAnswered ||= chunk.toString().includes('"id":"last"')));
    send({ jsonrpc: '2.0', id: 'last', method: 'tools/list', params: {} });
    await until(() => isAnswered, 'the last frame is answered');
    expect(server.exitCode).toBeNull();
    server.stdin.end();
    const lines = (await out).trim().split('\n');
    expect(lines.length).toBeGreaterThan(1_000);
    for (const line of lines) expect(answerSchema.safeParse(JSON.parse(line)).success ? '' : line).toBe('');
  });
});
