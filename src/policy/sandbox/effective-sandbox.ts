/**
 * What a sandbox allows (SPEC §8): which of the workspace's tools may be used now, and how a command is held in. A
 * refusal names the rule, so that a model does not try again.
 *
 * read-only        looks; a command only where a wall keeps it from writing
 * workspace-write  changes the workspace; a command behind the wall, where there is one
 * full             commands without a wall; the file tools stay in the workspace all the same
 */
import type { Sandbox } from '../../model/agent/agent.ts';
import type { WorkspaceTool } from '../../model/team/workspace-tool.ts';

/** What a member may do to the files around it at the moment. */
export interface Permissions {
  readonly sandbox: Sandbox;
  /** Its plan has not been approved: until then nothing is changed, whatever the sandbox is. */
  readonly planPending: boolean;
}

/** What holds commands in. `off`: the user does without one. */
export type ShellIsolation = 'up' | 'missing' | 'off';

export const effectiveSandbox = ({ sandbox, planPending }: Permissions): Sandbox =>
  planPending ? 'read-only' : sandbox;

const WRITES: Readonly<Record<WorkspaceTool, boolean>> = {
  bash: false,
  read_file: false,
  write_file: true,
  edit_file: true,
};

/** @returns undefined for yes, else the rule that says no */
export function mayUse(
  tool: WorkspaceTool,
  permissions: Permissions,
  isolation: ShellIsolation,
): { why: string } | undefined {
  if (effectiveSandbox(permissions) !== 'read-only') return undefined;
  if (WRITES[tool]) return { why: `${tool} changes files, ${reason(permissions)}` };
  if (tool === 'bash' && isolation !== 'up')
    return { why: `A command could change files where no bubblewrap holds it in, ${reason(permissions)}` };
  return undefined;
}

const reason = ({ planPending }: Permissions): string =>
  planPending
    ? 'and your plan has not been approved yet (rule: plan approval); ask the lead with a plan, and wait.'
    : 'and this sandbox is read-only (rule: read-only sandbox); say what should be changed instead.';

/** How a command is run: behind the wall, or as it is. */
export const isIsolated = (permissions: Permissions, isolation: ShellIsolation): boolean =>
  isolation === 'up' && effectiveSandbox(permissions) !== 'full';
