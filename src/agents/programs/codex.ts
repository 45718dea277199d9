/**
 * Codex as an agent: one `codex app-server` for all turns of a member. Its own sandbox confines it; requests beyond
 * that are answered here. Mail is steered into the running turn. Mail that is too late for it starts another Codex turn
 * within the same turn, so that nothing taken is lost.
 */
import { join, resolve } from 'node:path';
import type { AgentSpec } from '../../model/agent/agent.ts';
import { AGENT_KIND_RECORDS } from '../../model/agent/agent-kinds.ts';
import { defined } from '../../model/text/defined.ts';
import type { Agent, AgentContext, TurnInput } from '../agent-contract.ts';
import type { TurnEnd } from '../../model/agent/turn-end.ts';
import {
  approval,
  approvalIn,
  changesIn,
  type CodexChanges,
  completedIn,
  isOffline,
  saidIn,
  sandboxPolicy,
  stepsOf,
  usageTurnIn,
  textInput,
  threadIn,
  turnEnd,
  turnIn,
  type Completed,
} from './codex-protocol.ts';
import {
  isolatedLaunch,
  type Dialect,
  type DialectContext,
  type DialectSession,
  type Launch,
} from './program-dialect.ts';
import { refused } from '../vendor-fault.ts';
import { prepareHome } from './agent-home-contents.ts';
import { isObject, type JsonObject } from './json-lines.ts';
import { rpc, type Rpc, type RpcHeard } from './json-rpc.ts';
import { PersistentAgent, type PersistentLimits } from './persistent-agent.ts';
import { loginLinks } from '../logins.ts';
import { endStep, tellStep } from './agent-step.ts';
import { withinRoot } from '../script-files.ts';

/**
 * No telemetry at the end, no fetch at the start, and none of its own agents or mail beside the team's. A login shell
 * would set PATH anew, without our command and the user's own programs.
 */
const OWN = [
  '-c',
  'analytics.enabled=false',
  '-c',
  'check_for_update_on_startup=false',
  '-c',
  'features.plugins=false',
  '-c',
  'features.apps=false',
  '-c',
  'features.multi_agent=false',
  '-c',
  'features.goals=false',
  '-c',
  'allow_login_shell=false',
];
/** How many reports of "offline" end the turn. The first comes after one second, each next one after twice as long. */
const MOST_OFFLINE = 2;
const PROVIDER = 'teams';
const CLIENT = { name: 'teams', title: 'teams', version: '1' };

/** @param limits for tests */
export const codex = (
  spec: AgentSpec,
  agentContext: AgentContext = {},
  limits: Partial<PersistentLimits> = {},
): Agent => new PersistentAgent(dialect(spec, agentContext), agentContext.session, limits);

const dialect = (spec: AgentSpec, agentContext: AgentContext): Dialect => ({
  isIsolated: agentContext.isolate !== undefined,
  launch: (input) => isolatedLaunch(launch(spec, agentContext, input), agentContext, input),
  open: (line) => new CodexSession(line, spec, agentContext),
  // Codex reports a lost session in the protocol, and goes on.
  isSessionLost: () => false,
});

function launch(
  { command = [AGENT_KIND_RECORDS.codex.program], args = [] }: AgentSpec,
  { home, isolate }: AgentContext,
  { env }: Pick<TurnInput, 'env'>,
): Launch {
  return {
    argv: [...command, 'app-server', ...OWN, ...args],
    env: { ...env, ...(home === undefined ? undefined : ownPlaces(home, env, isolate !== undefined)) },
  };
}

/**
 * What Codex keeps for itself: sessions, databases, caches of data. Anything else in its home could say what it runs
 * without its sandbox, and all our settings are sent by protocol.
 */
const STATE =
  /^(?:(?:archived_)?sessions|sqlite|.*\.sqlite(?:-wal|-shm)?|(?:history|session_index)\.jsonl|auth\.json|models_cache\.json|version\.json|installation_id|log)$/;

/**
 * Its own configuration. Below the directory of temporary files Codex makes none of the helpers that its sandbox needs,
 * and no command works: then it gets another such directory.
 *
 * @param isIsolated the user's login is not there inside, and Codex cannot renew a file that is mounted: it gets a copy,
 *   and what it renews goes back to the user's file
 */
function ownPlaces(home: string, env: TurnInput['env'], isIsolated: boolean): Record<string, string> {
  const login = loginLinks('codex', env);
  const contents = isIsolated ? { copies: login } : { links: login };
  const place = prepareHome(join(home, 'codex'), { ...contents, keeps: STATE });
  const isBelow = place.startsWith(`${resolve(env['TMPDIR'] ?? '/tmp')}/`);
  return { CODEX_HOME: place, ...(isBelow ? { TMPDIR: prepareHome(join(home, 'codex-tmp'), {}) } : undefined) };
}

/** Sent through its own stdin, where no other program sees it. */
function threadConfig(
  { baseUrl, options = {} }: AgentSpec,
  { server }: AgentContext,
  env: TurnInput['env'],
): JsonObject {
  const key = ['CODEX_API_KEY', 'OPENAI_API_KEY'].find((name) => env[name] !== undefined);
  const provider = {
    name: PROVIDER,
    base_url: baseUrl,
    wire_api: 'responses',
    request_max_retries: 0,
    stream_max_retries: 0,
    ...defined({ env_key: key }),
  };
  return {
    ...(baseUrl ? { model_provider: PROVIDER, model_providers: { [PROVIDER]: provider } } : {}),
    ...options,
    ...defined({ mcp_servers: server && { team: { ...server, ...SERVER } } }),
  };
}

/** The tools are approved without a prompt. The server is required: a member cannot work without its team's tools. */
const SERVER = {
  default_tools_approval_mode: 'approve',
  required: true,
  startup_timeout_sec: 60,
  tool_timeout_sec: 3_600,
};

class CodexSession implements DialectSession {
  readonly #line: DialectContext;
  readonly #spec: AgentSpec;
  readonly #agentContext: AgentContext;
  /** What its file changes are about, for the permission that it asks for. */
  #changes: CodexChanges = new Map();
  readonly #rpc: Rpc;
  #thread: string | undefined;
  #turn: string | undefined;
  /** The turns that this process began. */
  readonly #begun = new Set<string>();
  #input: TurnInput | undefined;
  #text = '';
  /** Steered and not accepted yet; refused ones are asked next. */
  readonly #steering: Promise<void>[] = [];
  #late: string[] = [];
  #offlineTimes = 0;

  constructor(line: DialectContext, spec: AgentSpec, agentContext: AgentContext) {
    this.#line = line;
    this.#spec = spec;
    this.#agentContext = agentContext;
    this.#rpc = rpc(line.send);
  }

  begin(input: TurnInput): void {
    this.#input = input;
    this.#text = '';
    this.#late = [];
    this.#offlineTimes = 0;
    void this.#ask(input, input.prompt);
  }

  readonly steer = (text: string): void => {
    this.#steering.push(this.#steer(text));
  };

  interrupt(): void {
    this.#late = [];
    const [threadId, turnId] = [this.#thread, this.#turn];
    if (threadId === undefined || turnId === undefined) return this.#end({ kind: 'aborted' });
    void this.#rpc.request('turn/interrupt', { threadId, turnId });
  }

  closed(): void {
    this.#rpc.closed();
  }

  heard(message: JsonObject): void {
    const heard = this.#rpc.heard(message);
    if (heard === undefined) return;
    const begun = changesIn(heard);
    if (begun !== undefined) this.#changes = new Map([begun]);
    if (heard.id !== undefined) return this.#asked(heard, heard.id);
    if (!this.#isOld(heard)) for (const step of stepsOf(heard)) this.#line.tell(step);
    if (isOffline(heard)) this.#offline();
    this.#text = saidIn(heard) ?? this.#text;
    const completed = completedIn(heard);
    if (completed !== undefined && completed.turn === this.#turn) void this.#completed(completed);
  }

  async #ask(input: TurnInput, prompt: string): Promise<void> {
    const threadId = await this.#threadFor(input);
    if (threadId === undefined || this.#input !== input) return;
    const answer = await this.#rpc.request('turn/start', {
      threadId,
      input: textInput(prompt),
      cwd: input.cwd,
      approvalPolicy: this.#approvalPolicy,
      sandboxPolicy: sandboxPolicy(input.sandbox, mayReach(this.#spec)),
    });
    const turnId = answer.ok ? turnIn(answer.result) : undefined;
    if (turnId !== undefined) this.#begun.add(turnId);
    // The turn was stopped while it began.
    if (this.#input !== input) {
      if (turnId !== undefined) void this.#rpc.request('turn/interrupt', { threadId, turnId });
    } else if (answer.ok) this.#turn = turnId;
    else this.#end(refused({ text: answer.message }));
  }

  /** Where a person is asked, it asks for every command that it does not know as harmless, and for every change. */
  get #approvalPolicy(): 'never' | 'untrusted' {
    return this.#agentContext.asks === true ? 'untrusted' : 'never';
  }

  /** A resumed thread repeats what its last turn used, which was counted then. */
  #isOld(heard: RpcHeard): boolean {
    const turn = usageTurnIn(heard);
    return turn !== undefined && (turn === null ? this.#begun.size === 0 : !this.#begun.has(turn));
  }

  async #steer(text: string): Promise<void> {
    const [threadId, expectedTurnId] = [this.#thread, this.#turn];
    const isTaken =
      threadId !== undefined &&
      expectedTurnId !== undefined &&
      (await this.#rpc.request('turn/steer', { threadId, expectedTurnId, input: textInput(text) })).ok;
    if (!isTaken) this.#late.push(text);
  }

  /** Ends the turn, unless mail came too late for it. */
  async #completed(completed: Completed): Promise<void> {
    this.#turn = undefined;
    const input = this.#input;
    await Promise.all(this.#steering.splice(0));
    const late = this.#late.splice(0);
    if (input === undefined || input !== this.#input) return;
    if (completed.status === 'completed' && late.length > 0) return this.#ask(input, late.join('\n\n'));
    this.#end(turnEnd(completed, this.#text));
  }

  /** Codex would wait for a network for ever; the turn ends, so that another agent can take the task. */
  #offline(): void {
    this.#offlineTimes += 1;
    if (this.#offlineTimes < MOST_OFFLINE || this.#input === undefined) return;
    this.interrupt();
    this.#end(refused({ text: 'The connection to its model failed: no server answers at that address.' }));
  }

  /** The thread of this member: new, or resumed. Undefined after the turn was ended for lack of one. */
  async #threadFor(input: TurnInput): Promise<string | undefined> {
    if (this.#thread !== undefined) return this.#thread;
    const open = await this.#rpc.request('initialize', { clientInfo: CLIENT });
    if (open.ok) this.#rpc.notify('initialized', {});
    const answer = open.ok ? await this.#open(input) : open;
    if (answer.ok) this.#thread = threadIn(answer.result);
    if (this.#thread === undefined && this.#input === input)
      this.#end(refused({ text: answer.ok ? 'Codex opened no thread.' : answer.message }));
    if (this.#thread !== undefined && this.#thread !== this.#line.session)
      this.#line.tell(tellStep({ type: 'session', id: this.#thread }));
    return this.#thread;
  }

  async #open({ cwd, env }: TurnInput) {
    const { identity } = this.#agentContext;
    const { model, baseUrl } = this.#spec;
    const { session } = this.#line;
    const params = {
      cwd,
      approvalPolicy: this.#approvalPolicy,
      config: threadConfig(this.#spec, this.#agentContext, env),
      developerInstructions: identity,
      model,
      modelProvider: baseUrl === undefined ? undefined : PROVIDER,
    };
    if (session === undefined) return this.#rpc.request('thread/start', params);
    const resumed = await this.#rpc.request('thread/resume', { ...params, threadId: session });
    if (resumed.ok || !/rollout|not found|no such/i.test(resumed.message)) return resumed;
    const text = `The session ${session} cannot be resumed; a new one begins.`;
    this.#line.tell(tellStep({ type: 'noted', text }));
    return this.#rpc.request('thread/start', params);
  }

  #asked(heard: RpcHeard, id: string | number): void {
    // Its only MCP server is the team's.
    if (heard.method === 'mcpServer/elicitation/request')
      return this.#rpc.respond(id, { action: 'accept', content: {}, _meta: null });
    const ask = approvalIn(heard, this.#changes);
    if (ask === undefined) return this.#rpc.refuse(id, `${heard.method} is not supported here.`);
    const within = withinRoot(this.#line.cwd, ask.paths);
    // A command runs at the root of the workspace, if nothing else is said.
    const paths = ask.effect === 'runs' ? within.filter((path) => path !== '.') : within;
    const event = { ...ask, type: 'asked' as const, paths };
    this.#line.tell({ do: 'ask', event, reply: (answer) => this.#rpc.respond(id, approval(answer)) });
  }

  #end(how: TurnEnd): void {
    this.#input = undefined;
    this.#turn = undefined;
    this.#line.tell(endStep(how));
  }
}

function mayReach({ options = {} }: AgentSpec): boolean {
  const workspace = options['sandbox_workspace_write'];
  return isObject(workspace) && workspace['network_access'] === true;
}
