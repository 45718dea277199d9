/** The rules of claims: who may begin a task, and who may end a claim. */
import { commands, incarnationOf, speaker } from './authority.ts';
import { claimRefusal, refused, type Board, type Refused } from './board.ts';
import type { Ruling } from './board-effect.ts';
import type { Author, Change } from './event.ts';
import type { Name } from '../text/names.ts';
import { POISON_AFTER, type Task } from './task.ts';
import { factsOf, toClaimed, toCompleted, toFailed, toLanding, toPending, type Running } from './task-value.ts';

type ClaimEnd = Extract<Change, { type: 'task.released' | 'task.completed' | 'task.submitted' | 'task.failed' }>;

export function ruleClaim(board: Board, task: Task, name: Name, author: Author, at: string): Ruling {
  const incarnation = incarnationOf(author);
  if (speaker(author) !== name) return refused('POLICY_DENIED', `${speaker(author)} cannot claim for ${name}`);
  if (task.status === 'in_progress' && task.claim.member === name && task.claim.incarnation === incarnation) return {};
  const refusal = claimRefusal(board, task, board.members.get(name), name);
  return refusal ?? { tasks: [toClaimed(task, at, { member: name, incarnation, epoch: task.claims + 1 })] };
}

export function ruleClaimEnd(task: Task, change: ClaimEnd, author: Author, at: string): Ruling {
  if (task.status !== 'in_progress') return noClaim(task, change.epoch);
  const refusal = endRefusal(task, change, author);
  if (refusal) return refusal;
  switch (change.type) {
    case 'task.completed':
      return { tasks: [toCompleted(task, at, change.result)] };
    case 'task.submitted':
      return { tasks: [toLanding(task, at, change.result, change.attempt)] };
    case 'task.failed':
      return { tasks: [attempted(task, at, change.why)] };
    case 'task.released':
      return { tasks: [change.reason === 'lost' ? lost(task, at, change.why) : toPending(task, at)] };
    default:
      return change satisfies never;
  }
}

/** One more attempt failed: the task goes back to its owner while attempts are left. */
function attempted(task: Running, at: string, why: string): Task {
  const facts = { ...task, attempts: task.attempts + 1 };
  if (facts.attempts > facts.retries) return toFailed(facts, at, 'FAILED', why);
  return Object.assign(factsOf(facts, at), { status: 'pending' as const, lastFailure: why });
}

/** One more process died at the task. This is no attempt, but a task that kills processes is failed. */
function lost(task: Running, at: string, why: string): Task {
  const facts = { ...task, lost: task.lost + 1 };
  if (facts.lost < POISON_AFTER) return toPending(facts, at);
  return toFailed(facts, at, 'POISON', `${facts.lost} processes died at it: ${why}`);
}

function noClaim(task: Task, epoch: number): Refused {
  const isLast = task.status !== 'pending' && task.claims === epoch;
  return isLast
    ? refused('FINAL', `task #${task.id} is ${task.status}`)
    : refused('STALE_CLAIM', `claim ${epoch} of task #${task.id} is over; the task is ${task.status}`);
}

/** A claim is ended by the incarnation that holds it, with its epoch; the lead may end any claim. */
function endRefusal({ id, claim }: Running, change: ClaimEnd, author: Author): Refused | undefined {
  const { epoch } = change;
  if (claim.epoch !== epoch)
    return refused('STALE_CLAIM', `claim ${epoch} of task #${id} is over; ${claim.member} has claim ${claim.epoch}`);
  if (commands(author)) return undefined;
  if (claim.member !== speaker(author) || claim.incarnation !== incarnationOf(author))
    return refused('POLICY_DENIED', `task #${id} is ${claim.member}'s`);
  // Only the lead can see from outside whether a process was lost, orphaned or fenced.
  return change.type === 'task.released' && change.reason !== 'released' && change.reason !== 'agent'
    ? refused('POLICY_DENIED', `only the lead may release a claim as ${change.reason}`)
    : undefined;
}
