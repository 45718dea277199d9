/** Makes the next value of a task: fields that are valid in every status are copied, no others. */
import type { Name } from '../text/names.ts';
import type { Attempt, Bounce, Claim, FailureCode, LandingTask, NewTask, TaskResult, Task, TaskFacts } from './task.ts';

export type Running = Task & { readonly status: 'in_progress' };

type Optional = 'key' | 'activeForm' | 'owner' | 'role' | 'note' | 'bounced';
type Given = Omit<TaskFacts, Optional | 'updated_at'> & { readonly [Key in Optional]?: TaskFacts[Key] | undefined };
type Unsealed<T> = { -readonly [Key in keyof T]: T[Key] };

/** The common fields of a task at a new time. They are written out, not spread: this runs for every event of a log. */
export function factsOf(task: Given, at: string): Unsealed<TaskFacts> {
  const facts: Unsealed<TaskFacts> = {
    id: task.id,
    team: task.team,
    subject: task.subject,
    description: task.description,
    blockedBy: task.blockedBy,
    work: task.work,
    attempts: task.attempts,
    retries: task.retries,
    lost: task.lost,
    claims: task.claims,
    required: task.required,
    metadata: task.metadata,
    created_at: task.created_at,
    updated_at: at,
  };
  if (task.key !== undefined) facts.key = task.key;
  if (task.activeForm !== undefined) facts.activeForm = task.activeForm;
  if (task.owner !== undefined) facts.owner = task.owner;
  if (task.role !== undefined) facts.role = task.role;
  if (task.note !== undefined) facts.note = task.note;
  if (task.bounced !== undefined) facts.bounced = task.bounced;
  return facts;
}

export function newTask(id: string, team: Name, fields: NewTask, at: string): Task {
  const { subject, description, key, activeForm, owner, role, work, retries, required, metadata } = fields;
  const blockedBy = fields.blockedBy.length === 0 ? [] : [...new Set(fields.blockedBy)];
  // Written out, in the order of `factsOf`: a value of another shape, only to be copied, would take as long as the rest.
  const facts: Unsealed<TaskFacts> = {
    id,
    team,
    subject,
    description,
    blockedBy,
    work,
    attempts: 0,
    retries,
    lost: 0,
    claims: 0,
    required,
    metadata,
    created_at: at,
    updated_at: at,
  };
  if (key !== undefined) facts.key = key;
  if (activeForm !== undefined) facts.activeForm = activeForm;
  if (owner !== undefined) facts.owner = owner;
  if (role !== undefined) facts.role = role;
  return Object.assign(facts, { status: 'pending' as const });
}

/**
 * A task in a status with that status's fields. `Object.assign`, because a spread costs twenty times as much (2 µs).
 */
export const toPending = (task: Task, at: string): Task =>
  Object.assign(factsOf(task, at), { status: 'pending' as const });

export const toClaimed = (task: Task, at: string, claim: Claim): Task =>
  Object.assign(factsOf(task, at), { status: 'in_progress' as const, claims: claim.epoch, claim, claimed_at: at });

export const toCompleted = (task: Running, at: string, result: TaskResult): Task =>
  Object.assign(factsOf(task, at), {
    status: 'completed' as const,
    result,
    by: task.claim,
    claimed_at: task.claimed_at,
  });

export const toFailed = (task: Running, at: string, code: FailureCode, reason: string): Task =>
  Object.assign(factsOf(task, at), { status: 'failed' as const, code, reason, by: task.claim });

export const toLanding = (task: Running, at: string, result: TaskResult, attempt: Attempt): Task =>
  Object.assign(factsOf(task, at), {
    status: 'landing' as const,
    result,
    by: task.claim,
    claimed_at: task.claimed_at,
    submitted_at: at,
    attempt,
  });

export const toLanded = (task: LandingTask, at: string, commit: string): Task =>
  Object.assign(factsOf(task, at), {
    status: 'completed' as const,
    result: task.result,
    by: task.by,
    claimed_at: task.claimed_at,
    landed: { commit, attempt: task.attempt },
  });

export const toBounced = (task: LandingTask, at: string, bounced: Bounce): Task =>
  Object.assign(factsOf({ ...task, bounced }, at), { status: 'pending' as const });

export const toUnlanded = (task: LandingTask, at: string, bounced: Bounce): Task =>
  Object.assign(factsOf({ ...task, bounced }, at), {
    status: 'failed' as const,
    code: 'FAILED' as const,
    reason: `its change was sent back ${bounced.count} times: ${bounced.why}`,
    by: task.by,
  });

export const toSkipped = (task: Task, at: string, reason: string, because?: string): Task => {
  const value = Object.assign(factsOf(task, at), { status: 'skipped' as const, reason });
  return because === undefined ? value : Object.assign(value, { because });
};

/** A pending task with the fields of a changed plan; what it has been through stays, and so does other metadata. */
export function toChanged(task: Task & { readonly status: 'pending' }, at: string, fields: NewTask): Task {
  const { subject, description, key, activeForm, owner, role, work, retries, required } = fields;
  const blockedBy = [...new Set(fields.blockedBy)];
  const { acceptance: _, tier: __, ...own } = task.metadata;
  const metadata = Object.assign(own, fields.metadata);
  const described = {
    subject,
    description,
    key,
    activeForm,
    owner,
    role,
    blockedBy,
    work,
    retries,
    required,
    metadata,
  };
  const { status, lastFailure, retried } = task;
  const value = Object.assign(factsOf(Object.assign({}, task, described), at), { status });
  if (lastFailure !== undefined) Object.assign(value, { lastFailure });
  return retried === undefined ? value : Object.assign(value, { retried });
}

/** Pending as at its creation: earlier attempts no longer count. */
export function toRetried(
  task: Task,
  at: string,
  { note, byPerson }: { note?: string | undefined; byPerson: boolean },
): Task {
  const facts = factsOf(task, at);
  delete facts.bounced;
  if (note !== undefined) facts.note = note;
  const value = Object.assign(facts, { status: 'pending' as const, attempts: 0, lost: 0 });
  return byPerson ? Object.assign(value, { retried: true as const }) : value;
}

export const toCancelled = (task: Task, at: string, reason: string): Task =>
  Object.assign(factsOf(task, at), { status: 'cancelled' as const, reason });

export const toWaived = (task: Task, at: string, reason: string): Task =>
  Object.assign(factsOf(task, at), { status: 'cancelled' as const, reason, waived: true as const, required: false });
