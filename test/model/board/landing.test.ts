/** The rules of landing on the board: submitted → landed, or sent back with its files held. */
import { expect, it } from 'vitest';
import { emptyBoard, isDone, openBlockers } from '../../../src/model/board/board.ts';
import { advance } from '../../../src/model/board/advance.ts';
import { landingTasks, nextClaim } from '../../../src/model/board/listed-tasks.ts';
import type { Author, Change } from '../../../src/model/board/event.ts';
import { MOST_BOUNCES, newTaskSchema } from '../../../src/model/board/task.ts';
import { ada, bob, byLead, byMember, openWorld, submitted, ulid, verdict, type World } from '../world.ts';

const COMMIT = 'c'.repeat(40);
const landed = (epoch: number): Change => ({ type: 'task.landed', task: '1', epoch, commit: COMMIT });
const bounced = (epoch: number): Change => ({
  type: 'task.bounced',
  task: '1',
  epoch,
  cause: 'conflict',
  why: 'it conflicts',
  files: ['a'],
});

function submittedOnce(): World {
  const world = openWorld();
  world.add();
  world.add({ blockedBy: ['1'] });
  world.claim('1');
  world.say(byMember(ada), submitted('1', 1));
  return world;
}

it('a task whose change waits to land is not resolved, and its member is free', () => {
  const world = submittedOnce();
  world.add();
  expect(openBlockers(world.board, world.task('2'))).toEqual(['1']);
  expect(nextClaim(world.board, ada)?.id).toBe('3');
  expect(isDone(world.board)).toBe(false);
  expect(landingTasks(world.board).map(({ id }) => id)).toEqual(['1']);
  expect(verdict(world.say(byLead(), landed(1)))).toBe('ok');
  expect(world.task('1')).toMatchObject({ status: 'completed', by: { member: ada }, landed: { commit: COMMIT } });
  expect(nextClaim(world.board, bob)?.id).toBe('2');
});

it('only the lead lands, and only the last attempt', () => {
  const world = submittedOnce();
  expect(verdict(world.say(byMember(ada), landed(1)))).toBe('POLICY_DENIED');
  expect(verdict(world.say(byLead(), landed(2)))).toBe('STALE_CLAIM');
  world.say(byLead(), landed(1));
  expect(verdict(world.say(byLead(), landed(1)))).toBe('FINAL');
});

it('a change that is sent back is no failed attempt, keeps what holds its files, and fails the fourth time', () => {
  const world = submittedOnce();
  for (let epoch = 1; epoch < MOST_BOUNCES; epoch += 1) {
    expect(verdict(world.say(byLead(), bounced(epoch)))).toBe('ok');
    expect(world.task('1')).toMatchObject({ status: 'pending', attempts: 0, bounced: { count: epoch, files: ['a'] } });
    world.claim('1');
    expect(world.task('1').bounced?.count).toBe(epoch);
    world.say(byMember(ada), submitted('1', epoch + 1));
  }
  world.say(byLead(), bounced(MOST_BOUNCES));
  expect(world.task('1')).toMatchObject({ status: 'failed', reason: 'its change was sent back 4 times: it conflicts' });
  world.say(byLead(), { type: 'task.retried', task: '1' });
  expect(world.task('1').bounced).toBeUndefined();
});

it('a log of version 1 knows no landing', () => {
  const world = openWorld();
  const board = emptyBoard();
  for (const event of world.events) advance(board, { ...event, v: 1 });
  const say = (at: number, author: Author, change: Change) =>
    verdict(advance(board, { id: ulid(900 + at), v: 1, at: '2026-01-01T00:00:00.000Z', author, ...change }));
  expect(say(1, byLead(), { type: 'task.created', task: '1', fields: newTaskSchema.parse({ subject: 'One' }) })).toBe(
    'ok',
  );
  expect(say(2, byMember(ada), { type: 'task.claimed', task: '1', member: ada })).toBe('ok');
  expect(say(3, byMember(ada), submitted('1', 1))).toBe('POLICY_DENIED');
  expect(say(4, byLead(), landed(1))).toBe('POLICY_DENIED');
});

it('a change waits for a person only once it is submitted, by its member, and as long as it waits to land', () => {
  const world = openWorld();
  world.add();
  world.claim('1');
  const made = (request: string): Change => ({ type: 'request.made', request, kind: 'review', about: '1', text: 'a' });
  expect(verdict(world.say(byMember(ada), made(ulid(1))))).toBe('STALE_CLAIM');
  world.say(byMember(ada), submitted('1', 1));
  expect(verdict(world.say(byMember(bob), made(ulid(2))))).toBe('STALE_CLAIM');
  expect(verdict(world.say(byMember(ada), made(ulid(3))))).toBe('ok');
  const waiting = (id: number) => world.board.requests.get(ulid(id))?.state;
  // Its member may do other work, and leave.
  world.add();
  expect(nextClaim(world.board, ada)?.id).toBe('2');
  world.say(byLead(), { type: 'member.left', name: ada, why: 'done' });
  expect([waiting(3), world.board.open.size]).toEqual(['open', 1]);
  world.say(byLead(), landed(1));
  expect(waiting(3)).toBe('withdrawn');
});

it('a person may send a change back more often than the queue', () => {
  const world = submittedOnce();
  const back = (epoch: number, cause: 'review' | 'gate'): Change => ({
    type: 'task.bounced',
    task: '1',
    epoch,
    cause,
    why: 'no',
    files: [],
  });
  for (let epoch = 1; epoch <= MOST_BOUNCES + 1; epoch += 1) {
    world.say(byLead(), back(epoch, 'review'));
    world.claim('1');
    world.say(byMember(ada), submitted('1', epoch + 1));
  }
  world.say(byLead(), back(MOST_BOUNCES + 2, 'gate'));
  expect(world.task('1')).toMatchObject({ status: 'pending', bounced: { count: 1, cause: 'gate' } });
});
