/**
 * The contract of every agent: one `turn` at a time, told as a stream of events and ended in one of two ways. An agent
 * knows its input and nothing of teams, tasks or boards; team tools are calls that it yields and that are answered.
 */
import type { AgentSpec, FailureClass, Sandbox } from '../model/agent.ts';

export interface TurnInput {
  /** What the agent is asked, as one text; for a task without a prompt of its own, the task's text. */
  readonly prompt: string;
  /** For `exec`: the argv of this task; the agent's own command when it has none. */
  readonly argv?: readonly string[];
  /** The whole environment of what is started: nothing is added to it. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly sandbox: Sandbox;
  /** Milliseconds; the turn ends as `timeout` after it. */
  readonly timeoutMs?: number;
  /** Aborts the turn: everything it started is ended first. */
  readonly signal: AbortSignal;
}

export type AgentEvent =
  /** A process was started for this turn. */
  | { readonly type: 'started'; readonly pid: number }
  /** Raw output, as it came; for the log and as a sign of progress. */
  | { readonly type: 'output'; readonly stream: 'stdout' | 'stderr'; readonly bytes: Buffer }
  /** Something said in words. */
  | { readonly type: 'said'; readonly text: string }
  /** A team tool is called; the answer is handed to `next()`. */
  | { readonly type: 'called'; readonly tool: string; readonly input: Readonly<Record<string, unknown>> };

export type CallAnswer = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly why: string };

/** How a turn ended. `exit` is the program's own verdict on the task; the classes of SPEC §8 are the agent's faults. */
export type TurnEnd =
  | { readonly ended: 'answered'; readonly text: string; readonly exitCode?: number }
  | {
      readonly ended: 'failed';
      readonly why: FailureClass | 'exit';
      readonly text: string;
      readonly message: string;
      readonly exitCode?: number;
      readonly retryAfterMs?: number;
    }
  | { readonly ended: 'aborted' };

export type Turn = AsyncGenerator<AgentEvent, TurnEnd, CallAnswer | undefined>;

export interface Agent {
  turn(input: TurnInput): Turn;
  /** Ends whatever the agent keeps between turns; idempotent. */
  close(): Promise<void>;
}

/** Makes an agent from its data; throws `AgentError` or `UsageError` when it cannot be. */
export type AgentFactory = (spec: AgentSpec) => Agent;
