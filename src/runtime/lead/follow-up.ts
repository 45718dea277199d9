/** Adding the follow-up of a finished task to the board, and a member for it where the verdict says so. */
import type { AgentSpec } from '../../model/agent/agent.ts';
import type { Board } from '../../model/board/board.ts';
import { isTeamError } from '../../model/text/errors.ts';
import type { Body } from '../../model/board/event.ts';
import type { Name } from '../../model/text/names.ts';
import { newTaskSchema } from '../../model/board/task.ts';
import { defined } from '../../model/text/defined.ts';
import { filesOf } from '../../policy/supervise/cascade.ts';
import type { FollowUp, Placement } from '../../policy/sighting.ts';
import { isReadOnlyRole } from '../../policy/task-type.ts';
import { nextWorker } from '../../policy/member-availability.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import { joinTeam } from '../team/membership.ts';
import { roleNamed } from '../team/named-files.ts';
import type { Speaker } from '../team/authentication.ts';

/** What a follow-up needs to know of the work that it follows. */
const described = (board: Board, parent: string): string => {
  const task = board.tasks.get(parent);
  if (task?.status !== 'completed') return '';
  const files = [...new Set([...task.work.files, ...task.result.files])];
  return [
    `Follows task #${task.id}: ${task.subject}`,
    ...(task.description === '' ? [] : ['', task.description]),
    '',
    `What ${task.by.member} says of it: ${task.result.summary}`,
    ...(files.length === 0 ? [] : [`Files: ${files.join(', ')}`]),
  ].join('\n');
};

/** @returns the change that makes the task, for whoever it is placed with */
export function followUpChange(board: Board, parent: string, follow: FollowUp, owner: Name | undefined): Body {
  const { subject, role, metadata } = follow;
  const followed = board.tasks.get(parent);
  const work = { files: followed === undefined ? [] : filesOf(follow, followed) };
  const fields = newTaskSchema.parse({ subject, metadata, description: described(board, parent), work });
  return {
    type: 'task.created',
    task: String(board.lastTaskId + 1),
    fields: { ...fields, role, ...defined({ owner }) },
  };
}

/**
 * Who is to do it. A new member is joined, not started.
 *
 * @param spare the agent of members that the lead adds by itself
 * @returns undefined for whoever is free next
 */
export async function ownerFor(
  store: TeamStore,
  speaker: Speaker,
  follow: FollowUp,
  place: Placement,
  spare: AgentSpec | undefined,
): Promise<{ owner: Name | undefined; isNew: boolean }> {
  if (place.do === 'assign') return { owner: place.owner, isNew: false };
  if (place.do === 'queue' || spare === undefined) return { owner: undefined, isNew: false };
  const name = nextWorker([...store.board.fold().members.keys()]);
  const agent = spare.kind === 'exec' ? spare : { ...spare, tier: spare.tier ?? follow.tier };
  const sandbox = isReadOnlyRole(place.role) ? { sandbox: 'read-only' as const } : {};
  const member = { name, role: place.role, agent, ...sandbox, ...promptOf(store, place.role) };
  return { owner: await joinTeam(store, speaker, member), isNew: true };
}

/** What its agent is told of its role. A project's own role that nobody trusts tells it nothing, and the log says so. */
function promptOf({ paths, events }: TeamStore, role: Name): { prompt?: string } {
  try {
    const { prompt } = roleNamed(paths.root, role).role;
    return prompt === '' ? {} : { prompt };
  } catch (error) {
    if (!isTeamError(error)) throw error;
    events.append({ type: 'role.refused', text: error.message });
    return {};
  }
}
