/**
 * The board as folded from its log: the state of a team, its members and its tasks. The functions here only read; only
 * `advance` in `advance.ts` changes a board.
 */
import type { ClaimMode, LogVersion, Profile } from './event.ts';
import { LEAD, type Name } from '../text/names.ts';
import type { TaskLists } from './task-lists.ts';
import type { Voucher } from './vouched-commands.ts';
import { holdOn, questionOn, type OpenRequest, type Request } from './request.ts';
import type { SharedCommit } from './shared-commit.ts';
import {
  byId,
  isInternal,
  isResolved,
  subjectCode,
  type Claim,
  type ClaimedTask,
  type Task,
  type TaskStatus,
} from './task.ts';

export interface Member {
  readonly name: Name;
  readonly role: Name;
  readonly prefixes: readonly string[];
  readonly state: 'joined' | 'left';
  /**
   * The current incarnation of this member's process, a ULID; null before the first start and after the member left.
   */
  readonly incarnation: string | null;
}

/** The tasks by id, in the order of their ids. */
export interface TaskMap extends Map<string, Task> {
  /** Ids of all tasks with this exact subject, and perhaps of others, for a map that knows them without a search. */
  withSubject?(subject: string): Iterable<string>;
}

export interface Board {
  team: { readonly id: string; readonly name: Name } | undefined;
  /** That of the newest program that opened this log or became its lead: its laws hold for every later record. */
  version: LogVersion;
  profile: Profile;
  claimMode: ClaimMode;
  /** While it is paused, no task can be claimed. */
  phase: 'open' | 'paused' | 'closing' | 'closed';
  /** The lead according to the log: the epoch grows with every `lead.took`; 0 before the first. */
  lead: { readonly epoch: number; readonly incarnation: string | null; readonly since: string | null };
  /** What landed so far, as the team's store has it; undefined without a store, or without trees. */
  common: SharedCommit | undefined;
  readonly members: Map<Name, Member>;
  readonly tasks: TaskMap;
  /** The task in progress of each member: member → task id. */
  readonly busy: Map<Name, string>;
  /** Tasks that wait for a task: blocker id → ids. */
  readonly waiting: Map<string, string[]>;
  /** How many of its blockers are not resolved, of each task that has such a blocker. */
  readonly unresolved: Map<string, number>;
  /** Visible tasks by status. `blocked` are the pending ones with an unresolved blocker; requests are not in it. */
  readonly tally: Counts;
  /** Values that must be unique among tasks (key, subject code, cascade step) → task id. */
  readonly unique: Map<string, string>;
  /** Ids have no gaps: they go from 1 to this. */
  lastTaskId: number;
  /** See `task-lists.ts`. */
  readonly lists: TaskLists;
  /** Requests of members to the lead, by id, in the order in which they were made. */
  readonly requests: Map<string, Request>;
  /** Those of `requests` that wait for an answer. */
  readonly open: Map<string, OpenRequest>;
  /** Of each task with a command: the record that created it. */
  readonly vouchers: Map<string, Voucher>;
  /** Ids of the records judged so far; a record that was appended twice counts once. */
  readonly seen: Set<string>;
}

export type Counts = { total: number; blocked: number } & Record<TaskStatus, number>;

/** Counts of a board without tasks. */
export const NO_TASKS: Readonly<Counts> = {
  total: 0,
  pending: 0,
  in_progress: 0,
  landing: 0,
  completed: 0,
  failed: 0,
  skipped: 0,
  cancelled: 0,
  blocked: 0,
};

export const emptyBoard = (): Board => ({
  team: undefined,
  version: 1,
  profile: 'v8',
  claimMode: 'auto',
  phase: 'open',
  lead: { epoch: 0, incarnation: null, since: null },
  common: undefined,
  members: new Map(),
  tasks: new Map(),
  busy: new Map(),
  waiting: new Map(),
  unresolved: new Map(),
  tally: { ...NO_TASKS },
  unique: new Map(),
  lastTaskId: 0,
  lists: new Map(),
  requests: new Map(),
  open: new Map(),
  vouchers: new Map(),
  seen: new Set(),
});

export type RefusalCode =
  | 'STALE_CLAIM'
  | 'STALE_LEAD'
  | 'STALE_MEMBER'
  | 'ALREADY_CLAIMED'
  | 'NOT_READY'
  | 'FINAL'
  | 'UNKNOWN_TASK'
  | 'UNKNOWN_MEMBER'
  | 'UNKNOWN_REQUEST'
  | 'CYCLE'
  | 'POLICY_DENIED'
  | 'TEAM_CLOSED'
  | 'TEAM_PAUSED'
  | 'BAD_REFERENCE'
  | 'DUPLICATE'
  | 'REPEATED';

export interface Refused {
  readonly ok: false;
  readonly code: RefusalCode;
  readonly why: string;
}

export const refused = (code: RefusalCode, why: string): Refused => ({ ok: false, code, why });

/** The blockers that still block a task. Unknown tasks block, and so does finished work that the lead must judge. */
export const openBlockers = (board: Board, task: Task): string[] => task.blockedBy.filter((id) => isOpen(board, id));

const isOpen = (board: Board, id: string): boolean => {
  const task = board.tasks.get(id);
  return task === undefined || !isResolved(task) || holdOn(board, id) !== undefined;
};

/** A task with an open question is not ready: only the asking member may continue it. */
export const isReady = (board: Board, task: Task): boolean =>
  task.status === 'pending' &&
  !task.blockedBy.some((id) => isOpen(board, id)) &&
  questionOn(board, task.id) === undefined;

/** The tasks that wait for `id` directly, lowest id first. */
export const dependants = (board: Board, id: string): Task[] =>
  (board.waiting.get(id) ?? []).flatMap((other) => board.tasks.get(other) ?? []).sort(byId);

/** Every id that waits for `id`, directly or through others, each once. */
function* downstream(board: Board, id: string): Generator<string> {
  const found = new Set<string>();
  const queue = [id];
  for (let next = queue.pop(); next !== undefined; next = queue.pop())
    for (const waiting of board.waiting.get(next) ?? [])
      if (!found.has(waiting)) {
        found.add(waiting);
        queue.push(waiting);
        yield waiting;
      }
}

/** Every task that waits for `id`, directly or through others, each once, lowest id first. */
export const allDependants = (board: Board, id: string): Task[] =>
  [...downstream(board, id)].flatMap((other) => board.tasks.get(other) ?? []).sort(byId);

/** Whether the task `id` waits for `blocker`, directly or through others. */
export function waitsFor(board: Board, id: string, blocker: string): boolean {
  for (const waiting of downstream(board, blocker)) if (waiting === id) return true;
  return false;
}

/**
 * Whether a pipeline subject has one of the member's prefixes: the longest declared one wins (`DEV-FE-001` is not
 * `DEV`).
 */
export const ownsPrefix = (board: Board, member: Member, subject: string): boolean => {
  const code = subjectCode(subject);
  if (code === undefined) return false;
  const longest = (prefixes: readonly string[]) =>
    Math.max(0, ...prefixes.filter((prefix) => code.startsWith(`${prefix}-`)).map((prefix) => prefix.length));
  const mine = longest(member.prefixes);
  return mine > 0 && [...board.members.values()].every((other) => longest(other.prefixes) <= mine);
};

/**
 * Whether this member may claim this task now. All rules of claiming are here: the fold judges with it, and every
 * search for work asks it first.
 *
 * @returns undefined if allowed, else the refusal
 */
export function claimRefusal(board: Board, task: Task, member: Member | undefined, name: Name): Refused | undefined {
  if (board.phase === 'paused') return refused('TEAM_PAUSED', 'the team is paused: `teams unpause` lets it go on');
  if (board.phase !== 'open') return refused('TEAM_CLOSED', `the team is ${board.phase}`);
  if (name !== LEAD && member?.state !== 'joined') return refused('UNKNOWN_MEMBER', `${name} is no member`);
  if (task.status === 'in_progress') return refused('ALREADY_CLAIMED', `task #${task.id} is ${task.claim.member}'s`);
  if (task.status !== 'pending') return refused('FINAL', `task #${task.id} is ${task.status}`);
  if (task.owner !== undefined && task.owner !== name)
    return refused('POLICY_DENIED', `task #${task.id} is assigned to ${task.owner}`);
  const blockers = task.blockedBy.length > 0 ? openBlockers(board, task) : [];
  if (blockers.length > 0) return refused('NOT_READY', `task #${task.id} waits for ${listed(blockers)}`);
  const asker = questionOn(board, task.id)?.from;
  if (asker !== undefined && asker !== name)
    return refused('NOT_READY', `task #${task.id} waits for the answer to ${asker}'s question`);
  const current = board.busy.get(name);
  if (current !== undefined) return refused('ALREADY_CLAIMED', `${name} is busy with task #${current}`);
  if (task.owner === name) return undefined;
  if (task.role !== undefined && member?.role !== task.role)
    return refused('POLICY_DENIED', `task #${task.id} is for the role ${task.role}`);
  if (board.claimMode === 'assigned')
    return refused('POLICY_DENIED', `task #${task.id} has no owner yet; the lead assigns it`);
  if (board.claimMode === 'prefix' && !(member && ownsPrefix(board, member, task.subject)))
    return refused('POLICY_DENIED', `task #${task.id} has another role's prefix`);
  return undefined;
}

const LISTED = 10;

/** Ids for a message, shortened to LISTED entries. */
const listed = (ids: readonly string[]): string =>
  ids
    .slice(0, LISTED)
    .map((id) => `#${id}`)
    .join(', ') + (ids.length > LISTED ? ` and ${ids.length - LISTED} more` : '');

/** Costs the same for every number of tasks; only open requests and the tasks that they hold up are looked at. */
export const count = (board: Board): Counts => ({
  ...board.tally,
  blocked: board.tally.blocked + heldUp(board),
});

/** How many visible pending tasks wait for the answer to a request, and for no other task. */
function heldUp({ open, tasks, waiting, unresolved }: Board): number {
  const ids = new Set<string>();
  for (const { kind, task } of open.values()) {
    if (task === undefined) continue;
    if (kind === 'question') ids.add(task);
    else if (kind === 'consensus') for (const id of waiting.get(task) ?? []) ids.add(id);
  }
  let held = 0;
  for (const id of ids) {
    const task = tasks.get(id);
    if (task?.status === 'pending' && !isInternal(task) && !unresolved.has(id)) held += 1;
  }
  return held;
}

/** Every task is final, and there is at least one. */
export const isDone = ({ tally }: Board): boolean =>
  tally.total > 0 && tally.pending + tally.in_progress + tally.landing === 0;

export const claimOf = (task: Task): Claim | undefined => (task.status === 'in_progress' ? task.claim : undefined);

/** The task in progress of a member. */
export function ownTask(board: Board, name: Name): ClaimedTask | undefined {
  const id = board.busy.get(name);
  const task = id === undefined ? undefined : board.tasks.get(id);
  return task?.status === 'in_progress' ? task : undefined;
}
