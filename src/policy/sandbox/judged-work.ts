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

/** Of a team: its members, and who else wrote in its workspace. */
export const writersOf = (
  config: { readonly members: readonly Writer[]; readonly writers?: readonly Writer[] | undefined } | undefined,
): readonly Writer[] => [...(config?.members ?? []), ...(config?.writers ?? [])];

/** A user's own command without a named sandbox is held only where isolation is required, as its member is. */
export function judgedAs(writers: readonly Writer[], setting: IsolationSetting): Judged {
  const bound = writers.filter((writer) => isBound(writer, setting));
  if (bound.length === 0) return { kind: 'free' };
  return { kind: 'bound', hidesKeys: bound.some(({ agent }) => agent !== undefined && isLoop(agent.kind)) };
}

function isBound({ role, sandbox, agent }: Writer, setting: IsolationSetting): boolean {
  if ((sandbox ?? defaultSandbox(role)) !== 'workspace-write') return false;
  if (agent === undefined || !isAgentKind(agent.kind)) return false;
  return usesModel(agent.kind) || sandbox !== undefined || setting === 'required';
}

/**
 * Adds a writer to those of a team, once. It stays there: what it wrote stays in the workspace.
 *
 * @returns the same list if it has one that is held alike
 */
export function withWriter(writers: readonly Writer[], { role, sandbox, agent }: Writer): readonly Writer[] {
  const wanted = sandbox ?? defaultSandbox(role);
  const isKnown = writers.some(
    (one) =>
      (one.sandbox ?? defaultSandbox(one.role)) === wanted &&
      (one.sandbox === undefined) === (sandbox === undefined) &&
      one.agent?.kind === agent?.kind,
  );
  return isKnown || wanted !== 'workspace-write' || agent === undefined
    ? writers
    : [...writers, { role, sandbox, agent: { kind: agent.kind } }];
}

/** The configuration of a team whose members change: what a member wrote before is still judged as it was written. */
export function withMembers<
  Member extends Writer & { readonly name: Name },
  Config extends { readonly members: readonly Member[]; readonly writers?: readonly Writer[] | undefined },
>(config: Config, members: readonly Member[]) {
  const changed = config.members.filter((before) => {
    const now = members.find(({ name }) => name === before.name);
    return now?.sandbox !== before.sandbox || now?.agent?.kind !== before.agent?.kind;
  });
  const writers = changed.reduce(withWriter, config.writers ?? []);
  return { ...config, members: [...members], ...(writers.length === 0 ? {} : { writers: [...writers] }) };
}

const isLoop = (kind: string): boolean => isAgentKind(kind) && hasToolLoop(kind);
