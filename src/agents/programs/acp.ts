/**
 * Every program that speaks the Agent Client Protocol, as an agent; Gemini and opencode do. One process and one session
 * for all turns of a member. The protocol cannot deliver mail in mid-turn: it waits for the next turn.
 */
import type {
  ClientContext,
  McpServer,
  RequestPermissionRequest,
  SessionUpdate,
  Stream,
} from '@agentclientprotocol/sdk';
import * as z from 'zod';
import type { AgentSpec } from '../../model/agent/agent.ts';
import { UsageError } from '../../model/text/errors.ts';
import type { Agent, CallAnswer, AgentContext, ToolImage, TurnInput } from '../agent-contract.ts';
import type { TurnEnd } from '../../model/agent/turn-end.ts';
import { acpLaunch } from './acp-presets.ts';
import { askIn, chosen, NO_SINGLE_CALL, offersSingleCall } from './acp-permissions.ts';
import {
  contextIn,
  planIn,
  promptSteps,
  refusal,
  startSteps,
  toldCost,
  messageCollector,
  type Context,
  type MessageCollector,
} from './acp-updates.ts';
import { isolatedLaunch, type Dialect, type DialectContext, type DialectSession } from './program-dialect.ts';
import { isObject, type JsonObject } from './json-lines.ts';
import { PersistentAgent, type PersistentLimits } from './persistent-agent.ts';
import { abilitiesIn, openAcpSession, type AcpAbilities } from './acp-session.ts';
import { endStep, tellStep } from './agent-step.ts';
import { withinRoot } from '../script-files.ts';

/**
 * @param limits for tests
 * @throws UsageError `USAGE` for `acp` without a command
 */
export function acp(spec: AgentSpec, agentContext: AgentContext = {}, limits: Partial<PersistentLimits> = {}): Agent {
  if (spec.kind === 'acp' && spec.command === undefined)
    throw new UsageError('USAGE', 'An acp agent needs its "command", such as ["gemini", "--acp"].');
  return new PersistentAgent(dialect(spec, agentContext), agentContext.session, limits);
}

const dialect = (spec: AgentSpec, agentContext: AgentContext): Dialect => ({
  isIsolated: agentContext.isolate !== undefined,
  launch: (input) => isolatedLaunch(acpLaunch(spec, agentContext, input), agentContext, input),
  open: (line) => new AcpSession(line, spec, agentContext),
  // The program reports a lost session in the protocol, and goes on.
  isSessionLost: () => false,
});

const CLIENT = { name: 'teams', version: '1' };
/** Every object is passed to the SDK, which validates it. */
const messageSchema = z.custom<Wire>((value) => isObject(value));
type Wire = Stream['readable'] extends ReadableStream<infer Message> ? Message : never;

class AcpSession implements DialectSession {
  readonly #line: DialectContext;
  readonly #agentContext: AgentContext;
  readonly #kind: AgentSpec['kind'];
  readonly #model: string | undefined;
  readonly #mode: string | undefined;
  readonly #stream: ReturnType<typeof streamOf>;
  #abilities: AcpAbilities = { canLoad: false, canResume: false, canSee: false, logins: [] };
  #agent: Promise<ClientContext> | undefined;
  #session: string | undefined;
  #input: TurnInput | undefined;
  #collector: MessageCollector | undefined;
  /** What the session has cost by the last word of the program, and by the last word before this turn. */
  #cost: number | undefined;
  #costBefore = 0;
  /** How full its context is by its last word. */
  #context: Context | undefined;
  /** Its list of what it is about to do, as it was told last. */
  #plan = '';
  /** Why calls of the present prompt were refused. */
  #denied: readonly string[] = [];

  constructor(line: DialectContext, { kind, model, options }: AgentSpec, agentContext: AgentContext) {
    this.#line = line;
    this.#kind = kind;
    // Gemini and opencode are told their model when they start.
    this.#model = kind === 'acp' ? model : undefined;
    // The options of Gemini and opencode are their own configuration.
    this.#mode = kind === 'acp' ? modeIn(options) : undefined;
    this.#agentContext = agentContext;
    this.#stream = streamOf(line.send);
  }

  begin(input: TurnInput): void {
    this.#input = input;
    void this.#prompt(input).catch((error: unknown) => {
      if (this.#input === input) this.#end(refusal(error, this.#collector?.text() ?? '', this.#abilities.logins));
    });
  }

  interrupt(): void {
    const session = this.#session;
    if (session === undefined || this.#collector === undefined) return this.#end({ kind: 'aborted' });
    void this.#agent
      ?.then((agent) => agent.notify('session/cancel', { sessionId: session }))
      .catch(() => {
        // The program has ended meanwhile; that is reported elsewhere.
      });
  }

  closed(): void {
    this.#input = undefined;
    this.#stream.close();
  }

  heard(message: JsonObject): void {
    const wire = messageSchema.safeParse(message);
    if (wire.success) this.#stream.push(wire.data);
  }

  async #prompt(input: TurnInput): Promise<void> {
    const agent = await (this.#agent ??= this.#connect());
    const isNew = this.#session === undefined;
    this.#session ??= await this.#open(agent, input);
    if (this.#input !== input) return;
    const { identity } = this.#agentContext;
    // The protocol has no system prompt: the identity comes first in the prompt.
    const words = isNew && identity !== undefined ? [identity, input.prompt] : [input.prompt];
    const images = this.#abilities.canSee ? ((await input.images?.()) ?? []) : [];
    if (this.#input !== input) return;
    const first = await this.#ask(agent, this.#session, words, images);
    if (this.#input !== input) return;
    if (this.#denied.length === 0 || first.kind !== 'answered') {
      this.#end(first);
      return;
    }
    // A refused call gets no reason by the protocol: some programs then end their turn.
    const second = await this.#ask(agent, this.#session, [afterDenial(this.#denied)]);
    if (this.#input === input) this.#end(second);
  }

  /** One prompt; what was spent and said is told. */
  async #ask(
    agent: ClientContext,
    sessionId: string,
    words: readonly string[],
    images: readonly ToolImage[] = [],
  ): Promise<TurnEnd> {
    const said = (this.#collector = messageCollector());
    const input = this.#input;
    this.#denied = [];
    try {
      const prompt = [
        ...words.map((text) => ({ type: 'text' as const, text })),
        ...images.map(({ mediaType: mimeType, base64: data }) => ({ type: 'image' as const, mimeType, data })),
      ];
      const response = await agent.request('session/prompt', { sessionId, prompt });
      if (this.#input !== input) return { kind: 'aborted' };
      for (const step of said.rest()) this.#line.tell(step);
      const told = { costUsd: this.#turnCost(), ...this.#context };
      const isWhole = this.#kind !== 'opencode' || !said.usedTools();
      const { steps, end } = promptSteps(response, said.text(), told, isWhole);
      for (const step of steps) this.#line.tell(step);
      return end;
    } finally {
      if (this.#collector === said) this.#collector = undefined;
    }
  }

  async #connect(): Promise<ClientContext> {
    const { client, PROTOCOL_VERSION } = await import('@agentclientprotocol/sdk');
    const { agent } = client(CLIENT)
      .onRequest('session/request_permission', ({ params }) => this.#asked(params))
      .onNotification('session/update', ({ params }) => this.#updated(params.update))
      .connect(this.#stream.stream);
    const open = await agent.request('initialize', {
      protocolVersion: PROTOCOL_VERSION,
      clientInfo: CLIENT,
      // The program has its own file and terminal tools, and asks for permission to use them.
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    });
    this.#abilities = abilitiesIn(open);
    return agent;
  }

  #open(agent: ClientContext, { cwd }: TurnInput): Promise<string> {
    const { session, tell } = this.#line;
    const asked = { session, mode: this.#mode, model: this.#model };
    const request = { ...asked, abilities: this.#abilities, cwd, mcpServers: this.#servers() };
    return openAcpSession(agent, request, tell);
  }

  /** Gemini gets the server in its settings, where the server can be marked as trusted. */
  #servers(): McpServer[] {
    const { server, home } = this.#agentContext;
    if (server === undefined || (this.#kind === 'gemini' && home !== undefined)) return [];
    const env = Object.entries(server.env).map(([name, value]) => ({ name, value }));
    return [{ name: 'team', command: server.command, args: [...server.args], env }];
  }

  /** The program tells what the whole session has cost. */
  #turnCost(): number | undefined {
    if (this.#cost === undefined || this.#cost < 0) return this.#cost;
    const cost = Math.max(0, this.#cost - this.#costBefore);
    this.#costBefore = Math.max(this.#cost, this.#costBefore);
    return cost;
  }

  /** What an old session repeats while it is loaded is ignored. */
  #updated(update: SessionUpdate): void {
    const cost = toldCost(update);
    if (cost !== undefined) {
      this.#cost = cost;
      if (this.#session === undefined) this.#costBefore = Math.max(0, cost);
    }
    this.#context = contextIn(update) ?? this.#context;
    const plan = planIn(update);
    if (plan !== undefined && plan !== this.#plan && this.#collector !== undefined) {
      this.#plan = plan;
      this.#line.tell(tellStep({ type: 'planned', text: plan }));
    }
    for (const step of this.#collector?.take(update) ?? []) this.#line.tell(step);
  }

  async #asked(request: RequestPermissionRequest) {
    if (!offersSingleCall(request)) {
      this.#denied = [...this.#denied, NO_SINGLE_CALL];
      this.#line.tell(tellStep({ type: 'noted', text: NO_SINGLE_CALL }));
      return chosen(request.options, { ok: false, why: NO_SINGLE_CALL });
    }
    const ask = askIn(request);
    if (ask === undefined) return chosen(request.options, { ok: true, text: '' });
    const event = { ...ask, type: 'asked' as const, paths: withinRoot(this.#line.cwd, ask.paths) };
    const answer = await new Promise<CallAnswer>((reply) => this.#line.tell({ do: 'ask', event, reply }));
    if (answer.ok) for (const step of startSteps(request.toolCall)) this.#line.tell(step);
    else this.#denied = [...this.#denied, answer.why];
    return chosen(request.options, answer);
  }

  #end(how: TurnEnd): void {
    this.#input = undefined;
    this.#collector = undefined;
    this.#line.tell(endStep(how));
  }
}

const modeIn = (options: AgentSpec['options']): string | undefined => z.string().safeParse(options?.['mode']).data;

const afterDenial = (reasons: readonly string[]): string =>
  `Tool calls of your last turn were refused: ${[...new Set(reasons)].join(' ')} Do not try them again. Finish your task without them, or say what you could not do.`;

/** The SDK's end of the connection; the peer splits and bounds the lines. */
function streamOf(send: DialectContext['send']) {
  let controller: ReadableStreamDefaultController<Wire> | undefined;
  const readable = new ReadableStream<Wire>({ start: (one) => void (controller = one) });
  const writable = new WritableStream<Wire>({ write: (message) => send({ ...message }) });
  return {
    stream: { readable, writable },
    push: (message: Wire) => controller?.enqueue(message),
    close: () => {
      controller?.close();
      controller = undefined;
    },
  };
}
