/**
 * What a member may do to files, for a process beside its own, such as an MCP server. The team's config and the
 * approval of its plan decide.
 */
import { ownTask } from '../../model/board/board.ts';
import { LEAD } from '../../model/text/names.ts';
import { defaultSandbox } from '../../policy/sandbox/sandbox-enforcement.ts';
import type { Permissions } from '../../policy/sandbox/effective-sandbox.ts';
import type { TeamHandle } from '../team/team-handle.ts';

const DEFAULT: Permissions = { sandbox: 'workspace-write', planPending: false };

/** Call it for each tool call: a plan may be approved, or a sandbox changed, while the process runs. */
export function memberPermissions({ store, speaker }: Pick<TeamHandle, 'store' | 'speaker'>): Permissions {
  if (speaker.name === LEAD) return DEFAULT;
  const member = store.config.read()?.members.find(({ name }) => name === speaker.name);
  if (member === undefined) return { sandbox: 'read-only', planPending: false };
  return {
    sandbox: member.sandbox ?? defaultSandbox(member.role),
    planPending: member.plan_approval === true && !hasApproval({ store, speaker }),
  };
}

/** Whether the board has the approval of a plan for the present claim of the member's own process. */
function hasApproval({ store, speaker }: Pick<TeamHandle, 'store' | 'speaker'>): boolean {
  if (speaker.kind !== 'member') return false;
  const board = store.board.fold();
  const own = ownTask(board, speaker.name);
  return [...board.requests.values()].some(
    (request) =>
      request.kind === 'plan' &&
      request.state === 'answered' &&
      request.approve &&
      request.task === own?.id &&
      request.epoch === own?.claim.epoch,
  );
}
