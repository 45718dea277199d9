/**
 * The lists of tasks that a board keeps, so that no question about few tasks walks over all of them. A task's value,
 * and whether a blocker holds it, say which lists it is in; `board-effect.ts` alone changes them. Checkpoints keep them:
 * another rule here needs another `CHECKPOINT_FORMAT`.
 */
import { IdSet } from './id-set.ts';
import type { Name } from '../text/names.ts';
import { isCheckpoint, subjectCode, type Task, type TaskStatus } from './task.ts';

/** By name; a list without tasks is not in the map. */
export type TaskLists = Map<string, IdSet>;

const NONE: IdSet = new IdSet();

export const PENDING = 'pending';
/** Those that no unresolved task blocks. */
export const OFFERED = 'offered';
/** Those of them that a person decides about. */
export const CHECKPOINTS = 'checkpoints';
/** Tasks whose change waits to land. */
export const LANDING = 'landing';
/** Tasks that are final and not completed. */
export const MISSED = 'missed';
/** Pending tasks of an owner. */
export const pendingOf = (owner: Name): string => `pending ${owner}`;
/** Those of them that are offered. */
export const offeredTo = (owner: Name): string => `offered ${owner}`;
/** Tasks that a member owns, has claimed or has ended. */
export const workOf = (member: Name): string => `work ${member}`;
/** Those of them that are completed. */
export const doneOf = (member: Name): string => `${DONE}${member}`;
const DONE = 'done ';

/**
 * Offered tasks without an owner, by what the rules of claiming ask of a member: the role
 * and the stem of the subject's code. A member that may not claim one for these reasons may claim none of its list.
 */
const OPEN_OFFER = 'open ';
const openOffer = ({ role, subject }: Task): string => `${OPEN_OFFER}${role ?? ''} ${stemOf(subject)}`;

/** `DEV-FE` of `DEV-FE-001 Build it`. */
function stemOf(subject: string): string {
  const code = subjectCode(subject);
  return code === undefined ? '' : code.replace(/-[0-9]+(?:-R[0-9]+)?$/, '');
}

export const listOf = (lists: TaskLists, name: string): IdSet => lists.get(name) ?? NONE;

/** The lists of tasks that belong to nobody, each with what {@link openOffer} says. */
export function openOffers(lists: TaskLists): IdSet[] {
  const offers: IdSet[] = [];
  // Each claim asks for them, mostly before this is compiled: no generator, and no pair for each list.
  lists.forEach((ids, name) => name.startsWith(OPEN_OFFER) && offers.push(ids));
  return offers;
}

/** The lists of completed tasks, one for each member that did any; a task may be in two. */
export function* doneLists(lists: TaskLists): Generator<IdSet> {
  for (const [name, ids] of lists) if (name.startsWith(DONE)) yield ids;
}

/** Moves a task from the lists of one value to those of another one. Undefined: there is no such value of it. */
export function listAnew(
  lists: TaskLists,
  before: Task | undefined,
  wasBlocked: boolean,
  after: Task | undefined,
  isBlocked: boolean,
): void {
  if (before !== undefined && after !== undefined && before.owner === after.owner && !wasBlocked)
    if (listClaimed(lists, before, after) || listCompleted(lists, before, after)) return;
  if (before === undefined) {
    if (after !== undefined) for (const name of namesOf(after, isBlocked)) put(lists, name, Number(after.id));
    return;
  }
  const id = Number(before.id);
  const was = namesOf(before, wasBlocked);
  const is = after === undefined ? [] : namesOf(after, isBlocked);
  for (const name of was) if (!is.includes(name)) take(lists, name, id);
  for (const name of is) if (!was.includes(name)) put(lists, name, id);
}

/**
 * {@link listAnew} for a claim: most changes of a log are claims and completions, and of most lists the names need not
 * be made for them.
 *
 * @returns false for any other change
 */
function listClaimed(lists: TaskLists, before: Task, after: Task): boolean {
  if (before.status !== 'pending' || after.status !== 'in_progress') return false;
  const { owner } = before;
  const { member } = after.claim;
  const id = Number(before.id);
  take(lists, PENDING, id);
  take(lists, OFFERED, id);
  if (owner === undefined) take(lists, openOffer(before), id);
  else {
    take(lists, pendingOf(owner), id);
    take(lists, offeredTo(owner), id);
  }
  if (isCheckpoint(before)) take(lists, CHECKPOINTS, id);
  if (member !== owner) put(lists, workOf(member), id);
  return true;
}

/** The same for the completion by the member that claimed it. */
function listCompleted(lists: TaskLists, before: Task, after: Task): boolean {
  if (before.status !== 'in_progress' || after.status !== 'completed') return false;
  const { owner } = before;
  const { member } = before.claim;
  const id = Number(before.id);
  if (owner !== undefined) put(lists, doneOf(owner), id);
  if (member !== owner) put(lists, doneOf(member), id);
  return true;
}

function put(lists: TaskLists, name: string, id: number): void {
  const ids = lists.get(name);
  if (ids) ids.add(id);
  else {
    const made = new IdSet();
    made.add(id);
    lists.set(name, made);
  }
}

function take(lists: TaskLists, name: string, id: number): void {
  const ids = lists.get(name);
  ids?.delete(id);
  if (ids?.size === 0) lists.delete(name);
}

function namesOf(task: Task, isBlocked: boolean): string[] {
  const names: string[] = [];
  const { owner, status } = task;
  if (status === 'pending') {
    names.push(PENDING);
    if (owner !== undefined) names.push(pendingOf(owner));
    if (!isBlocked) names.push(OFFERED, owner === undefined ? openOffer(task) : offeredTo(owner));
    if (!isBlocked && isCheckpoint(task)) names.push(CHECKPOINTS);
  } else if (status === 'landing') names.push(LANDING);
  else if (status !== 'in_progress' && status !== 'completed') names.push(MISSED);
  const worker = workerOf(task);
  if (owner !== undefined) addWork(names, owner, status);
  if (worker !== undefined && worker !== owner) addWork(names, worker, status);
  return names;
}

function addWork(names: string[], member: Name, status: TaskStatus): void {
  names.push(workOf(member));
  if (status === 'completed') names.push(doneOf(member));
}

/** The member that has its claim or ended it. */
const workerOf = (task: Task): Name | undefined =>
  'claim' in task ? task.claim.member : 'by' in task ? task.by.member : undefined;

/** Its owner, and the member that has its claim or ended it. */
export function workersOf(task: Task): Name[] {
  const worker = workerOf(task);
  if (task.owner === undefined) return worker === undefined ? [] : [worker];
  return worker === undefined || worker === task.owner ? [task.owner] : [task.owner, worker];
}
