/**
 * Whether the members of a plan get trees of their own (docs/isolation.md). What was asked for and is not possible is an
 * error; `auto` takes trees only where several members may write and nothing speaks against it, and says why not.
 */
import type { Sandbox } from '../../model/agent/agent.ts';
import type { IsolationMode, TreeNeeds } from '../../model/team/isolation.ts';
import type { Name } from '../../model/text/names.ts';
import { defaultSandbox } from '../sandbox/sandbox-enforcement.ts';
import { protectedBy } from '../sandbox/workspace-path.ts';

/** What of a plan decides; a pipeline and a refine loop have the same. */
export interface TreesSubject {
  readonly isolation?: IsolationMode | undefined;
  /** Present if a planner made it. */
  readonly decomposed?: object | undefined;
  readonly members: readonly { readonly role: Name; readonly sandbox?: Sandbox | undefined }[];
}

export interface AskedModes {
  /** The option of the command line. */
  readonly flag?: IsolationMode | undefined;
  readonly configured: IsolationMode;
  /** What the configuration gives trees of a plan that says nothing about them. */
  readonly needs?: TreeNeeds | undefined;
}

/**
 * The strongest word: the option, the plan, the configuration. A plan does exactly what it says, so the configured
 * `auto` counts only for a task that a planner divided.
 */
export function askedIsolation(
  plan: Pick<TreesSubject, 'isolation' | 'decomposed'>,
  { flag, configured }: AskedModes,
): IsolationMode {
  const said = flag ?? plan.isolation;
  if (said !== undefined) return said;
  return configured === 'auto' && plan.decomposed === undefined ? 'off' : configured;
}

/** Members that may change files. */
export const writersOf = ({ members }: Pick<TreesSubject, 'members'>): number =>
  members.filter(({ role, sandbox = defaultSandbox(role) }) => sandbox !== 'read-only').length;

/** @returns why the members of this plan share the project's files under `auto`, as a clause */
export const needsNoTrees = (plan: Pick<TreesSubject, 'members'>): string | undefined =>
  writersOf(plan) < 2 ? 'fewer than two members may write' : undefined;

interface TreeSpace {
  readonly projectBytes: number;
  readonly freeBytes: number;
  readonly writers: number;
}

/** Trees may grow to twice the size of the project. @returns why there is too little space, as a clause */
export function lacksSpace({ projectBytes, freeBytes, writers }: TreeSpace): string | undefined {
  const needed = 2 * projectBytes * writers;
  if (freeBytes >= needed) return undefined;
  return `${writers} trees may need ${mebibytes(needed)}, and ${mebibytes(freeBytes)} are free`;
}

const mebibytes = (bytes: number): string => `${Math.ceil(bytes / 2 ** 20)} MiB`;

/** @returns the rule that keeps a path of the project from being lent to trees */
export function lendRule(path: string): string | undefined {
  const rule = protectedBy(path, 'write');
  return rule === 'environment files' ? undefined : rule;
}
