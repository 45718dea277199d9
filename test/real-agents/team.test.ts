/**
 * One team of the real CLIs on one board: a Claude leads over MCP, and a Codex, a Gemini and a command are its
 * teammates. The lead's tools start each of them and assign its task.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { agentFor } from '../../src/agents/agent-registry.ts';
import { commandLine } from '../../src/runtime/process/package.ts';
import { openForReading } from '../../src/store/team/team-reader.ts';
import { listTeams } from '../../src/store/team/team-list.ts';
import { play, turnInput } from '../agents/turns.ts';
import type { Asked } from '../fixtures/model-server/asked.ts';
import type { Step, ToolUse } from '../fixtures/model-server/script.ts';
import { ModelServer } from '../fixtures/model-server/server.ts';
import { realClock } from '../support/clock.ts';
import { allowLeft } from '../support/leftovers.ts';
import { tempDir } from '../support/temp.ts';
import { environment, reach, realCli, STALL_MS } from './clis.ts';

beforeEach(() => allowLeft(/\/(?:homes|home)\//));

const WORKERS = ['codex', 'gemini', 'shell'] as const;
const LOOK_MS = 500;

/** The calls of the lead's model, one after the other; then it waits until all is done, and ends the team. */
const PLAN: readonly ToolUse[] = [
  { tool: 'TeamCreate', input: { name: 'crew' } },
  ...WORKERS.map((name) => ({
    tool: 'Task',
    input: { team_name: 'crew', name, agent: name, prompt: `You are ${name}. Wait for your task.` },
  })),
  ...WORKERS.slice(0, 2).map((owner) => ({
    tool: 'TaskCreate',
    input: { subject: `Work of ${owner}`, description: 'x', owner },
  })),
  { tool: 'TaskCreate', input: { subject: 'Gather', description: 'x', owner: 'shell', blockedBy: ['1', '2'] } },
];

function leading(): (asked: Asked) => Step {
  const left = [...PLAN];
  let isOver = false;
  return ({ results }) => {
    const next = left.shift();
    if (next) return { calls: [next] };
    if (isOver) return { text: 'The team is done.' };
    // Claude shows its model the structured content of an answer, others its text.
    const done = results.join('\n').matchAll(/#(\d+) \[completed\]|"id":"(\d+)","status":"completed"/g);
    isOver = new Set([...done].map(([, text, structured]) => text ?? structured)).size === WORKERS.length;
    return isOver
      ? { calls: [{ tool: 'TeamDelete', input: { name: 'crew' } }] }
      : { calls: [{ tool: 'TaskList' }], delayMs: LOOK_MS };
  };
}

/** A teammate's model reports its task to the lead, then ends its turn. */
const working = ({ user, results }: Asked): Step =>
  user.includes('Work of') && results.length === 0
    ? { calls: [{ tool: 'SendMessage', input: { recipient: 'lead', content: 'Begun.' } }] }
    : { text: 'Done.' };

/** The user's own configuration, since commands and addresses of a project are not trusted. */
async function configured(root: string, { url }: ModelServer): Promise<Record<string, string>> {
  const { PATH: _, HOME: __, ...keys } = environment('');
  const agent = async (kind: 'codex' | 'gemini') => ({
    kind,
    command: [await realCli(kind)],
    ...reach(kind, url),
    env: keys,
  });
  const agents = {
    codex: await agent('codex'),
    gemini: await agent('gemini'),
    shell: { kind: 'exec', command: ['echo', 'gathered'] },
  };
  mkdirSync(join(root, 'config', 'teams'), { recursive: true });
  writeFileSync(join(root, 'config', 'teams', 'config.yaml'), JSON.stringify({ agents, fallback: [] }));
  return { ...environment(root), XDG_CONFIG_HOME: join(root, 'config'), XDG_STATE_HOME: join(root, 'state') };
}

it('a team of real CLIs is led by Claude, does its tasks together, and leaves nothing behind', async () => {
  const root = tempDir();
  const lead = leading();
  const script = (asked: Asked): Step => (asked.wire === 'anthropic' ? lead(asked) : working(asked));
  const server = await ModelServer.start({ titles: true, script });
  onTestFinished(() => server.close());
  const env = await configured(root, server);
  const home = join(root, 'home');
  mkdirSync(home);
  const [command, ...args] = commandLine('mcp', '--root', root);
  const spec = { kind: 'claude' as const, command: [await realCli('claude')], ...reach('claude', server.url) };
  const claude = await agentFor(spec, { home, server: { command, args, env } });
  onTestFinished(() => claude.close());
  const turn = turnInput(root, { prompt: 'Lead a team.', env, stallMs: 6 * STALL_MS, timeoutMs: 12 * STALL_MS });
  const { end, events } = await play(claude.turn(turn), undefined, { ok: true, text: '' });
  expect(end, JSON.stringify(events.slice(-5))).toMatchObject({ kind: 'answered', text: 'The team is done.' });
  const [team] = listTeams(root);
  const reader = openForReading(team?.paths ?? expect.fail('The team is not in the archive.'), { clock: realClock });
  onTestFinished(() => reader.close());
  const tasks = [...reader.board.fold().tasks.values()].map((task) => [task.subject, task.status, task.owner]);
  expect(tasks).toEqual([
    ['Work of codex', 'completed', 'codex'],
    ['Work of gemini', 'completed', 'gemini'],
    ['Gather', 'completed', 'shell'],
  ]);
  const told = [...reader.events.read()].flatMap(({ event }) =>
    event.type === 'message.sent' && event.text === 'to lead: Begun.' ? [event.member] : [],
  );
  expect(told.sort()).toEqual(['codex', 'gemini']);
});
