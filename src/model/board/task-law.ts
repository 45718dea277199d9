/**
 * The rules of tasks: each function judges one kind of change and returns its effect. `claim-law.ts` has the rules of
 * claims.
 */
import { commands, speaker } from './authority.ts';
import { allDependants, ownsPrefix, refused, waitsFor, type Board, type Refused } from './board.ts';
import { ruleClaim, ruleClaimEnd } from './claim-law.ts';
import { ruleLanding } from './landing-law.ts';
import type { Ruling } from './board-effect.ts';
import type { Author, Change } from './event.ts';
import { LEAD, type Name } from '../text/names.ts';
import { isFinal, subjectCode, uniqueMarks, type NewTask, type Task } from './task.ts';
import { newTask, toCancelled, toChanged, toRetried, toSkipped, toWaived } from './task-value.ts';

type TaskEventChange = Extract<Change, { task: string }>;
type Update = Change & { type: 'task.updated' };

export function ruleTask(board: Board, change: TaskEventChange, author: Author, at: string): Ruling {
  if (change.type === 'task.created') return created(board, change.task, change.fields, author, at);
  const task = board.tasks.get(change.task);
  if (!task) return refused('UNKNOWN_TASK', `there is no task #${change.task}`);
  switch (change.type) {
    case 'task.claimed':
      return ruleClaim(board, task, change.member, author, at);
    case 'task.completed':
    case 'task.released':
    case 'task.failed':
      return ruleClaimEnd(task, change, author, at);
    case 'task.assigned':
      return assigned(board, task, change.owner, at);
    case 'task.submitted':
      return board.version === 1
        ? refused('POLICY_DENIED', 'a log of version 1 knows no landing')
        : ruleClaimEnd(task, change, author, at);
    case 'task.landed':
    case 'task.bounced':
      return ruleLanding(board, task, change, at);
    case 'task.retried':
      return retried(board, task, change.note, author, at);
    case 'task.skipped':
      return skipped(board, task, change, at);
    case 'task.cancelled':
      return cancelled(board, task, change, at);
    case 'task.blocked':
      return blocked(board, task, change.by, at);
    case 'task.unblocked':
      return unblocked(task, change.blocker, at);
    case 'task.updated':
      return updated(board, task, change, author, at);
    case 'task.changed':
      return changed(board, task, change.fields, at);
    default:
      return change satisfies never;
  }
}

const notPending = (task: Task): Refused =>
  task.status === 'in_progress'
    ? refused('ALREADY_CLAIMED', `task #${task.id} is ${task.claim.member}'s`)
    : refused('FINAL', `task #${task.id} is ${task.status}`);

// ── creation ─────────────────────────────────────────────────────────────────────────────────────────────────────

function created(board: Board, id: string, fields: NewTask, author: Author, at: string): Ruling {
  if (!board.team) return refused('TEAM_CLOSED', 'the log is not opened');
  // Ids have no gaps. Otherwise one hostile id could use all ids up, or make every reader count to it.
  if (Number(id) <= board.lastTaskId) return refused('DUPLICATE', `task id ${id} is taken`);
  if (Number(id) > board.lastTaskId + 1)
    return refused('BAD_REFERENCE', `the next task id is ${board.lastTaskId + 1}, not ${id}`);
  const refusal =
    (fields.blockedBy.length === 0 ? undefined : blockerRefusal(board, fields.blockedBy)) ??
    (fields.owner === undefined ? undefined : ownerRefusal(board, fields.owner, fields.subject)) ??
    (commands(author) ? undefined : memberTaskRefusal(board, speaker(author), fields)) ??
    twinRefusal(board, id, fields);
  return refusal ?? { tasks: [newTask(id, board.team.name, fields, at)] };
}

function blockerRefusal({ tasks }: Board, blockedBy: readonly string[]): Refused | undefined {
  const unknown = blockedBy.find((blocker) => !tasks.has(blocker));
  return unknown === undefined ? undefined : refused('UNKNOWN_TASK', `blocker #${unknown} does not exist`);
}

/**
 * Whether this member may own a task of this subject. In a pipeline it may only if no other role declares a longer
 * prefix of it.
 */
function ownerRefusal(board: Board, owner: Name, subject: string): Refused | undefined {
  if (owner === LEAD) return undefined;
  const member = board.members.get(owner);
  if (member?.state !== 'joined') return refused('UNKNOWN_MEMBER', `the owner ${owner} is no member`);
  const code = subjectCode(subject);
  return board.claimMode !== 'prefix' || code === undefined || ownsPrefix(board, member, subject)
    ? undefined
    : refused('POLICY_DENIED', `${owner}'s role does not declare the prefix of ${code}`);
}

/**
 * Tasks that a member may not create: tasks with metadata that hides or chains them, and in a pipeline tasks for
 * another role.
 */
function memberTaskRefusal(board: Board, name: Name, { subject, owner, role, metadata }: NewTask): Refused | undefined {
  if (Object.keys(metadata).some(isRuntimeKey))
    return refused('POLICY_DENIED', `${name} may not set the runtime's metadata`);
  if (board.claimMode !== 'prefix') return undefined;
  const member = board.members.get(name);
  const isOwn = member && (owner === undefined || owner === name) && (role === undefined || role === member.role);
  return isOwn && (ownsPrefix(board, member, subject) || (owner === name && subjectCode(subject) === undefined))
    ? undefined
    : refused('POLICY_DENIED', `${name} may not create tasks for other roles`);
}

/** Metadata that the runtime acts on: what is counted, and which task follows which. */
const isRuntimeKey = (key: string): boolean =>
  key.startsWith('_') || key === 'parent' || key === 'kind' || key === 'depth';

function twinRefusal(board: Board, id: string, fields: Parameters<typeof uniqueMarks>[0]): Refused | undefined {
  const marks = uniqueMarks(fields);
  return marks.length === 0 ? undefined : takenMark(board, id, marks);
}

function takenMark(board: Board, id: string, marks: readonly string[]): Refused | undefined {
  const twin = marks
    .filter((mark) => !isFreeKey(board, mark))
    .flatMap((mark) => board.unique.get(mark) ?? [])
    .find((other) => other !== id);
  return twin === undefined ? undefined : refused('DUPLICATE', `task #${twin} has the same key, code or cascade step`);
}

/** The key of a task that its plan had no more is free, so that a later plan can have it again. */
function isFreeKey({ unique, tasks }: Board, mark: string): boolean {
  const task = mark.startsWith('key ') ? tasks.get(unique.get(mark) ?? '') : undefined;
  return task?.status === 'cancelled' && task.waived === true;
}

// ── changes ──────────────────────────────────────────────────────────────────────────────────────────────────────

function assigned(board: Board, task: Task, owner: Name | null, at: string): Ruling {
  if (task.status !== 'pending') return notPending(task);
  const { owner: _, ...rest } = task;
  if (owner === null) return { tasks: [{ ...rest, updated_at: at }] };
  return ownerRefusal(board, owner, task.subject) ?? { tasks: [{ ...rest, owner, updated_at: at }] };
}

/** Since version 2 a retry brings back every task that was skipped because of this one, and the note counts. */
function retried(board: Board, task: Task, note: string | undefined, author: Author, at: string): Ruling {
  if (task.status !== 'failed') return notFailed(task);
  if (board.version === 1) return { tasks: [toRetried(task, at, { byPerson: false })] };
  const byPerson = 'person' in author;
  const skippedFor = allDependants(board, task.id).filter(
    (other) => other.status === 'skipped' && other.because === task.id,
  );
  return {
    tasks: [toRetried(task, at, { note, byPerson }), ...skippedFor.map((other) => toRetried(other, at, { byPerson }))],
  };
}

/** Whose move is next at a task that cannot be retried. */
function notFailed(task: Task): Refused {
  switch (task.status) {
    case 'failed':
    case 'pending':
      return refused('FINAL', `task #${task.id} is pending already; a member that may do it claims it`);
    case 'in_progress':
      return refused('FINAL', `task #${task.id} is being worked on by ${task.claim.member}; wait for its end`);
    case 'landing':
      return refused('FINAL', `task #${task.id} is done and waits to land; wait for its end`);
    case 'skipped':
      return task.because === undefined
        ? refused('FINAL', `task #${task.id} was skipped on purpose; create it again if it is wanted`)
        : refused('FINAL', `task #${task.id} was skipped because #${task.because} failed; retry #${task.because}`);
    case 'completed':
      return refused(
        'FINAL',
        `task #${task.id} is completed, so nothing is left to do for it; create another one if more is wanted`,
      );
    case 'cancelled':
      return refused('FINAL', `task #${task.id} is cancelled; create it again if it is wanted`);
  }
}

function skipped(board: Board, task: Task, change: Change & { type: 'task.skipped' }, at: string): Ruling {
  if (isFinal(task) && task.status !== 'failed') return notPending(task);
  const because = board.version === 1 ? undefined : change.because;
  const rest = change.cascade ? allDependants(board, task.id).filter((other) => !isFinal(other)) : [];
  return { tasks: [task, ...rest].map((one) => toSkipped(one, at, change.why, because)) };
}

/** A task that its plan has no more need not be done. Part of the law since version 2. */
function cancelled(board: Board, task: Task, { why, waived }: Change & { type: 'task.cancelled' }, at: string): Ruling {
  if (isFinal(task)) return notPending(task);
  return { tasks: [board.version > 1 && waived === true ? toWaived(task, at, why) : toCancelled(task, at, why)] };
}

function blocked(board: Board, task: Task, by: string, at: string): Ruling {
  if (task.status !== 'pending') return notPending(task);
  if (!board.tasks.has(by)) return refused('UNKNOWN_TASK', `blocker #${by} does not exist`);
  if (by === task.id) return refused('CYCLE', `task #${task.id} cannot wait for itself`);
  if (task.blockedBy.includes(by)) return {};
  if (waitsFor(board, by, task.id))
    return refused('CYCLE', `#${by} already waits for #${task.id}: that would be a cycle`);
  return { tasks: [{ ...task, blockedBy: [...task.blockedBy, by], updated_at: at }] };
}

function unblocked(task: Task, blocker: string, at: string): Ruling {
  if (task.status !== 'pending') return notPending(task);
  if (!task.blockedBy.includes(blocker)) return refused('BAD_REFERENCE', `#${blocker} does not block #${task.id}`);
  return { tasks: [{ ...task, blockedBy: task.blockedBy.filter((id) => id !== blocker), updated_at: at }] };
}

function updated(board: Board, task: Task, change: Update, author: Author, at: string): Ruling {
  if (isFinal(task)) return notPending(task);
  const { subject = task.subject, description = task.description, activeForm = task.activeForm } = change;
  const metadata = change.metadata ? { ...task.metadata, ...change.metadata } : task.metadata;
  const next = {
    ...task,
    subject,
    description,
    metadata,
    activeForm,
    updated_at: at,
  };
  const refusal =
    (commands(author) ? undefined : memberUpdateRefusal(task, change, speaker(author))) ??
    twinRefusal(board, task.id, next);
  return refusal ?? { tasks: [next] };
}

/**
 * A member may describe its own task further. It may change neither the subject's code nor metadata that the runtime
 * acts on.
 */
function memberUpdateRefusal(task: Task, change: Update, name: Name): Refused | undefined {
  if (name !== (task.status === 'in_progress' ? task.claim.member : task.owner))
    return refused('POLICY_DENIED', `task #${task.id} is not ${name}'s`);
  if (change.subject !== undefined && subjectCode(change.subject) !== subjectCode(task.subject))
    return refused('POLICY_DENIED', `only the lead may change the code of task #${task.id}`);
  return Object.keys(change.metadata ?? {}).some(isRuntimeKey)
    ? refused('POLICY_DENIED', `${name} may not set the runtime's metadata`)
    : undefined;
}

/** A pending task becomes what a changed plan says. Part of the law since version 2 of the log. */
function changed(board: Board, task: Task, fields: NewTask, at: string): Ruling {
  if (board.version === 1) return refused('POLICY_DENIED', 'a log of version 1 knows no changed plan');
  if (task.status !== 'pending') return notPending(task);
  const unknown = blockerRefusal(board, fields.blockedBy);
  if (unknown) return unknown;
  const circular = fields.blockedBy.find((blocker) => blocker === task.id || waitsFor(board, blocker, task.id));
  if (circular !== undefined)
    return refused('CYCLE', `#${circular} already waits for #${task.id}: that would be a cycle`);
  const isOwned = fields.owner !== undefined && fields.owner !== task.owner;
  const refusal =
    (isOwned ? ownerRefusal(board, fields.owner ?? LEAD, fields.subject) : undefined) ??
    twinRefusal(board, task.id, fields);
  return refusal ?? { tasks: [toChanged(task, at, fields)] };
}
