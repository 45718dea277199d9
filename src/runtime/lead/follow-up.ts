/** Adds the follow-up of a finished task to the board, and a new member for it if the verdict says so. */
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

/** The description of a follow-up: what its owner must know about the finished task. */
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

/** @returns the change that creates the follow-up task; without an owner any member may claim it */
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
 * Chooses the owner of a follow-up. A new member is joined, but not started.
 *
 * @param spare the agent of members that the lead adds by itself
 * @returns `owner` is undefined if the next free member may claim the task
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

/** The prompt of the role. If the project's own role file is not trusted, there is no prompt, and the log says so. */
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
