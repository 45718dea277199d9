/**
 * What a member may do to the files around it, for a process beside its own, such as an MCP server: by the team's config,
 * and by whether its plan is approved.
 */
import { ownTask } from '../../model/board/board.ts';
import { LEAD } from '../../model/text/names.ts';
import { defaultSandbox } from '../../policy/sandbox/sandbox-enforcement.ts';
import type { Permissions } from '../../policy/sandbox/effective-sandbox.ts';
import type { TeamHandle } from '../team/team-handle.ts';

export type { Permissions as Leave } from '../../policy/sandbox/effective-sandbox.ts';

const DEFAULT: Permissions = { sandbox: 'workspace-write', planPending: false };

/** Asked at each call: a plan is approved, and a sandbox changed, while the process runs. */
export function memberPermissions({ store, speaker }: Pick<TeamHandle, 'store' | 'speaker'>): Permissions {
  if (speaker.name === LEAD) return DEFAULT;
  const member = store.config.read()?.members.find(({ name }) => name === speaker.name);
  if (member === undefined) return { sandbox: 'read-only', planPending: false };
  return {
    sandbox: member.sandbox ?? defaultSandbox(member.role),
    planPending: member.plan_approval === true && !hasApproval({ store, speaker }),
  };
}

/**
 * A runner begins a turn on a task when its plan was approved, and its record says so while it waits. Who has no runner
 * has nobody who asks for the approval, and stays with looking.
 */
function hasApproval({ store, speaker }: Pick<TeamHandle, 'store' | 'speaker'>): boolean {
  if (speaker.kind !== 'member') return false;
  return (
    ownTask(store.board.fold(), speaker.name) !== undefined &&
    store.roster.read(speaker.name)?.note?.state !== 'waiting'
  );
}
