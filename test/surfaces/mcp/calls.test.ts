/**
 * A call in progress, and what comes with every answer: progress, cancellation, announced mail, correct annotations.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import type { Progress } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { beforeEach, describe, expect, test } from 'vitest';
import { TOOL_NAMES, type ToolName } from '../../../src/model/team/tool.ts';
import { mayCall } from '../../../src/policy/sandbox/tool-rules.ts';
import { BIN, until, Workplace } from '../../support/cli.ts';
import { ERAS, Host } from '../../support/mcp-host.ts';
import { running } from '../../support/processes.ts';

const AGENTS = `
agents:
  slow: { kind: exec, command: 'echo begun >> begun; setsid sleep 300 & wait' }
  quiet: { kind: scripted, options: { turns: [{ answers: 'done', repeat: true }] } }
`;

let place: Workplace;
beforeEach(() => {
  place = new Workplace();
  place.put('home/config/teams/config.yaml', AGENTS);
});

const sleepers = (): number =>
  running().filter(({ command, cwd }) => command === 'sleep 300' && (cwd ?? '').startsWith(place.root)).length;

/**
 * A call with progress that is cancelled after its first progress.
 * @returns the progress
 */
async function callOff(host: Host, name: string, input: Record<string, unknown>, when: () => boolean) {
  const told: (string | undefined)[] = [];
  const enough = new AbortController();
  const call = host.client.callTool(
    { name, arguments: input },
    { signal: enough.signal, onprogress: ({ message }) => void told.push(message) },
  );
  const settled = expect(call).rejects.toThrow();
  await until(() => told.length > 0 && when(), `${name} tells its progress`);
  enough.abort(new Error('enough'));
  await settled;
  return told;
}

describe.each(ERAS)('a host of %s', (era) => {
  test('a host gets progress of a subagent, and cancelling ends all that the subagent started', async () => {
    await using host = await Host.of(era, place);
    const told = await callOff(host, 'Task', { prompt: 'x', agent: 'slow' }, () => sleepers() === 1);
    expect(told).toContain('the subagent works');
    await until(() => sleepers() === 0, 'what the subagent started is gone');
    expect(await host.say('Skill')).toBe('There are no skills.');
  });

  test('progress of a command and of subagents has the last line of their output', async () => {
    const talks = "for at in 1 2 3 4; do echo step $at; printf 'and \\033[31mmore'; sleep 0.7; done";
    place.put(
      'home/config/teams/config.yaml',
      JSON.stringify({ agents: { talker: { kind: 'exec', command: talks } } }),
    );
    await using host = await Host.of(era, place, '--with-shell');
    const progressOf = async (name: string, input: Record<string, unknown>) => {
      const told: string[] = [];
      const onprogress = ({ message = '' }: Progress): void => void told.push(message);
      await host.client.callTool({ name, arguments: input }, { onprogress });
      return told;
    };
    const command = await progressOf('bash', { command: talks });
    expect(command[0]).toBe('the command runs');
    expect(command.slice(1).every((line) => /^the command runs: and .*more$/.test(line))).toBe(true);
    expect(command.length).toBeGreaterThan(1);
    expect(command.join('')).not.toContain('\u001B');
    const subagent = await progressOf('Task', { prompt: 'x', agent: 'talker' });
    expect(subagent).toContainEqual(expect.stringMatching(/^the subagent works: and .*more$/));
    await host.say('Task', { prompt: 'x', agent: 'talker', run_in_background: true });
    const background = await progressOf('TaskOutput', { task_id: 'agent-1', wait: 60 });
    expect(background).toContainEqual(expect.stringMatching(/^agent-1 works: and .*more$/));
  });

  test('a host may stop waiting for a background subagent, which goes on', async () => {
    await using host = await Host.of(era, place);
    await host.say('Task', { prompt: 'x', agent: 'slow', run_in_background: true });
    const told = await callOff(host, 'TaskOutput', { task_id: 'agent-1', wait: 60 }, () => sleepers() === 1);
    expect(told).toContain('agent-1 works');
    expect(await host.say('TaskOutput', { task_id: 'agent-1' })).toBe('agent-1 still runs.');
    expect(await host.say('TaskStop', { task_id: 'agent-1' })).toBe('agent-1 was stopped.');
  });
});

test.each(ERAS)('300 parallel calls of a client of %s are all answered, and the server prints nothing', async (era) => {
  await place.teams('create', 'solo', '--member', 'eve');
  const { root: cwd, environment: env } = place;
  const args = [BIN, 'mcp', '--team', 'solo', '--as', 'eve'];
  const transport = new StdioClientTransport({ command: process.execPath, args, cwd, env, stderr: 'pipe' });
  let printed = '';
  transport.stderr?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  await using host = await Host.over(transport, era);
  const calls = Array.from({ length: 300 }, (_, at) =>
    at % 3 === 0 ? host.say('TaskCreate', { subject: `Task ${at}`, description: 'x' }) : host.say('TaskList'),
  );
  await Promise.all(calls);
  expect(await host.say('TaskGet', { taskId: '100' })).toContain('"id": "100"');
  expect(printed).toBe('');
});

/** A call of each tool that does not end the team. */
const CALLS: Readonly<Record<ToolName, Record<string, unknown>>> = {
  bash: { command: 'true' },
  read_file: { path: '.' },
  write_file: { path: 'a.txt', content: 'a' },
  edit_file: { path: 'a.txt', old_text: 'a', new_text: 'b' },
  SendMessage: { recipient: 'nobody', content: 'x' },
  CheckInbox: {},
  TaskCreate: { subject: 'One more', description: 'x', owner: 'nobody-here' },
  TaskGet: { taskId: '1' },
  TaskUpdate: { taskId: '1', owner: 'lead' },
  TaskList: {},
  TeamCreate: { name: 'second' },
  TaskReview: { taskId: '1', approve: true },
  TeamDelete: { name: 'other' },
  TeamDiff: {},
  TeamApply: {},
  Task: { prompt: 'x', agent: 'quiet' },
  TaskOutput: { task_id: 'agent-9' },
  TaskStop: { task_id: 'agent-9' },
  Skill: {},
};
const news = /You have \d+ unread messages?; call CheckInbox\.$/;

describe('mail that waits', () => {
  test('waiting mail is announced to a lead by every tool but CheckInbox, which delivers it', async () => {
    await using host = await Host.on(place, '--with-shell');
    await host.say('TeamCreate', { name: 'login' });
    await host.say('Task', { prompt: 'begin', team_name: 'login', name: 'ada', agent: 'quiet' });
    await host.say('TaskCreate', { subject: 'One', description: 'x', owner: 'lead' });
    for (const tool of TOOL_NAMES.filter((name) => name !== 'CheckInbox')) {
      await until(async () => (await host.say('CheckInbox')) === 'No unread messages.', 'nothing waits');
      await place.say(['send', 'login', 'lead', `before ${tool}`, '--as', 'ada']);
      expect([tool, (await host.call(tool, CALLS[tool])).text]).toEqual([tool, expect.stringMatching(news)]);
      expect(await host.say('CheckInbox')).toContain(`before ${tool}`);
    }
    await host.say('TeamDelete', { name: 'login' });
  });

  test('waiting mail is announced to a member by every tool but CheckInbox, refusals included', async () => {
    await place.teams('create', 'solo', '--member', 'eve');
    await place.teams('task', 'create', 'solo', 'One', '--owner', 'eve');
    await using host = await Host.on(place, '--team', 'solo', '--as', 'eve', '--with-shell');
    for (const tool of TOOL_NAMES.filter((name) => name !== 'CheckInbox' && mayCall('teammate', name) === undefined)) {
      await place.teams('send', 'solo', 'eve', `before ${tool}`);
      expect([tool, (await host.call(tool, CALLS[tool])).text]).toEqual([tool, expect.stringMatching(news)]);
      expect(await host.say('CheckInbox')).toContain(`before ${tool}`);
    }
  });
});

/** Every file of the teams with its length and time. */
const traces = (root: string): string[] =>
  ['.teams', '.tasks'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).flatMap((file) => {
      const path = join(root, folder, file);
      // A lease changes by its heartbeat alone.
      if (/\.lock$|lease/.test(file) || !statSync(path).isFile()) return [];
      return [`${file} ${readFileSync(path, 'utf8').length} ${statSync(path).mtimeMs}`];
    }),
  );

describe('the annotations', () => {
  test('a tool that is annotated as read-only changes no file', async () => {
    await place.teams('create', 'solo', '--member', 'eve');
    await place.teams('task', 'create', 'solo', 'One', '--owner', 'eve');
    await place.teams('send', 'solo', 'eve', 'unread');
    await using host = await Host.on(place, '--team', 'solo', '--as', 'eve');
    const { tools } = await host.client.listTools();
    const looks = tools.filter(({ annotations }) => annotations?.readOnlyHint === true).map(({ name }) => name);
    expect(looks).toEqual(['TaskGet', 'TaskList']);
    const before = traces(place.root);
    const first = await Promise.all([host.say('TaskGet', CALLS.TaskGet), host.say('TaskList')]);
    expect(await Promise.all([host.say('TaskGet', CALLS.TaskGet), host.say('TaskList')])).toEqual(first);
    expect(traces(place.root)).toEqual(before);
    await host.say('CheckInbox');
    expect(traces(place.root)).not.toEqual(before);
  });

  test('the annotations say for each tool whether it may destroy, and whether it reaches outside', async () => {
    await using host = await Host.on(place);
    const { tools } = await host.client.listTools();
    const named = (is: (hints: NonNullable<(typeof tools)[number]['annotations']>) => boolean | undefined) =>
      tools.flatMap(({ name, annotations = {} }) => (is(annotations) === true ? [name] : []));
    const looks = ['TaskGet', 'TaskList', 'TeamDiff', 'Skill'];
    expect(named((hints) => hints.readOnlyHint)).toEqual(looks);
    expect(named((hints) => hints.idempotentHint)).toEqual(looks);
    const changes = ['TaskUpdate', 'TaskReview', 'TeamDelete', 'TeamApply', 'Task', 'TaskStop'];
    expect(named((hints) => hints.destructiveHint)).toEqual(changes);
    expect(named((hints) => hints.openWorldHint)).toEqual(['Task']);
  });
});
