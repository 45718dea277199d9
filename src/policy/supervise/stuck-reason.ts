/**
 * Says what is missing if no task runs and none can start: the loop never waits silently. A task is not stuck if a
 * person, the lead, or a member that will be restarted can take it.
 */
import { claimRefusal, openBlockers, type Board, type Member } from '../../model/board/board.ts';
import { readyTasks, waitingForMissed } from '../../model/board/listed-tasks.ts';
import { LEAD } from '../../model/text/names.ts';
import { isInternal, type Task } from '../../model/board/task.ts';
import { listOf, OFFERED, offeredTo } from '../../model/board/task-lists.ts';
import { profiles } from '../profiles.ts';
import { reviewedAuthor, mayBeGiven } from './redistribution.ts';
import type { MemberSighting, Sighting, Verdict } from '../sighting.ts';
import { isAble, sightedMembers } from '../member-availability.ts';

/** At most this many reasons in one text. */
const MOST_REASONS = 5;

export function stuckReason(sighting: Sighting): Verdict | undefined {
  const { board } = sighting;
  // A member that asked a person waits without a limit.
  if (board.tally.pending === 0 || board.busy.size > 0 || board.open.size > 0) return undefined;
  // What lands or is sent back makes other tasks ready.
  if (board.tally.landing > 0) return undefined;
  // A living role has not reported yet, and its report starts the next one.
  if (sighting.pipeline && sighting.members.some(({ process }) => process === 'alive' || process === 'starting'))
    return undefined;
  const isWaitedFor = waitedFor(sighting);
  const offered = listOf(board.lists, OFFERED).size;
  const reasons: string[] = [];
  let all = 0;
  const tell = (reason: () => string): void => {
    all += 1;
    if (all <= MOST_REASONS) reasons.push(reason());
  };
  for (const task of readyTasks(board)) {
    if (isWaitedFor(task)) return undefined;
    tell(() => `task #${task.id} ${missing(sighting, task)}`);
    if (isWaitedFor === nobody && all === MOST_REASONS) break;
  }
  // No request is open, so all offered tasks are ready.
  all = Math.max(all, offered);
  for (const task of waitingForMissed(board))
    if (!isInternal(task)) for (const end of deadEnds(board, task)) tell(() => `task #${task.id} waits for ${end}`);
  const more = all - MOST_REASONS;
  return { do: 'stuck', why: reasons.join('; ') + (more > 0 ? `; and ${more} more` : '') };
}

const nobody = (): boolean => false;

/** Whether a member can take a ready task and will, or at least may. */
function waitedFor({ board, members, untrusted }: Sighting): (task: Task) => boolean {
  const seen = new Map(members.map((one) => [one.name, one]));
  // A member without a sighting has no process of ours: a person or an MCP host, which may return at any time.
  const isHere = ({ name, state }: Member): boolean => state === 'joined' && isAbleOrUnseen(seen.get(name));
  const here = [...board.members.values()].filter(isHere);
  if (here.length === 0 && listOf(board.lists, offeredTo(LEAD)).size === 0) return nobody;
  const assignable = here.filter(({ name }) => seen.has(name));
  return (task) => {
    if (untrusted.has(task.id)) return false;
    if (task.owner === LEAD) return true;
    if (task.owner !== undefined) return here.some(({ name }) => name === task.owner);
    if (board.claimMode !== 'assigned')
      return here.some((one) => claimRefusal(board, task, one, one.name) === undefined);
    return profiles[board.profile].redistributes && assignable.some((one) => mayBeGiven(board, task, one));
  };
}

const isAbleOrUnseen = (seen: MemberSighting | undefined): boolean => seen === undefined || isAble(seen);

/** What a ready task lacks, as the end of a sentence about it. */
function missing(sighting: Sighting, task: Task): string {
  const { board, members, untrusted } = sighting;
  if (untrusted.has(task.id)) return 'has a command that its user did not give: teams doctor --trust shows it';
  if (task.owner !== undefined) {
    const seen = members.find(({ name }) => name === task.owner);
    if (board.members.get(task.owner)?.state !== 'joined') return `belongs to ${task.owner}, who has left`;
    if (seen?.quarantined) return `belongs to ${task.owner}, which is quarantined`;
    return `belongs to ${task.owner}, which ${seen?.process === 'none' ? 'is not started' : 'is gone'}`;
  }
  const joined = sightedMembers(sighting);
  if (joined.length === 0) return 'has no member to do it: the team has no members';
  if (joined.some((one) => mayBeGiven(board, task, one.member)))
    return 'has no member to do it: no allowed member is running';
  const author = reviewedAuthor(board, task);
  if (author !== undefined && joined.every(({ member }) => member.name === author))
    return `reviews the work of ${author}, and there is no other member to do it`;
  if (board.claimMode === 'prefix') return `has a prefix that no member declares: ${task.subject}`;
  if (task.role !== undefined) return `needs the role ${task.role}, which no member has`;
  return 'needs a member that may write, and there are only read-only ones';
}

/** The blockers of a task that will not resolve by themselves. */
const deadEnds = (board: Board, task: Task): string[] =>
  openBlockers(board, task).flatMap((id) => {
    const status = board.tasks.get(id)?.status;
    if (status === 'failed') return [`#${id}, which failed: retry it, skip it or unblock #${task.id}`];
    return status === 'cancelled' ? [`#${id}, which was cancelled: skip or unblock #${task.id}`] : [];
  });
