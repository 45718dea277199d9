/**
 * The contract of every agent: one `turn` at a time, told as a stream of events and ended in one of three ways. An agent
 * knows its input and nothing of teams, tasks or boards; tools are calls that it yields and that are answered.
 */
import type { FailureClass, Sandbox } from '../model/agent/agent.ts';
import type { ToolName } from '../model/team/tool.ts';
import type { Usage } from '../model/agent/usage.ts';

/** Mail that comes while a turn runs. An agent that cannot take it leaves it: then it is of the next turn. */
export interface Incoming {
  /** Takes what waits, in words for the model; undefined when nothing does. What is taken belongs to this turn. */
  take(): string | undefined;
  /** @returns what takes the listener away again */
  onArrival(listener: () => void): () => void;
}

export interface TurnInput {
  /** What the agent is asked, as one text; for a task without a prompt of its own, the task's text. */
  readonly prompt: string;
  /** For `exec`: the argv of this task; the agent's own command when it has none. */
  readonly argv?: readonly string[] | undefined;
  /** The whole environment of what is started: nothing is added to it. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly sandbox: Sandbox;
  /** Offered to an agent whose tools we carry out: each call of one is a `called` event. */
  readonly tools?: readonly ToolName[];
  readonly mail?: Incoming;
  /** Milliseconds; the turn ends as `timeout` after it. */
  readonly timeoutMs?: number;
  /** Milliseconds without any sign of the agent; the turn ends as `timeout` after it. */
  readonly stallMs?: number | undefined;
  /** Aborts the turn: everything it started is ended first. */
  readonly signal: AbortSignal;
}

/** What an agent wants to do by itself, told so that it can be allowed or denied. */
export type AccessKind = 'reads' | 'writes' | 'runs' | 'reaches' | 'unknown';

export type AgentEvent =
  /** A process was started for this turn. */
  | { readonly type: 'started'; readonly pid: number }
  /** The id under which a later life of this agent can go on; told once a session, before the first answer. */
  | { readonly type: 'session'; readonly id: string }
  /** Raw output, as it came; for the log and as a sign of progress. */
  | { readonly type: 'output'; readonly stream: 'stdout' | 'stderr'; readonly bytes: Buffer }
  /** Something said in words. */
  | { readonly type: 'said'; readonly text: string }
  /** An offered tool is called; the answer is handed to `next()`. */
  | {
      readonly type: 'called';
      readonly tool: string;
      readonly input: Readonly<Record<string, unknown>>;
      /** Aborts when the answer is wanted no more. */
      readonly signal?: AbortSignal;
    }
  /** It asks whether it may use a tool of its own; the answer is handed to `next()`: `ok` is yes. */
  | { readonly type: 'asked'; readonly tool: string; readonly effect: AccessKind; readonly paths: readonly string[] }
  /** It used a tool of its own: progress, in one line. */
  | { readonly type: 'used'; readonly tool: string; readonly text: string }
  /** It is about to call its vendor; whoever drives the turn may hold it here, while the vendor's pause lasts. */
  | { readonly type: 'calling' }
  /** Its vendor refused or was cut; it waits by itself, `afterMs` if it says so, and tries again. */
  | { readonly type: 'retrying'; readonly why: FailureClass; readonly text: string; readonly afterMs?: number }
  /** What one model call, or several, used; each is told once. */
  | { readonly type: 'usage'; readonly usage: Usage }
  /** Something about its session: it was compacted, or an old one could not be found. */
  | { readonly type: 'noted'; readonly text: string };

export type CallAnswer = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly why: string };

/** How a turn ended. `exit` is the program's own verdict on the task; the classes of SPEC §8 are the agent's faults. */
export type TurnEnd =
  | { readonly ended: 'answered'; readonly text: string; readonly exitCode?: number | undefined }
  | {
      readonly ended: 'failed';
      readonly why: FailureClass | 'exit';
      readonly text: string;
      readonly message: string;
      readonly exitCode?: number | undefined;
      readonly retryAfterMs?: number | undefined;
    }
  | { readonly ended: 'aborted' };

export type Turn = AsyncGenerator<AgentEvent, TurnEnd, CallAnswer | undefined>;

export interface Agent {
  turn(input: TurnInput): Turn;
  /** Ends whatever the agent keeps between turns; idempotent. */
  close(): Promise<void>;
}

/** A program that an agent starts beside itself, such as our MCP server with a member's identity. */
export interface Server {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Where an agent sits: what is true for all of its turns. Without any of it an agent is good for errands. */
export interface AgentContext {
  /** Who it is and how it works here, for its system prompt; repeated after each compaction. */
  readonly identity?: string;
  /** A directory of its own, for its configuration and its sessions; made before, 0700. */
  readonly home?: string;
  /** The session of an earlier life to go on with; when it cannot be found a fresh one begins, and `noted` says so. */
  readonly session?: string | undefined;
  /** The team's tools for a program that speaks MCP. */
  readonly server?: Server;
  /** Puts what holds its program in around the program's argv. */
  readonly isolate?: ((argv: readonly string[]) => readonly string[]) | undefined;
  /** What a script's `crashes` does, where the whole process is not the agent's to end. */
  readonly crash?: () => void;
}

export type ToolCallEvent = AgentEvent & { type: 'called' };
