/**
 * Moves pending tasks if their owner will not do them or another member has no work (docs/specification.md R5.9). Only
 * pending tasks move. The member is chosen in this order: may do the task → role matches → agent matches the task's
 * domain → idle → smaller load (tasks completed and still owned) → less time worked → lower number. If no member fits,
 * the task waits without an owner and keeps its role; the next free member may take it.
 */
import { isReady, ownsPrefix, type Board, type Member } from '../../model/board/board.ts';
import { pendingTasksOf, readyTasks } from '../../model/board/listed-tasks.ts';
import type { Name } from '../../model/text/names.ts';
import { byId, subjectCode, type Task } from '../../model/board/task.ts';
import { listOf, pendingOf } from '../../model/board/task-lists.ts';
import { profiles } from '../profiles.ts';
import { agentFor } from '../divide/routing.ts';
import type { Sighting, Verdict } from '../sighting.ts';
import { isAble, isIdle, isOut, readyOwners, sightedMembers, type SightedMember } from '../member-availability.ts';
import { mayDo } from '../task-type.ts';

type Assignment = Extract<Verdict, { do: 'assign' }>;

/** The member whose work a review task reviews; undefined for any other task. */
export function reviewedAuthor(board: Board, { metadata }: Task): Name | undefined {
  const parent = metadata['kind'] === 'review' ? board.tasks.get(String(metadata['parent'])) : undefined;
  return parent?.status === 'completed' ? parent.by.member : undefined;
}

/**
 * Whether this member may get this task. `auto` keeps to the task's role, `prefix` to the pipeline's prefixes. No
 * member reviews its own work.
 */
export function mayBeGiven(board: Board, task: Task, member: Member): boolean {
  if (reviewedAuthor(board, task) === member.name) return false;
  if (board.claimMode === 'auto') return task.role === undefined || task.role === member.role;
  if (board.claimMode === 'assigned') return mayDo(member.role, task);
  return subjectCode(task.subject) === undefined || ownsPrefix(board, member, task.subject);
}

/** The role and agent kind that a task asks for. */
interface Wanted {
  readonly role: Name | undefined;
  readonly agent: string | undefined;
}

/** The load of each member; updated while tasks are assigned. */
export class Workload {
  readonly #sighting: Sighting;
  readonly #able: readonly SightedMember[];
  readonly #owned = new Map<Name, number>();
  readonly #idle: Set<Name>;

  constructor(sighting: Sighting) {
    this.#sighting = sighting;
    this.#able = sightedMembers(sighting).filter(({ seen }) => isAble(seen));
    const ready = readyOwners(sighting.board);
    this.#idle = new Set(
      this.#able.filter((one) => isIdle(sighting.board, one, ready)).map(({ member }) => member.name),
    );
    const { board } = sighting;
    for (const name of board.members.keys()) this.#owned.set(name, listOf(board.lists, pendingOf(name)).size);
    for (const id of board.busy.values()) {
      const owner = board.tasks.get(id)?.owner;
      if (owner !== undefined) this.#owned.set(owner, this.#ownedBy(owner) + 1);
    }
  }

  /** Whether a member is left that has nothing to do. */
  get hasIdle(): boolean {
    return this.#idle.size > 0;
  }

  /** @returns the best member for a task, whose load now includes it; undefined if none fits */
  assign(task: Task, fits: (worker: SightedMember, idle: boolean) => boolean): Name | undefined {
    const { board } = this.#sighting;
    const wanted = { role: roleOf(board, task), agent: agentFor(`${task.subject}\n${task.description}`) };
    const [best] = this.#able
      .filter((one) => fits(one, this.#idle.has(one.member.name)) && mayBeGiven(board, task, one.member))
      .sort((a, b) => this.#compare(wanted, a, b));
    if (!best) return undefined;
    const { name } = best.member;
    this.#owned.set(name, this.#ownedBy(name) + 1);
    if (isReady(board, task)) this.#idle.delete(name);
    return name;
  }

  #compare({ role, agent }: Wanted, a: SightedMember, b: SightedMember): number {
    const first = (holds: (one: SightedMember) => boolean): number => Number(holds(b)) - Number(holds(a));
    return (
      first(({ member }) => member.role === role) ||
      (agent === undefined ? 0 : first(({ seen }) => seen.agent === agent)) ||
      first(({ member }) => this.#idle.has(member.name)) ||
      this.#load(a) - this.#load(b) ||
      a.seen.workedMs - b.seen.workedMs
    );
  }

  readonly #load = ({ member, seen }: SightedMember): number => seen.completed + this.#ownedBy(member.name);

  readonly #ownedBy = (name: Name): number => this.#owned.get(name) ?? 0;
}

/** The role of a task: its own, else its owner's, even if the owner has left. */
const roleOf = (board: Board, task: Task): Name | undefined =>
  task.role ?? (task.owner === undefined ? undefined : board.members.get(task.owner)?.role);

/** Which other member gets this task; null if none fits. */
export const successorOf = (workload: Workload, task: Task, from: Name): Name | null =>
  workload.assign(task, ({ member }) => member.name !== from) ?? null;

/**
 * @param workload includes what the other rules of this look have assigned
 * @param except tasks that another rule of this look decides
 */
export function redistribute(sighting: Sighting, workload: Workload, except: ReadonlySet<string>): Assignment[] {
  const { board } = sighting;
  if (!profiles[board.profile].redistributes) return [];
  const moved = orphansOf(sighting, except, workload);
  // What is left goes to idle members only.
  if (board.claimMode !== 'assigned' || !workload.hasIdle) return moved;
  const movedIds = new Set(moved.map(({ task }) => task));
  const ready = [...readyTasks(board)].filter(({ id }) => !movedIds.has(id) && !except.has(id));
  return [...moved, ...takeUp(ready, workload), ...takeOver(sighting, ready, workload)];
}

/** Tasks whose owner is out go to the best other member. */
function orphansOf(sighting: Sighting, except: ReadonlySet<string>, workload: Workload): Assignment[] {
  const { board } = sighting;
  const why = whyOut(sighting);
  const orphans = [...board.members.keys()].flatMap((owner) => {
    const reason = why(owner);
    if (reason === undefined) return [];
    return [...pendingTasksOf(board, owner)].map((task) => ({ task, owner, reason }));
  });
  return orphans
    .filter(({ task }) => !except.has(task.id))
    .sort((a, b) => byId(a.task, b.task))
    .map(({ task, owner, reason }) => ({
      do: 'assign',
      task: task.id,
      owner: successorOf(workload, task, owner),
      why: `${owner} ${reason}`,
    }));
}

function whyOut({ board, members }: Sighting): (name: Name) => string | undefined {
  const seen = new Map(members.map((one) => [one.name, one]));
  return (name) => {
    if (board.members.get(name)?.state === 'left') return 'has left';
    const one = seen.get(name);
    if (!one || !isOut(one)) return undefined;
    if (one.quarantined) return 'is quarantined';
    return one.process === 'alive' ? 'does not answer' : 'is gone';
  };
}

/** Tasks without an owner go to idle members; each gets the one task that fits best. */
const takeUp = (ready: readonly Task[], workload: Workload): Assignment[] =>
  ready.flatMap((task): Assignment[] => {
    const owner = task.owner === undefined ? workload.assign(task, (_, idle) => idle) : undefined;
    return owner === undefined ? [] : [{ do: 'assign', task: task.id, owner, why: `${owner} is idle` }];
  });

/** A member without work takes a ready task over from a busy member of the same role. */
const takeOver = ({ board }: Sighting, ready: readonly Task[], workload: Workload): Assignment[] =>
  ready.flatMap((task): Assignment[] => {
    const from = task.owner === undefined ? undefined : board.members.get(task.owner);
    if (!from || !board.busy.has(from.name)) return [];
    const owner = workload.assign(task, ({ member }, idle) => idle && member.role === from.role);
    return owner === undefined
      ? []
      : [{ do: 'assign', task: task.id, owner, why: `${from.name} is busy and ${owner} is idle` }];
  });
