/** What goes to a subagent's thread and what comes back, as data that can be cloned. */
import type { MessagePort } from 'node:worker_threads';
import type { AgentSpec, Sandbox } from '../model/agent.ts';

export interface Errand {
  readonly spec: AgentSpec;
  readonly prompt: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly sandbox: Sandbox;
  readonly timeoutMs: number;
}

/** The errand, and the line on which it is called off: any message ends it. */
export interface Posted {
  readonly errand: Errand;
  readonly line: MessagePort;
}

export type SubagentEnd =
  | { readonly ended: 'answered'; readonly text: string }
  | { readonly ended: 'failed'; readonly text: string; readonly message: string }
  | { readonly ended: 'aborted' };
