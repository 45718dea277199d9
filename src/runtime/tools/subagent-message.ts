/** The messages to and from a subagent's thread, as data that can be cloned. */
import type { MessagePort } from 'node:worker_threads';
import type { AgentEvent, CallAnswer } from '../../agents/agent-contract.ts';
import type { TurnEnd } from '../../model/agent/turn-end.ts';
import type { AgentSpec, Sandbox } from '../../model/agent/agent.ts';
import type { IsolationSetting } from '../../policy/sandbox/shell-isolation.ts';
import type { ShownTree } from '../../policy/sandbox/lent-path.ts';
import type { Lend } from '../../model/team/lend.ts';

export interface SubagentTask {
  readonly spec: AgentSpec;
  readonly prompt: string;
  readonly cwd: string;
  /** It is a tree that is shown elsewhere in an isolation. */
  readonly shown?: ShownTree | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly sandbox: Sandbox;
  /** What it is, for people: `the planner`. */
  readonly about: string;
  /** The user named the sandbox; by default true for `read-only`. Only then is a user's own command isolated. */
  readonly isAsked?: boolean | undefined;
  readonly timeoutMs: number;
}

/** What an agent tells of its calls of a model; the other side answers each before the turn goes on. */
export type CallEvent = Extract<AgentEvent, { type: 'calling' | 'usage' | 'unbilled' | 'retrying' | 'allowance' }>;

/** To the thread: the task is to stop, or the answer to its last call event. */
export type ToSubagent = 'stop' | { readonly answer: CallAnswer | undefined };

/** From the thread: the last line of its output when it changes, and each call event. */
export type FromSubagent = { readonly line: string } | { readonly event: CallEvent };

/** The subagent task, and the port between both sides. */
export interface SubagentMessage {
  readonly subagentTask: SubagentTask;
  /** For the commands of a model's tools. */
  readonly setting: IsolationSetting;
  readonly lend?: Lend | undefined;
  readonly team: readonly string[];
  /** The isolation of its program: the argv before the program's own, and its home. */
  readonly isolation?: { readonly argv: readonly string[]; readonly home: string } | undefined;
  readonly port: MessagePort;
}

/** The end of a turn, with the end of its program's output on both streams. */
export type SubagentEnd = TurnEnd & { readonly printed?: string };
