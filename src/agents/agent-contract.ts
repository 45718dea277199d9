/**
 * The contract of every agent: one `turn` at a time, reported as a stream of events, with one of three ends. An agent
 * knows its input and nothing of teams, tasks or boards; it yields tool calls, and the caller answers them.
 */
import type { FailureClass, Sandbox } from '../model/agent/agent.ts';
import type { ToolName } from '../model/team/tool.ts';
import type { Usage } from '../model/agent/usage.ts';
import type { TurnEnd } from '../model/agent/turn-end.ts';

/** Mail that arrives while a turn runs. If an agent cannot take it, it waits for the next turn. */
export interface Incoming {
  /**
   * Takes the waiting mail, as text for the model; undefined when there is none. Mail that is taken belongs to this
   * turn.
   */
  take(): string | undefined;
  /** @returns a function that removes the listener */
  onArrival(listener: () => void): () => void;
}

export interface TurnInput {
  /** The request to the agent, as one text; for a task without its own prompt, the task's text. */
  readonly prompt: string;
  /** For `exec`: the argv of this task; without one, the agent's own command runs. */
  readonly argv?: readonly string[] | undefined;
  /** The whole environment of every child process: nothing is added to it. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly sandbox: Sandbox;
  /** Offered to an agent whose tools this runtime carries out: each call is a `called` event. */
  readonly tools?: readonly ToolName[];
  readonly mail?: Incoming;
  /** Reads the images of the workspace that the prompt names, for a program that takes images with its prompt. */
  readonly images?: (() => Promise<readonly ToolImage[]>) | undefined;
  /** Milliseconds; after that the turn ends as `timeout`. */
  readonly timeoutMs?: number;
  /** Milliseconds without any sign of the agent; after that the turn ends as `timeout`. */
  readonly stallMs?: number | undefined;
  /** Milliseconds that turns waited for a person so far: such time does not count against the two limits. */
  readonly heldMs?: (() => number) | undefined;
  /** Aborts the turn, after everything that the turn started is ended. */
  readonly signal: AbortSignal;
}

/** What an agent wants to do with its own tools, so that it can be allowed or denied. */
export type AccessKind = 'reads' | 'writes' | 'runs' | 'reaches' | 'unknown';

export type AgentEvent =
  /** A process was started for this turn. */
  | { readonly type: 'started'; readonly pid: number }
  /** The id under which a later process of this agent can continue; sent once a session, before the first answer. */
  | { readonly type: 'session'; readonly id: string }
  /** Raw output, unchanged; for the log and as a sign of progress. */
  | { readonly type: 'output'; readonly stream: 'stdout' | 'stderr'; readonly bytes: Buffer }
  /** Text from the model. */
  | { readonly type: 'said'; readonly text: string }
  /** The agent calls an offered tool; pass the answer to `next()`. */
  | {
      readonly type: 'called';
      readonly tool: string;
      readonly input: Readonly<Record<string, unknown>>;
      /** Aborts when the answer is no longer needed. */
      readonly signal?: AbortSignal;
    }
  /** The agent asks whether it may use its own tool; pass the answer to `next()`: `ok` is yes. */
  | {
      readonly type: 'asked';
      readonly tool: string;
      readonly effect: AccessKind;
      readonly paths: readonly string[];
      /** The whole call, such as a command: a person is asked about exactly this. */
      readonly input: string;
    }
  /** The agent used its own tool: progress, in one line. */
  | { readonly type: 'used'; readonly tool: string; readonly text: string }
  /** The agent's own list of what it is about to do, in one line; sent when it changes. */
  | { readonly type: 'planned'; readonly text: string }
  /**
   * The agent is about to call its vendor; the caller may hold it here while the vendor's pause lasts, or until its
   * budget has room. `most`: the tokens that the call can use; the answer may allow fewer in `outputTokens`.
   */
  | { readonly type: 'calling'; readonly most?: CallBound }
  /** What the vendor told of its limit of requests, with an answer. */
  | { readonly type: 'allowance'; readonly left: number; readonly resetMs: number; readonly limit: number }
  /** The vendor refused the call that `calling` told: it used nothing. */
  | { readonly type: 'unbilled' }
  /** The vendor refused or the connection broke; the agent waits, `afterMs` milliseconds if given, and tries again. */
  | { readonly type: 'retrying'; readonly why: FailureClass; readonly text: string; readonly afterMs?: number }
  /** What one model call, or several, used; reported once each. */
  | { readonly type: 'usage'; readonly usage: Usage }
  /** A note about the session: it was compacted, or an old one could not be found. */
  | { readonly type: 'noted'; readonly text: string };

/** An image that a tool shows. */
export interface ToolImage {
  readonly mediaType: string;
  readonly base64: string;
}

/** The most tokens that a call of a model can use. */
export interface CallBound {
  readonly model: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export type CallAnswer =
  | {
      readonly ok: true;
      readonly text: string;
      readonly image?: ToolImage | undefined;
      /** In answer to `calling`: the most tokens that the model may answer with. */
      readonly outputTokens?: number | undefined;
    }
  | { readonly ok: false; readonly why: string };

export type Turn = AsyncGenerator<AgentEvent, TurnEnd, CallAnswer | undefined>;

export interface Agent {
  turn(input: TurnInput): Turn;
  /** Ends everything that the agent keeps between turns; idempotent. */
  close(): Promise<void>;
}

/** A program that an agent starts beside itself, such as our MCP server with a member's identity. */
export interface Server {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/**
 * @param env names the files of its task
 * @param now the sandbox of the turn for which the program is started
 */
export type Isolate = (
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
  now: Pick<TurnInput, 'sandbox'>,
) => readonly string[];

/** What is true for all turns of an agent. An agent without any of it can serve as a subagent. */
export interface AgentContext {
  /** Who the agent is and how it works here, for its system prompt; repeated after each compaction. */
  readonly identity?: string;
  /** The agent's own directory for its configuration and its sessions; exists already, mode 0700. */
  readonly home?: string;
  /** The session of an earlier process to continue. If it cannot be found, a new one begins, and `noted` says so. */
  readonly session?: string | undefined;
  /** The team's tools for a program that speaks MCP. */
  readonly server?: Server;
  /** Wraps the program's argv in its program isolation. */
  readonly isolate?: Isolate | undefined;
  /** A program that may decide by itself asks before it changes something. */
  readonly asks?: boolean;
  /** What a script's `crashes` does, where the agent must not end the whole process. */
  readonly crash?: () => void;
}

export type ToolCallEvent = AgentEvent & { type: 'called' };
