/**
 * Watches members that have a claim (docs/specification.md R5.6). After 5 minutes without progress it sends one STATUS
 * CHECK. A member counts as dead if its heartbeat stops and the check is unanswered for 2 minutes. If it lives but
 * makes no progress for 10 minutes, its claim is fenced and the task goes to another member. Exception: work with its
 * own `timeout` continues while the process that measures the time lives.
 */
import { PERSON } from '../../model/board/authority.ts';
import { claimOf, type Board } from '../../model/board/board.ts';
import type { Name } from '../../model/text/names.ts';
import { POISON_AFTER, type Claim, type Task } from '../../model/board/task.ts';
import { profiles } from '../profiles.ts';
import { successorOf, type Workload } from './redistribution.ts';
import type { Limits, MemberSighting, Verdict } from '../sighting.ts';
import { ANSWER_WITHIN_MS, isBeating, isFrozen } from '../member-availability.ts';
import { duration } from '../mail-wording.ts';

/** @param workload from which the new owner of a fenced task is chosen */
export function judgeProgress(
  board: Board,
  seen: MemberSighting,
  limits: Limits,
  workload: Workload,
): Verdict | undefined {
  if (seen.process !== 'alive' || profiles[board.profile].whenSilent === 'leave') return undefined;
  const task = board.tasks.get(board.busy.get(seen.name) ?? '');
  const claim = task && claimOf(task);
  if (!claim) return isFrozen(seen) && !seen.byHand ? stopped(seen) : undefined;
  if (claim.incarnation === PERSON) return undefined;
  return silence(seen, limits, task, () => fence(board, seen, task, claim, workload));
}

const stopped = ({ name, beatAge }: MemberSighting): Verdict => ({
  do: 'stop',
  member: name,
  why: `its process is alive, but has had no heartbeat for ${duration(beatAge)}`,
});

function silence(seen: MemberSighting, limits: Limits, task: Task, fenced: () => Verdict): Verdict | undefined {
  const bounded = seen.boundedByTimeout && isBeating(seen);
  if (bounded || seen.progressAge < limits.watchdogWarningMs) return undefined;
  const why = `no progress on task #${task.id} for ${duration(seen.progressAge)}`;
  if (seen.checkedFor === undefined) return { do: 'check', member: seen.name, task: task.id, why };
  if (isDeadOnEvidence(seen)) return fenced();
  return !seen.boundedByTimeout && seen.progressAge >= limits.watchdogReassignMs ? fenced() : undefined;
}

/** An answer from before the heartbeat stopped does not count after ANSWER_WITHIN_MS without a heartbeat. */
const isDeadOnEvidence = (seen: MemberSighting): boolean =>
  !isBeating(seen) && (seen.checkedFor ?? 0) >= ANSWER_WITHIN_MS && (!seen.answered || isFrozen(seen));

function fence(board: Board, seen: MemberSighting, task: Task, claim: Claim, workload: Workload): Verdict {
  const dead = isDeadOnEvidence(seen);
  const reason = dead || hangsEverybody(task) ? 'lost' : 'fenced';
  const poisoned = reason === 'lost' && task.lost + 1 >= POISON_AFTER;
  const heir = poisoned ? undefined : heirAfter(board, seen, task, workload);
  const still = dead ? `it has no heartbeat and did not answer in ${duration(ANSWER_WITHIN_MS)}` : 'it is alive';
  return {
    do: 'fence',
    member: seen.name,
    task: task.id,
    epoch: claim.epoch,
    reason,
    stop: !seen.byHand,
    heir,
    why: `no progress on task #${task.id} for ${duration(seen.progressAge)}; ${still}`,
  };
}

/**
 * A fenced claim counts neither as an attempt nor as a lost process, so a task that hangs every member would be claimed
 * for ever. Therefore, from its third claim without an outcome on, each further one counts as a lost process.
 */
const hangsEverybody = (task: Task): boolean => task.claims - task.attempts - task.lost >= POISON_AFTER;

/** Another member. If there is none: the same one after its restart, or, if a person started it, no owner. */
function heirAfter(board: Board, seen: MemberSighting, task: Task, workload: Workload): Name | null | undefined {
  if (profiles[board.profile].whenSilent === 'reset') return undefined;
  if (task.owner === undefined && board.claimMode !== 'assigned') return undefined;
  const other = successorOf(workload, task, seen.name);
  if (other !== null) return other;
  return seen.byHand ? null : undefined;
}
