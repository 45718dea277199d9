/** Questions about few tasks of a great board visit few tasks; each answer is that of a walk over all. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { claimRefusal } from '../../../src/model/board/board.ts';
import {
  mayGetTask,
  nextClaim,
  nextClaims,
  pendingTasks,
  pendingTasksOf,
  readyTasks,
} from '../../../src/model/board/listed-tasks.ts';
import { isReady, type Board } from '../../../src/model/board/board.ts';
import { waitingForMissed } from '../../../src/model/board/listed-tasks.ts';
import { emptyBoard } from '../../../src/model/board/board.ts';
import { advance } from '../../../src/model/board/advance.ts';
import { listAnew, type TaskLists } from '../../../src/model/board/task-lists.ts';
import type { BoardEvent } from '../../../src/model/board/event.ts';
import type { Task } from '../../../src/model/board/task.ts';
import type { Name } from '../../../src/model/text/names.ts';
import { eventOf, OPENING, steps } from '../play.ts';
import { ada, bob, byLead, cy, openWorld, reviewer, type World } from '../world.ts';

/** How many tasks a question reads. */
function visits(board: Board, question: () => unknown): number {
  const get = board.tasks.get.bind(board.tasks);
  let visited = 0;
  board.tasks.get = (id) => {
    visited += 1;
    return get(id);
  };
  question();
  board.tasks.get = get;
  return visited;
}

const MANY = 2_000;

function great(world: World, fields: Parameters<World['add']>[0]): World {
  for (let n = 0; n < MANY; n += 1) world.add(fields);
  return world;
}

describe('the next claim of a member visits few tasks of a board with many', () => {
  it.each([
    ['of another member', { owner: bob }],
    ['for another role', { role: reviewer }],
    ['that wait for a task', { blockedBy: ['1'] }],
  ])('%s', (_, fields) => {
    const world = openWorld();
    world.add({ owner: cy });
    great(world, fields);
    expect(visits(world.board, () => expect(nextClaim(world.board, ada)).toBeUndefined())).toBeLessThan(10);
    const id = world.add();
    expect(visits(world.board, () => expect(nextClaim(world.board, ada)?.id).toBe(id))).toBeLessThan(10);
  });

  it('with the prefix of another one', () => {
    const world = openWorld('prefix', { ada: ['DEV'], bob: ['TEST'] });
    for (let n = 1; n <= MANY; n += 1) world.add({ subject: `TEST-${String(n).padStart(5, '0')} Try it` });
    expect(visits(world.board, () => expect(nextClaim(world.board, ada)).toBeUndefined())).toBeLessThan(10);
    const id = world.add({ subject: 'DEV-001 Build it' });
    expect(nextClaim(world.board, ada)?.id).toBe(id);
  });

  it('of which many are done, and the first is pending', () => {
    const world = openWorld();
    world.add({ owner: cy });
    great(world, {});
    for (let id = 2; id <= MANY + 1; id += 1) world.say(byLead(), { type: 'task.cancelled', task: `${id}`, why: '' });
    expect(visits(world.board, () => expect(nextClaim(world.board, ada)).toBeUndefined())).toBeLessThan(10);
    expect(visits(world.board, () => [...pendingTasks(world.board)])).toBe(1);
  });
});

/** The same by a walk over all tasks. */
function searched(board: Board, name: Name, except: ReadonlySet<string>, most: number): Task[] {
  const may = [...board.tasks.values()].filter(
    (task) => !except.has(task.id) && claimRefusal(board, task, board.members.get(name), name) === undefined,
  );
  const own = may.find(({ owner }) => owner === name);
  return own ? [own] : may.slice(0, most);
}

/** What each list holds, if each task were put into the lists anew. */
function listedAnew({ tasks, unresolved }: Board): Map<string, number[]> {
  const lists: TaskLists = new Map();
  for (const task of tasks.values())
    listAnew(lists, undefined, false, task, task.status === 'pending' && unresolved.has(task.id));
  return held(lists);
}

const held = (lists: TaskLists): Map<string, number[]> =>
  new Map([...lists].map(([name, ids]): [string, number[]] => [name, [...ids]]).sort(([a], [b]) => (a < b ? -1 : 1)));

const asCheckpoint = (event: BoardEvent & { type: 'task.created' }): BoardEvent => ({
  ...event,
  fields: { ...event.fields, metadata: { _checkpoint: true } },
});

it('the lists are those that the tasks are in by themselves, at each step of a random play', () => {
  fc.assert(
    fc.property(steps(80), (script) => {
      const board = emptyBoard();
      for (const event of OPENING) advance(board, event);
      for (const [at, step] of script.entries()) {
        const event = eventOf(board, step, at + 1);
        advance(board, event.type === 'task.created' && at % 3 === 0 ? asCheckpoint(event) : event);
        expect(held(board.lists)).toEqual(listedAnew(board));
      }
    }),
    { numRuns: 200 },
  );
});

it('every answer is that of a walk over all tasks, at each step of a random play', () => {
  fc.assert(
    fc.property(steps(80), (script) => {
      const board = emptyBoard();
      for (const event of OPENING) advance(board, event);
      for (const [at, step] of script.entries()) {
        advance(board, eventOf(board, step, at + 1));
        const tasks = [...board.tasks.values()];
        for (const { name } of board.members.values()) {
          for (const except of [new Set<string>(), new Set([tasks.at(-1)?.id ?? ''])]) {
            expect(nextClaim(board, name, except)).toBe(searched(board, name, except, 1)[0]);
            expect(nextClaims(board, name, { except, most: 3 })).toEqual(searched(board, name, except, 3));
          }
          const own = tasks.filter(({ status, owner }) => status === 'pending' && owner === name);
          expect([...pendingTasksOf(board, name)]).toEqual(own);
          if (own.length > 0 || nextClaim(board, name)) expect(mayGetTask(board, name)).toBe(true);
          if (tasks.every(({ status }) => status !== 'pending')) expect(mayGetTask(board, name)).toBe(false);
        }
        expect([...readyTasks(board)]).toEqual(tasks.filter((task) => isReady(board, task)));
        const isMissed = (id: string): boolean => /failed|cancelled/.test(board.tasks.get(id)?.status ?? '');
        expect(waitingForMissed(board)).toEqual(
          tasks.filter(({ status, blockedBy }) => status === 'pending' && blockedBy.some(isMissed)),
        );
      }
    }),
    { numRuns: 60 },
  );
});
