/**
 * Claude Code as an agent: one `claude` process in stream-json for all turns of a member. Mail reaches it at the next
 * tool boundary of the running turn. An interrupt ends a turn and keeps the process. It asks for permission for
 * everything that it may not do on its own.
 */
import { join } from 'node:path';
import type { AgentSpec } from '../../model/agent/agent.ts';
import { AGENT_KIND_RECORDS } from '../../model/agent/agent-kinds.ts';
import { defined } from '../../model/text/defined.ts';
import type { Agent, AgentContext, TurnInput } from '../agent-contract.ts';
import {
  assistantSteps,
  endOf,
  initialize,
  interrupt,
  permission,
  callText,
  readPermissionRequest,
  readClaude,
  systemSteps,
  toolsEnded,
  unknownRequest,
  userMessage,
  type FromClaude,
} from './claude-protocol.ts';
import {
  isolatedLaunch,
  type Dialect,
  type Launch,
  type DialectContext,
  type DialectSession,
} from './program-dialect.ts';
import { ClaudeUsage } from './claude-usage.ts';
import { prepareHome } from './agent-home-contents.ts';
import { PersistentAgent, type PersistentLimits } from './persistent-agent.ts';
import { loginLinks } from '../logins.ts';
import { tailText } from '../../os/output-tail.ts';
import { endStep, type AgentStep } from './agent-step.ts';
import { withinRoot } from '../script-files.ts';

/** Tools that the team provides itself (agents, tasks, mail between sessions) are left out. */
const TOOLS = 'Bash,BashOutput,KillShell,Read,Edit,Write,NotebookEdit,Glob,Grep,WebFetch,WebSearch,TodoWrite';
const SERVER = 'team';
/** No background traffic, and no retries of its own: the team has one pause for each vendor. */
const OWN = {
  DISABLE_AUTOUPDATER: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  CLAUDE_CODE_MAX_RETRIES: '0',
};

/** @param limits for tests */
export const claude = (
  spec: AgentSpec,
  agentContext: AgentContext = {},
  limits: Partial<PersistentLimits> = {},
): Agent => new PersistentAgent(dialect(spec, agentContext), agentContext.session, limits);

const NO_SESSION = /No conversation found with session ID/;
const isLost = ({ is_error, result = '', errors = [] }: Extract<FromClaude, { type: 'result' }>): boolean =>
  is_error && NO_SESSION.test([result, ...errors].join(' '));

const dialect = (spec: AgentSpec, agentContext: AgentContext): Dialect => ({
  isIsolated: agentContext.isolate !== undefined,
  launch: (input, session) => isolatedLaunch(launch(spec, agentContext, input, session), agentContext, input),
  open: (line) => new ClaudeSession(line, agentContext.identity),
  isSessionLost: ({ stderr }) => NO_SESSION.test(tailText(stderr, 4_096)),
});

function launch(
  { command = [AGENT_KIND_RECORDS.claude.program], args = [], model, baseUrl, options = {} }: AgentSpec,
  { home, server, asks = false }: AgentContext,
  { env }: Pick<TurnInput, 'env'>,
  session: string | undefined,
): Launch {
  const given = asks ? { ...options, ...askingSettings(options) } : options;
  const settings = Object.keys(given).length === 0 ? [] : ['--settings', JSON.stringify(given)];
  return {
    argv: [
      ...command,
      '-p',
      '--input-format',
      'stream-json',
      '--output-format',
      'stream-json',
      '--verbose',
      '--replay-user-messages',
      '--include-partial-messages',
      '--permission-prompt-tool',
      'stdio',
      '--permission-mode',
      'default',
      '--tools',
      TOOLS,
      '--strict-mcp-config',
      ...(server === undefined ? [] : ['--mcp-config', mcpConfig(server), '--allowedTools', `mcp__${SERVER}`]),
      ...(model === undefined ? [] : [`--model=${model}`]),
      ...(session === undefined ? [] : [`--resume=${session}`]),
      ...settings,
      ...args,
    ],
    env: {
      ...OWN,
      ...env,
      ...server?.env,
      ...defined({
        ANTHROPIC_BASE_URL: baseUrl,
        CLAUDE_CONFIG_DIR: home === undefined ? undefined : claudeHome(home, env),
      }),
    },
  };
}

/**
 * Settings with which a person sees the whole of what is asked; those of the command line come before the project's. A
 * hook could allow it in the person's place. A command that moves its shell elsewhere would have later ones run there,
 * and no request says where its command runs.
 */
const askingSettings = ({ env }: Readonly<Record<string, unknown>>): Record<string, unknown> => ({
  disableAllHooks: true,
  env: { ...(typeof env === 'object' ? env : {}), CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR: '1' },
});

/** A separate configuration, with a link to the user's login. */
const claudeHome = (home: string, env: TurnInput['env']): string =>
  prepareHome(join(home, 'claude'), { links: loginLinks('claude', env) });

/** Only names on argv; the values are in the environment. */
const mcpConfig = ({ command, args, env }: NonNullable<AgentContext['server']>): string =>
  JSON.stringify({
    mcpServers: {
      [SERVER]: {
        type: 'stdio',
        command,
        args,
        alwaysLoad: true,
        env: Object.fromEntries(Object.keys(env).map((name) => [name, `\${${name}}`])),
      },
    },
  });

class ClaudeSession implements DialectSession {
  readonly #line: DialectContext;
  /** Messages that were sent and not yet taken up. */
  readonly #unheard = new Set<string>();
  #requests = 0;
  #isOpen = false;
  #isInTurn = false;
  #waiting: (() => void) | undefined;
  #session: string | undefined;
  #cost = 0;
  readonly #usage = new ClaudeUsage();
  readonly #opening: string;

  constructor(line: DialectContext, identity: string | undefined) {
    this.#line = line;
    this.#session = line.session;
    this.#opening = this.#nextRequest();
    line.send(initialize(this.#opening, identity));
  }

  begin({ prompt }: TurnInput): void {
    this.#isInTurn = true;
    this.#unheard.clear();
    if (this.#isOpen) this.#enqueueEvent(prompt);
    else this.#waiting = () => this.#enqueueEvent(prompt);
  }

  readonly steer = (text: string): void => this.#enqueueEvent(text);

  interrupt(): void {
    this.#waiting = undefined;
    this.#unheard.clear();
    this.#isInTurn &&= this.#isOpen;
    if (!this.#isOpen) return this.#line.tell(endStep({ kind: 'aborted' }));
    this.#line.send(interrupt(this.#nextRequest()));
  }

  closed(): void {
    this.#waiting = undefined;
    for (const step of this.#usage.brokenOff()) this.#line.tell(step);
  }

  heard(message: Readonly<Record<string, unknown>>): void {
    const read = readClaude(message);
    if (read !== undefined) for (const step of this.#steps(read)) this.#line.tell(step);
  }

  #steps(message: FromClaude): AgentStep[] {
    switch (message.type) {
      case 'system': {
        const steps = systemSteps(message, this.#session);
        if (message.subtype === 'init') this.#session = message.session_id;
        return steps;
      }
      case 'assistant':
        return [...this.#usage.answered(message.message), ...assistantSteps(message)];
      case 'user':
        if (message.isReplay === true && message.uuid !== undefined) this.#unheard.delete(message.uuid);
        return message.isReplay === true ? [] : toolsEnded(message);
      case 'result':
        return this.#result(message);
      case 'control_request':
        return this.#asked(message.request_id, message.request);
      case 'control_response':
        return this.#answered(message.response);
    }
  }

  /** Ends the turn, unless a message came too late for this answer: that one is answered next, in the same turn. */
  #result(message: Extract<FromClaude, { type: 'result' }>): AgentStep[] {
    // The session is lost: the program ends after this message, and its end counts.
    if (isLost(message)) return [];
    const { usage: used, total_cost_usd: total } = message;
    const usage = this.#usage.ended(used, total === undefined || total < 0 ? total : Math.max(0, total - this.#cost));
    this.#cost = Math.max(this.#cost, total ?? 0);
    if (!this.#isInTurn || (this.#unheard.size > 0 && !message.is_error)) return usage;
    this.#isInTurn = false;
    return [...usage, endOf(message)];
  }

  #asked(id: string, request: Extract<FromClaude, { type: 'control_request' }>['request']): AgentStep[] {
    const ask = readPermissionRequest(request);
    if (ask === undefined) {
      this.#line.send(unknownRequest(id, request.subtype));
      return [];
    }
    const { tool, effect, paths, input } = ask;
    const asked = { tool, effect, paths: withinRoot(this.#line.cwd, paths), input: callText(input) };
    const event = { type: 'asked' as const, ...asked };
    return [{ do: 'ask', event, reply: (answer) => this.#line.send(permission(id, ask, answer)) }];
  }

  #answered({
    request_id,
    subtype,
    error,
  }: Extract<FromClaude, { type: 'control_response' }>['response']): AgentStep[] {
    if (request_id !== this.#opening || this.#isOpen) return [];
    if (subtype === 'error') {
      const message = `Claude refused its settings: ${error ?? 'no reason given'}.`;
      return [endStep({ kind: 'failed', why: 'bad_output', text: '', message })];
    }
    this.#isOpen = true;
    this.#waiting?.();
    this.#waiting = undefined;
    return [];
  }

  #enqueueEvent(text: string): void {
    const uuid = globalThis.crypto.randomUUID();
    this.#unheard.add(uuid);
    this.#line.send(userMessage(uuid, text));
  }

  #nextRequest(): string {
    this.#requests += 1;
    return `teams-${this.#requests}`;
  }
}
