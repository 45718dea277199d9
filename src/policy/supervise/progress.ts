/**
 * The state of a member at one moment, with one clause as reason (docs/specification.md R5.5): for `status`, `why` and
 * every view. States are checked in order; the first that applies wins.
 */
import type { RequestKind } from '../../model/board/request.ts';
import { claimOf, openBlockers, type Board, type Member } from '../../model/board/board.ts';
import { offeredTasksOf, pendingTasksOf } from '../../model/board/listed-tasks.ts';
import { waitOf } from '../../model/board/request.ts';
import type { Task } from '../../model/board/task.ts';
import { dayAndTime } from '../../model/team/colors-and-times.ts';
import type { MemberState } from '../../model/member/member-status.ts';
import type { MemberSighting } from '../sighting.ts';
import { duration } from '../mail-wording.ts';

/** What a process reports about itself, beyond the board. */
export interface MemberNote {
  readonly state: 'starting' | 'idle' | 'working' | 'waiting' | 'rate-limited' | 'stopping';
  readonly reason: string;
  /** How many milliseconds the state still lasts, if known. */
  readonly forMs?: number | undefined;
}

export type MemberObservation = Pick<
  MemberSighting,
  'process' | 'death' | 'beatAge' | 'progressAge' | 'consecutiveFailures' | 'quarantined' | 'givenUp' | 'restarts'
> & { readonly byHand?: boolean };

interface Description {
  readonly state: MemberState;
  readonly reason: string;
}

/**
 * @param seen absent: the member has no process of ours, and only the board knows it
 * @param stalledAfterMs silence that counts as stalled: `watchdogWarningMs`
 */
export function describeMember(
  board: Board,
  member: Member,
  {
    seen,
    note,
    stalledAfterMs,
  }: { seen?: MemberObservation | undefined; note?: MemberNote | undefined; stalledAfterMs: number },
): Description {
  const task = board.tasks.get(board.busy.get(member.name) ?? '');
  if (member.state === 'left') return { state: 'left', reason: 'it left the team' };
  const asks = asking(board, member, task);
  if (!seen) return asks ?? (task ? at(task) : { state: 'joined', reason: 'it works without a process of the team' });
  return (
    gone(member, seen) ??
    asks ??
    held(seen, note, task, stalledAfterMs) ??
    (task ? at(task, note) : free(board, member, note))
  );
}

/** It waits for a person: about its task in progress, or while it has no other work. */
function asking(board: Board, { name }: Member, task: Task | undefined): Description | undefined {
  const request = waitOf(board, name, task?.id);
  if (request === undefined || (task !== undefined && request.task !== task.id)) return undefined;
  const { id, kind, at: since, text } = request;
  const what = ASKS[kind];
  const about = request.task === undefined ? '' : `task #${request.task}: `;
  // The words come first: a narrow row shows only its beginning.
  return { state: 'waiting', reason: `${about}${what}: ${shortly(text)} (${id}, since ${dayAndTime(since)})` };
}

const ASKS: Readonly<Record<RequestKind, string>> = {
  question: 'asks the lead',
  consensus: 'asks the lead',
  plan: 'asks the lead to approve its plan',
  permission: 'asks for permission',
  review: 'asks a person to review its change',
};

/** Characters of a question that a status shows. */
const SHOWN = 120;

function shortly(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= SHOWN ? line : `${line.slice(0, SHOWN)}…`;
}

/** It has no process, or may not work. */
function gone(member: Member, seen: MemberObservation): Description | undefined {
  if (seen.quarantined)
    return {
      state: 'quarantined',
      reason: `${seen.consecutiveFailures} failed tasks in a row; it gets no new tasks`,
    };
  if (seen.process === 'none')
    return member.incarnation === null
      ? { state: 'joined', reason: 'it was not started yet' }
      : { state: 'stopped', reason: endOf(seen) };
  if (seen.process !== 'dead') return undefined;
  return { state: 'dead', reason: `${seen.death ?? 'cause unknown'}; ${afterDeath(seen)}` };
}

/** A lead that stops at once kills its members. */
const endOf = ({ death = 'exit 0' }: MemberObservation): string =>
  death === 'exit 0' ? 'its process ended in order' : `its process ended: ${death}`;

function afterDeath({ byHand, givenUp, restarts }: MemberObservation): string {
  if (byHand) return 'a person started it and may start it again';
  return givenUp ? `not restarted again after ${restarts} restarts` : 'it will be restarted';
}

/** Its process lives, but something prevents it from working. */
function held(
  seen: MemberObservation,
  note: MemberNote | undefined,
  task: Task | undefined,
  stalledAfterMs: number,
): Description | undefined {
  if (seen.process === 'starting' || note?.state === 'starting')
    return { state: 'starting', reason: note?.reason ?? 'its process is being started' };
  if (note?.state === 'rate-limited') return { state: 'rate-limited', reason: note.reason + still(note) };
  if (task && seen.progressAge >= stalledAfterMs)
    return { state: 'stalled', reason: `no progress on task #${task.id} for ${duration(seen.progressAge)}` };
  if (note?.state === 'stopping') return { state: 'working', reason: `it is stopping: ${note.reason}` };
  return note?.state === 'waiting' ? { state: 'waiting', reason: note.reason + still(note) } : undefined;
}

const still = ({ forMs }: MemberNote): string => (forMs === undefined ? '' : ` (${duration(forMs)} more)`);

function at(task: Task, note?: MemberNote): Description {
  const attempt = task.attempts + 1;
  const which = attempt > 1 ? ` (attempt ${attempt} of ${task.retries + 1})` : '';
  const doing = note?.state === 'working' && note.reason !== '' ? `: ${note.reason}` : `: ${task.subject}`;
  return { state: 'working', reason: `task #${task.id}${which}${doing}` };
}

/** So many pending tasks of a member are looked at for its next one. */
const LOOKED_AT = 100;

/** Its pending task with the fewest open blockers. */
function nextOf(board: Board, { name }: Member): { readonly task: Task; readonly blockers: string[] } | undefined {
  let best: { task: Task; blockers: string[] } | undefined;
  let looked = 0;
  for (const tasks of [offeredTasksOf(board, name), pendingTasksOf(board, name)])
    for (const task of tasks) {
      const blockers = openBlockers(board, task);
      if (best === undefined || blockers.length < best.blockers.length) best = { task, blockers };
      looked += 1;
      if (best.blockers.length === 0 || looked >= LOOKED_AT) return best;
    }
  return best;
}

/** It has no task in progress: its next task is blocked, or there is none. */
function free(board: Board, member: Member, note: MemberNote | undefined): Description {
  if (board.phase === 'paused') return { state: 'waiting', reason: 'the team is paused' };
  const next = nextOf(board, member);
  if (!next)
    return { state: 'idle', reason: note?.state === 'idle' && note.reason !== '' ? note.reason : 'no task for it' };
  const { task, blockers } = next;
  if (blockers.length === 0) return { state: 'idle', reason: `task #${task.id} is ready for it` };
  return {
    state: 'waiting',
    reason: `task #${task.id} waits for ${blockers.map((id) => blocker(board, id)).join(', ')}`,
  };
}

function blocker(board: Board, id: string): string {
  const task = board.tasks.get(id);
  const worker = task && claimOf(task)?.member;
  if (worker !== undefined) return `#${id} (${worker} works on it)`;
  return task?.status === 'failed' || task?.status === 'cancelled' ? `#${id} (${task.status})` : `#${id}`;
}
