/**
 * The real CLIs in their isolation, with a home that is not among the temporary files: each keeps the same contract as
 * outside, and reaches the team's tools by MCP through the socket.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { once } from 'node:events';
import { beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { agentFor } from '../../src/agents/agent-registry.ts';
import type { CommandLine } from '../../src/runtime/isolation/broker.ts';
import { insideEnvironment, memberServerInside } from '../../src/runtime/isolation/member-server.ts';
import { openProgramIsolation, type HeldProgram } from '../../src/runtime/isolation/open-program-isolation.ts';
import { teamServer } from '../agents/like.ts';
import { describeWithModel, type Cast, type Place } from '../agents/model-contract.ts';
import { play, turnInput } from '../agents/turns.ts';
import type { Asked } from '../fixtures/model-server/asked.ts';
import type { Step } from '../fixtures/model-server/script.ts';
import { ModelServer } from '../fixtures/model-server/server.ts';
import { allowLeft } from '../support/leftovers.ts';
import { environment, REAL_CLIS, reach, realCli, SEEN, STALL_MS, type RealCli } from './clis.ts';

const programs = new Map<RealCli, string>();
beforeEach(() => allowLeft(/\/(?:codex|claude|gemini|opencode)\//));

const only = process.env['ONLY'];
for (const kind of REAL_CLIS.filter((one) => only === undefined || one === only)) {
  beforeAll(async () => void programs.set(kind, await realCli(kind)));
  describeWithModel({ ...base(kind), ...SEEN[kind] });
}

it('the real codex, where a person is asked, does what is allowed without its own sandbox, and stays in ours', async () => {
  const place = { cwd: directory(), home: directory() };
  const outside = join(dirname(place.cwd), 'outside');
  const calls = [{ tool: 'exec_command', input: { cmd: `touch inside; touch ${outside}` } }];
  const script = ({ results }: Asked): Step => (results.length === 0 ? { calls } : { text: 'Done.' });
  const model = await ModelServer.start({ script, titles: true });
  onTestFinished(() => model.close());
  const program = await realCli('codex');
  const team = teamServer(join(place.home, 'sent'));
  const { held, home } = await isolated(place, program, served(team));
  const context = { home: place.home, server: memberServerInside(), asks: true, isolate: held.hold };
  const agent = await agentFor({ kind: 'codex', command: [program], ...reach('codex', model.url) }, context);
  onTestFinished(() => agent.close());
  const input = turnInput(place.cwd, { env: insideEnvironment(environment(home)) });
  const { events, end } = await play(agent.turn(input), undefined, { ok: true, text: '' });
  expect(end).toMatchObject({ kind: 'answered' });
  expect(events.filter(({ type }) => type === 'asked')).toHaveLength(1);
  expect([existsSync(join(place.cwd, 'inside')), existsSync(outside)]).toEqual([true, false]);
});

/** A directory that is not among the temporary files. */
function directory(): string {
  const base = mkdtempSync(join(realpathSync(homedir()), '.real-isolated-'));
  onTestFinished(() => rmSync(base, { recursive: true, force: true, maxRetries: 5 }));
  const made = join(base, 'made');
  mkdirSync(made);
  return made;
}

/** The program of each member is isolated once; a second incarnation has an isolation of its own. */
function base(kind: RealCli): Cast {
  return {
    kind: `the real ${kind}, isolated`,
    // Codex makes what its own sandbox needs in no home that is among the temporary files.
    homes: realpathSync(homedir()),
    open: async (place) => {
      const program = programs.get(kind) ?? kind;
      const team = teamServer(join(place.home, 'sent'));
      const { held, home } = await isolated(place, program, served(team));
      const env = insideEnvironment(environment(home));
      const isolate = held.hold;
      const context = { home: place.home, server: memberServerInside(), session: place.session, isolate };
      const agent = await agentFor({ kind, command: [program], ...reach(kind, place.url) }, context);
      return {
        agent,
        input: { env },
        sent: () => team.sent().map(({ content }) => content),
      };
    },
    stallMs: STALL_MS,
  };
}

async function isolated(
  { cwd, home: ownHome }: Pick<Place, 'cwd' | 'home'>,
  program: string,
  commandLine: CommandLine,
): Promise<{ held: HeldProgram; home: string }> {
  const base = mkdtempSync(join(realpathSync(homedir()), '.real-isolated-'));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const home = join(base, 'home');
  const team = join(base, 'team');
  for (const made of [home, team]) mkdirSync(made);
  const opened = await openProgramIsolation({
    setting: 'required',
    root: cwd,
    isWritable: true,
    ownHome,
    shared: [],
    team: [team],
    readable: [],
    handed: [],
    programs: [program],
    member: { name: 'ada', team: 'crew', environment: {} },
    commandLine,
    environment: { PATH: `${dirname(program)}:${process.env['PATH'] ?? ''}`, HOME: home },
  });
  if (opened.kind === 'missing') throw new Error(opened.why);
  onTestFinished(() => opened.close());
  return { held: opened, home };
}

/** The member's own process: it serves the team's tools to `teams mcp` inside. */
const served =
  ({ server }: ReturnType<typeof teamServer>): CommandLine =>
  async (argv, { wire, gone }) => {
    if (argv[0] !== 'mcp') return 2;
    const child = spawn(server.command, [...server.args], { env: server.env, stdio: ['pipe', 'pipe', 'inherit'] });
    wire.input.pipe(child.stdin);
    child.stdout.pipe(wire.output);
    gone.addEventListener('abort', () => child.kill());
    await once(child, 'exit');
    return 0;
  };
