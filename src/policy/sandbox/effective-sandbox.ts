/**
 * What a sandbox allows (docs/specification.md R6.6): which workspace tools may be used now, and whether a command is
 * isolated. A refusal names the rule, so that a model does not try again.
 *
 *   read-only        reads; runs a command only if shell isolation prevents writing
 *   workspace-write  changes the workspace; commands are isolated if bubblewrap is available
 *   full             commands without isolation; the file tools still stay in the workspace
 */
import type { Sandbox } from '../../model/agent/agent.ts';
import type { WorkspaceTool } from '../../model/team/workspace-tool.ts';

/** What a member may do to files at the moment. */
export interface Permissions {
  readonly sandbox: Sandbox;
  /** Its plan has not been approved: until then no file may be changed, in any sandbox. */
  readonly planPending: boolean;
}

/** The state of shell isolation. `off`: the user disabled it. */
export type ShellIsolation = 'up' | 'missing' | 'off';

export const effectiveSandbox = ({ sandbox, planPending }: Permissions): Sandbox =>
  planPending ? 'read-only' : sandbox;

const WRITES: Readonly<Record<WorkspaceTool, boolean>> = {
  bash: false,
  read_file: false,
  write_file: true,
  edit_file: true,
};

/** @returns undefined if allowed, else the rule that forbids it */
export function mayUse(
  tool: WorkspaceTool,
  permissions: Permissions,
  isolation: ShellIsolation,
): { why: string } | undefined {
  if (effectiveSandbox(permissions) !== 'read-only') return undefined;
  if (WRITES[tool]) return { why: `${tool} changes files, ${reason(permissions)}` };
  if (tool === 'bash' && isolation !== 'up')
    return { why: `A command could change files because bubblewrap does not isolate it, ${reason(permissions)}` };
  return undefined;
}

const reason = ({ planPending }: Permissions): string =>
  planPending
    ? 'and your plan has not been approved yet (rule: plan approval); end your turn with the plan.'
    : 'and this sandbox is read-only (rule: read-only sandbox); say what should be changed instead.';

/** Whether a command runs isolated. */
export const isIsolated = (permissions: Permissions, isolation: ShellIsolation): boolean =>
  isolation === 'up' && effectiveSandbox(permissions) !== 'full';
