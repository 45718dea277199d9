/** The messages to and from a subagent's thread, as data that can be cloned. */
import type { MessagePort } from 'node:worker_threads';
import type { TurnEnd } from '../../model/agent/turn-end.ts';
import type { AgentSpec, Sandbox } from '../../model/agent/agent.ts';
import type { Usage } from '../../model/agent/usage.ts';

export interface SubagentTask {
  readonly spec: AgentSpec;
  readonly prompt: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly sandbox: Sandbox;
  readonly timeoutMs: number;
}

/** The subagent task, and the port that cancels it: any message on it stops the task. */
export interface SubagentMessage {
  readonly subagentTask: SubagentTask;
  readonly line: MessagePort;
}

/** The end of a turn, with the end of its program's output on both streams, and the usage of each call. */
export type SubagentEnd = TurnEnd & { readonly printed?: string; readonly used?: readonly Usage[] };
