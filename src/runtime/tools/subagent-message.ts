/** What goes to a subagent's thread and what comes back, as data that can be cloned. */
import type { MessagePort } from 'node:worker_threads';
import type { TurnEnd } from '../../agents/agent-registry.ts';
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

/** The errand, and the line on which it is called off: any message ends it. */
export interface SubagentMessage {
  readonly subagentTask: SubagentTask;
  readonly line: MessagePort;
}

/** The end of a turn, with the end of all that its program printed on both streams, and what it used, call by call. */
export type SubagentEnd = TurnEnd & { readonly printed?: string; readonly used?: readonly Usage[] };
