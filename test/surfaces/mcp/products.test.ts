/**
 * Every role × every tool, and every role × type of message × direction, on every surface: MCP, the tools of an agent
 * in our own process, the command line, and the inbox. The tables are written a second time from docs/specification.md
 * R6.1.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { ulid } from 'ulid';
import { MESSAGE_TYPES, type MessageType } from '../../../src/model/team/message.ts';
import { isWorkspaceTool, TOOL_NAMES, WORKSPACE_TOOLS, type ToolName } from '../../../src/model/team/tool.ts';
import { memberToolContext } from '../../../src/runtime/tools/member-tool-context.ts';
import { openHandle } from '../../../src/runtime/team/team-handle.ts';
import { useTool } from '../../../src/runtime/tools/toolbox.ts';
import { until, Workplace } from '../../support/cli.ts';
import { Host } from '../../support/mcp-host.ts';
import { asMember } from '../../support/member.ts';

let place: Workplace;
beforeEach(() => {
  place = new Workplace();
  const quiet = { kind: 'scripted', options: { turns: [{ answers: 'done', repeat: true }] } };
  place.put('home/config/teams/config.yaml', JSON.stringify({ agents: { quiet } }));
});

/** The lead-only tools (docs/specification.md R6.2); all others are for every role. */
const LEADS: readonly ToolName[] = [
  'TaskReview',
  'TeamCreate',
  'TeamDelete',
  'TeamDiff',
  'TeamApply',
  'Task',
  'TaskOutput',
  'TaskStop',
  'Skill',
];
/** The tools for teams; the others need --with-shell. */
const TEAM_TOOLS = TOOL_NAMES.filter((tool) => !isWorkspaceTool(tool));
const RULE = /^POLICY_DENIED: (\w+) is for the lead only \(rule: lead-only tool\)/;
/** Who may send what to whom (docs/specification.md R2.3). */
const PASSES: Readonly<Record<MessageType, readonly string[]>> = {
  message: ['lead → lead', 'lead → teammate', 'teammate → lead', 'teammate → teammate'],
  broadcast: ['lead → teammate', 'teammate → lead', 'teammate → teammate'],
  shutdown_request: ['lead → teammate'],
  shutdown_response: ['teammate → lead'],
  plan_approval_response: ['lead → teammate'],
};
const sideOf = (name: string): string => (name === 'lead' ? 'lead' : 'teammate');
const passes = (type: MessageType, from: string, to: string): boolean =>
  PASSES[type].includes(`${sideOf(from)} → ${sideOf(to)}`);
/** The type that stops its receiver comes last. */
const TYPES = [...MESSAGE_TYPES.filter((type) => type !== 'shutdown_request'), 'shutdown_request'] as const;
/** Every type from one sender to each of these recipients. */
const mailFrom = (from: string, to: readonly string[]) =>
  to.flatMap((recipient) => TYPES.map((type) => ({ type, recipient, isPassed: passes(type, from, recipient) })));

/** A host that leads ada and bob. */
async function lead(): Promise<Host> {
  const host = await Host.on(place);
  await host.say('TeamCreate', { name: 'login' });
  for (const name of ['ada', 'bob'])
    await host.say('Task', { prompt: 'begin', team_name: 'login', name, agent: 'quiet' });
  return host;
}

describe('every role × every tool', () => {
  test('every tool over MCP: a lead', async () => {
    await using host = await Host.on(place);
    expect((await host.client.listTools()).tools.map(({ name }) => name)).toEqual(TEAM_TOOLS);
    for (const tool of TEAM_TOOLS) expect((await host.call(tool)).text).not.toMatch(/^POLICY_DENIED/);
    for (const tool of WORKSPACE_TOOLS) expect((await host.call(tool)).text).toMatch(/^USAGE: There is no tool/);
  });

  test('every tool over MCP: a teammate, by its name and by its token', async () => {
    await place.teams('create', 'login', '--member', 'ada');
    const offered = TEAM_TOOLS.filter((tool) => !LEADS.includes(tool));
    for (const args of [['--team', 'login', '--as', 'ada'], []]) {
      if (args.length === 0) Object.assign(place.environment, await asMember(place, 'login', 'ada'));
      await using host = await Host.on(place, ...args);
      expect((await host.client.listTools()).tools.map(({ name }) => name)).toEqual(offered);
      for (const tool of WORKSPACE_TOOLS) expect((await host.call(tool)).text).toMatch(/^USAGE: There is no tool/);
      for (const tool of TEAM_TOOLS) {
        const { text } = await host.call(tool);
        expect([tool, RULE.exec(text)?.[1]]).toEqual([tool, LEADS.includes(tool) ? tool : undefined]);
      }
    }
  });

  test('every tool in this process: a teammate’s own tool loop', async () => {
    await place.teams('create', 'login', '--member', 'ada');
    await using handle = openHandle('login', { root: place.root, as: 'ada', environment: {} });
    const call = { signal: new AbortController().signal, progress: () => {} };
    for (const tool of TEAM_TOOLS) {
      const answer = await useTool(memberToolContext(handle), tool, {}, call);
      const rule = answer.ok ? undefined : RULE.exec(answer.why)?.[1];
      expect([tool, rule]).toEqual([tool, LEADS.includes(tool) ? tool : undefined]);
    }
  });
});

/** An answer to a plan passes the table, and another rule refuses it: there is no request. */
const PASSED = /^(?:sent|UNKNOWN_REQUEST: )/;
const extraOf = (type: MessageType) => ({
  content: 'x',
  approve: true,
  ...(type === 'plan_approval_response' ? { request_id: 'none' } : {}),
});

describe('every role × type of message × direction', () => {
  test('every type of message over MCP: a lead sends', async () => {
    await using host = await lead();
    for (const { type, recipient, isPassed } of mailFrom('lead', ['lead', 'ada'])) {
      const { text } = await host.call('SendMessage', { type, recipient, ...extraOf(type) });
      // A broadcast goes to all others, whatever recipient is given.
      const isSent = type === 'broadcast' || isPassed;
      expect([type, recipient, text]).toEqual([
        type,
        recipient,
        expect.stringMatching(isSent ? PASSED : /^POLICY_DENIED/),
      ]);
    }
    await host.say('TeamDelete', { name: 'login', force: true });
  });

  test('every type of message over MCP: a teammate sends', async () => {
    await place.teams('create', 'login', '--member', 'ada', '--member', 'bob');
    await using host = await Host.on(place, '--team', 'login', '--as', 'ada');
    for (const { type, recipient, isPassed } of mailFrom('ada', ['lead', 'bob'])) {
      const { text } = await host.call('SendMessage', { type, recipient, ...extraOf(type) });
      expect([type, recipient, text]).toEqual([
        type,
        recipient,
        expect.stringMatching(isPassed ? PASSED : /^POLICY_DENIED/),
      ]);
    }
  });

  test.each([
    ['lead', ['lead', 'ada']],
    ['ada', ['lead', 'bob']],
  ])('every type of message on the command line: %s sends', async (from, to) => {
    await place.teams('create', 'login', '--member', 'ada', '--member', 'bob');
    for (const { type, recipient, isPassed } of mailFrom(from, to)) {
      const { code, err } = await place.teams('send', 'login', recipient, 'x', '--type', type, '--as', from);
      const isDenied = /^teams: Not sent: A \w+ may not send a \w+ to a \w+ \(rule: role × type\)\.\n$/.test(err);
      // A broadcast goes to all others, whatever recipient is given.
      const isSent = type === 'broadcast' || isPassed;
      expect([type, recipient, isDenied]).toEqual([type, recipient, !isSent]);
      // An answer to a plan without a request is refused in any case.
      expect([type, code]).toEqual([type, isSent && type !== 'plan_approval_response' ? 0 : 2]);
    }
  });

  test('every type of message in an inbox: what another program wrote in a member’s name', async () => {
    await using host = await lead();
    const forged = [
      ...mailFrom('lead', ['lead', 'ada']).map((mail) => ({ ...mail, sender: 'lead' })),
      ...mailFrom('bob', ['lead', 'ada']).map((mail) => ({ ...mail, sender: 'bob' })),
    ].map((mail) => ({ ...mail, id: ulid() }));
    const last = { sender: 'bob', type: 'message', content: 'the last one' } as const;
    for (const recipient of ['lead', 'ada'])
      write([
        ...forged.filter((mail) => mail.recipient === recipient),
        { ...last, recipient, id: `last-${recipient}` },
      ]);
    // Mail is read in order: when the last one has come, the refused ones have been refused.
    await host.mail(/the last one/);
    await until(() => read('ada_history.jsonl').includes('last-ada'), 'ada has read its last mail');
    const denied = read('events.jsonl')
      .split('\n')
      .filter((line) => line.includes('"message.denied"'));
    for (const { id, type, sender, recipient, isPassed } of forged)
      expect([sender, type, recipient, denied.some((line) => line.includes(id))]).toEqual([
        sender,
        type,
        recipient,
        !isPassed,
      ]);
    // No message took effect, not even an order of a replaced lead.
    expect((await host.call('Task', { prompt: 'x', team_name: 'login', name: 'ada', agent: 'quiet' })).text).toMatch(
      /^MEMBER_ALIVE/,
    );
    await host.say('TeamDelete', { name: 'login' });
  });

  const read = (file: string): string => readFileSync(join(place.root, '.teams/login', file), 'utf8');

  /** Writes lines as another program does that imitates ours; all into one inbox. */
  function write(mail: readonly { type: string; sender: string; recipient: string; id: string }[]): void {
    const lines = mail.map(({ type, sender, recipient, id }) =>
      JSON.stringify({
        type,
        sender,
        content: id.startsWith('last') ? 'the last one' : 'x',
        timestamp: 1,
        id,
        recipient,
        epoch: 0,
      }),
    );
    appendFileSync(
      join(place.root, '.teams/login', `${mail[0]?.recipient ?? ''}_inbox.jsonl`),
      `${lines.join('\n')}\n`,
    );
  }
});
