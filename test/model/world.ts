/**
 * `World` of the model: a board in memory and a writer of its log. It appends an event of any author and folds it. Use
 * it for the rules of the board (test/model/).
 *
 *     const world = openWorld();
 *     expect(verdict(world.claim(world.add(), ada))).toBe('ok');
 */
import { createHash } from 'node:crypto';
import { advance, type AdvanceOutcome } from '../../src/model/board/advance.ts';
import { emptyBoard, NO_TASKS, type Board, type Counts } from '../../src/model/board/board.ts';
import { pendingTasks } from '../../src/model/board/listed-tasks.ts';
import {
  isInternal,
  isResolved,
  newTaskSchema,
  uniqueMarks,
  type NewTaskInput,
  type Task,
} from '../../src/model/board/task.ts';
import { listAnew, type TaskLists } from '../../src/model/board/task-lists.ts';
import {
  LOG_VERSION,
  type Author,
  type BoardEvent,
  type Body,
  type Change,
  type ClaimMode,
} from '../../src/model/board/event.ts';
import { LEAD, parseName, type Name } from '../../src/model/text/names.ts';

export const AT = '2026-01-02T03:04:05.678Z';

/** A ULID made from a counter. */
export const ulid = (n: number): string => n.toString().padStart(26, '0');

export const name = (text: string): Name => parseName('member', text);
export const TEAM = parseName('team', 'login');
export const ada = name('ada');
export const bob = name('bob');
export const cy = name('cy');
export const executor = parseName('role', 'executor');
export const reviewer = parseName('role', 'reviewer');

/** The `n`th incarnation of a member's process. */
export const life = (member: Name, n = 1): string =>
  ulid(1_000_000 * (1 + 'abcdefghijklmnop'.indexOf(member.charAt(0))) + n);

export const byMember = (member: Name, n = 1): Author => ({ by: member, inc: life(member, n) });
export const byPerson = (person: Name, epoch = 1): Author => ({ person, epoch });
export const byLead = (epoch = 1): Author => ({ lead: ulid(500_000 + epoch), epoch });

export const newTask = (fields: NewTaskInput) => newTaskSchema.parse(fields);

export class World {
  readonly board: Board = emptyBoard();
  readonly events: BoardEvent[] = [];
  #next = 1;

  /** Appends an event of an author, and folds it. */
  say(author: Author, body: Body): AdvanceOutcome {
    const event: BoardEvent = { ...body, id: ulid(this.#next++), v: LOG_VERSION, at: AT, author };
    this.events.push(event);
    return advance(this.board, event);
  }

  /** Adds a task with the next id and returns the id. Throws if the fold refuses it. */
  add(fields: Partial<NewTaskInput> = {}, author: Author = byLead()): string {
    const id = String(this.board.lastTaskId + 1);
    const outcome = this.say(author, {
      type: 'task.created',
      task: id,
      fields: newTask({ subject: `Task ${id}`, ...fields }),
    });
    if (!outcome.ok) throw new Error(`${outcome.code}: ${outcome.why}`);
    return id;
  }

  task(id: string): Task {
    const task = this.board.tasks.get(id);
    if (!task) throw new Error(`no task ${id}`);
    return task;
  }

  claim(id: string, member: Name = ada): AdvanceOutcome {
    return this.say(byMember(member), { type: 'task.claimed', task: id, member });
  }

  complete(id: string, member: Name = ada): AdvanceOutcome {
    return this.say(byMember(member), completed(id, this.task(id).claims));
  }

  fail(id: string, member: Name = ada): AdvanceOutcome {
    return this.say(byMember(member), { type: 'task.failed', task: id, epoch: this.task(id).claims, why: 'it broke' });
  }
}

export const completed = (task: string, epoch: number): Change => ({
  type: 'task.completed',
  task,
  epoch,
  result: { summary: 'done', files: [] },
});

export const submitted = (task: string, epoch: number): Change => ({
  type: 'task.submitted',
  task,
  epoch,
  result: { summary: 'done', files: ['a'] },
  attempt: { commit: 'a'.repeat(40), base: 'b'.repeat(40) },
});

/** A team `login`, led in epoch 1, with ada and bob (executors) and cy (a reviewer), each in its first incarnation. */
export function openWorld(claim: ClaimMode = 'auto', prefixes: Partial<Record<string, string[]>> = {}): World {
  const world = new World();
  world.say({ person: LEAD, epoch: 0 }, { type: 'log.opened', team: ulid(7), name: TEAM });
  world.say(byLead(), { type: 'lead.took', epoch: 1 });
  world.say(byLead(), { type: 'team.opened', profile: claim === 'prefix' ? 'pipeline' : 'v8', claim });
  for (const [member, role] of [
    [ada, executor],
    [bob, executor],
    [cy, reviewer],
  ] as const) {
    world.say(byLead(), { type: 'member.joined', name: member, role, prefixes: prefixes[member] ?? [] });
    world.say(byMember(member), { type: 'member.started', name: member, inc: life(member), after: null });
  }
  return world;
}

/** An outcome in short: `ok` or the code of the refusal. */
export const verdict = (outcome: AdvanceOutcome): string => (outcome.ok ? 'ok' : outcome.code);

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, one]) => [key, sorted(one)]),
  );
};

const entries = <V>(map: ReadonlyMap<string, V>): [string, V][] => [...map].sort(([a], [b]) => (a < b ? -1 : 1));

/** A board as text, equal for equal boards. `seen` is left out, and the other indices follow from the rest. */
export function canonical(board: Board): string {
  const {
    members,
    tasks,
    busy,
    waiting,
    unique,
    seen: _,
    lists: _lists,
    unresolved: _unresolved,
    tally: _tally,
    requests,
    open: _open,
    version,
    vouchers: _vouchers,
    ...rest
  } = board;
  // The text is that of the boards that kept this number.
  const header = { ...rest, firstPending: Number([...pendingTasks(board)][0]?.id ?? board.lastTaskId + 1) };
  const edges = entries(waiting).map(([id, ids]) => [id, ids.toSorted()]);
  // Boards without requests keep the text that they had before requests existed.
  const asked = requests.size === 0 ? {} : { requests: [...requests] };
  // So do boards of version 1.
  const lawful = version === 1 ? header : { ...header, version };
  return JSON.stringify(
    sorted({
      header: lawful,
      members: [...members],
      tasks: [...tasks],
      busy: entries(busy),
      unique: entries(unique),
      edges,
      ...asked,
    }),
  );
}

export const hash = (board: Board): string => createHash('sha256').update(canonical(board)).digest('hex');

const namesIn = (lists: TaskLists): string[] => {
  const all = [...lists].map(([list, ids]) => `${list}: ${ids.size}: ${[...ids].join()}`);
  return all.sort();
};

/** The indices of a board, computed anew from its tasks alone. */
export function indicesOf(tasks: readonly Task[]) {
  const busy = tasks.flatMap((task) => (task.status === 'in_progress' ? [`${task.claim.member} ${task.id}`] : []));
  const waiting = tasks.flatMap((task) => task.blockedBy.map((blocker) => `${blocker} ${task.id}`));
  const unique = tasks.flatMap((task) => uniqueMarks(task).map((mark) => `${mark} ${task.id}`));
  const isResolvedAt = (id: string): boolean => tasks.some((task) => task.id === id && isResolved(task));
  const openOf = (task: Task): number => task.blockedBy.filter((id) => !isResolvedAt(id)).length;
  const shown = tasks.filter((task) => !isInternal(task));
  const tally: Counts = { ...NO_TASKS, total: shown.length };
  for (const task of shown) tally[task.status] += 1;
  const lists: TaskLists = new Map();
  for (const task of tasks) listAnew(lists, undefined, false, task, openOf(task) > 0);
  tally.blocked = shown.filter((task) => task.status === 'pending' && openOf(task) > 0).length;
  return {
    busy: busy.sort(),
    waiting: waiting.sort(),
    unique: unique.sort(),
    lists: namesIn(lists),
    unresolved: tasks.flatMap((task) => (openOf(task) > 0 ? [`${task.id} ${openOf(task)}`] : [])).sort(),
    tally,
    lastTaskId: tasks.length,
  };
}

export function keptIndices(board: Board): ReturnType<typeof indicesOf> {
  return {
    busy: [...board.busy].map(([member, id]) => `${member} ${id}`).sort(),
    waiting: [...board.waiting].flatMap(([blocker, ids]) => ids.map((id) => `${blocker} ${id}`)).sort(),
    unique: [...board.unique].map(([mark, id]) => `${mark} ${id}`).sort(),
    lists: namesIn(board.lists),
    unresolved: [...board.unresolved].map(([id, count]) => `${id} ${count}`).sort(),
    tally: board.tally,
    lastTaskId: board.lastTaskId,
  };
}
