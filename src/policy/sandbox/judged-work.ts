/**
 * As whom commands run that judge work: gates, `verify:`, hooks that may refuse (docs/specification.md R7.7). They run
 * what members wrote, so they may do no more than the strictest of these members; but they may change the workspace.
 */
import type { Sandbox } from '../../model/agent/agent.ts';
import { isAgentKind, usesModel, hasToolLoop } from '../../model/agent/agent-kinds.ts';
import type { Name } from '../../model/text/names.ts';
import { defaultSandbox } from './sandbox-enforcement.ts';
import type { IsolationSetting } from './shell-isolation.ts';

export interface JudgingRules {
  readonly setting: IsolationSetting;
  /** `off` is the word of the user: such commands may do all that the user may. */
  readonly sandbox: 'auto' | 'off';
  readonly network: boolean;
}

export interface Writer {
  readonly role: Name;
  readonly sandbox?: Sandbox | undefined;
  readonly agent?: { readonly kind: string } | undefined;
}

type Judged =
  /** Nobody wrote who is held by a sandbox. */
  | { readonly kind: 'free' }
  /** @property hidesKeys a writer's own tools may not read keys of the workspace */
  | { readonly kind: 'bound'; readonly hidesKeys: boolean };

/** A user's own command without a named sandbox is not held, as a target of a Makefile is not. */
export function judgedAs(writers: readonly Writer[]): Judged {
  const bound = writers.filter(isBound);
  if (bound.length === 0) return { kind: 'free' };
  return { kind: 'bound', hidesKeys: bound.some(({ agent }) => agent !== undefined && isLoop(agent.kind)) };
}

function isBound({ role, sandbox, agent }: Writer): boolean {
  if ((sandbox ?? defaultSandbox(role)) !== 'workspace-write') return false;
  if (agent === undefined || !isAgentKind(agent.kind)) return false;
  return usesModel(agent.kind) || sandbox !== undefined;
}

const isLoop = (kind: string): boolean => isAgentKind(kind) && hasToolLoop(kind);
