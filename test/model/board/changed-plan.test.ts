/** The rules of a changed plan on the board: pending tasks change, removed tasks need not be done. */
import { expect, it } from 'vitest';
import { advance } from '../../../src/model/board/advance.ts';
import { emptyBoard } from '../../../src/model/board/board.ts';
import type { Change } from '../../../src/model/board/event.ts';
import type { NewTask } from '../../../src/model/board/task.ts';
import { LEAD } from '../../../src/model/text/names.ts';
import { ada, bob, byLead, byMember, byPerson, newTask, openWorld, verdict, type World } from '../world.ts';

const changed = (task: string, fields: Partial<NewTask> = {}): Change => ({
  type: 'task.changed',
  task,
  fields: { ...newTask({ subject: 'Changed' }), ...fields },
});

function team(): World {
  const world = openWorld();
  world.add({ key: 'a', owner: ada, metadata: { tier: 'haiku', mine: 1 } });
  world.add({ key: 'b', blockedBy: ['1'] });
  return world;
}

it('a pending task becomes what the plan says, and keeps what it has been through', () => {
  const world = team();
  world.claim('1');
  world.fail('1');
  world.say(byPerson(LEAD), { type: 'task.retried', task: '1', note: 'look at the port' });
  const before = world.task('1');
  const work = { ...before.work, run: 'true' };
  const fields = { key: 'z', owner: bob, work, retries: 2, required: false, metadata: { tier: 'opus' } };
  expect(verdict(world.say(byLead(), changed('1', fields)))).toBe('ok');
  expect(world.task('1')).toMatchObject({
    ...before,
    ...fields,
    subject: 'Changed',
    metadata: { tier: 'opus', mine: 1 },
  });
  expect(world.board.unique.get('key z')).toBe('1');
  expect(world.board.unique.has('key a')).toBe(false);
  expect(world.board.vouchers.get('1')?.commands).toEqual([{ task: '1', run: 'true', verify: [], env: {} }]);
});

it('a task that has no command any more is vouched for, too', () => {
  const world = openWorld();
  world.add({ work: { ...newTask({ subject: 'x' }).work, run: 'true' } });
  const first = world.board.vouchers.get('1');
  world.say(byLead(), changed('1'));
  expect(world.board.vouchers.get('1')).not.toBe(first);
  expect(world.board.vouchers.get('1')?.commands).toEqual([{ task: '1', run: undefined, verify: [], env: {} }]);
});

it.each([
  ['a member', () => byMember(ada), changed('1'), 'POLICY_DENIED'],
  ['an unknown task', byLead, changed('9'), 'UNKNOWN_TASK'],
  ['an unknown blocker', byLead, changed('1', { blockedBy: ['9'] }), 'UNKNOWN_TASK'],
  ['a cycle', byLead, changed('1', { blockedBy: ['2'] }), 'CYCLE'],
  ['itself as a blocker', byLead, changed('1', { blockedBy: ['1'] }), 'CYCLE'],
  ["another task's key", byLead, changed('1', { key: 'b' }), 'DUPLICATE'],
] as const)('%s is refused', (_, author, change, code) => {
  const world = team();
  expect(verdict(world.say(author(), change))).toBe(code);
});

it('a task in progress and a final one are refused', () => {
  const world = team();
  world.claim('1');
  expect(verdict(world.say(byLead(), changed('1')))).toBe('ALREADY_CLAIMED');
  world.complete('1');
  expect(verdict(world.say(byLead(), changed('1')))).toBe('FINAL');
});

it('a waived task need not be done, and its key is free', () => {
  const world = team();
  world.say(byLead(), { type: 'task.cancelled', task: '2', why: 'its plan has it no more', waived: true });
  expect(world.task('2')).toMatchObject({ status: 'cancelled', required: false, waived: true });
  world.add({ key: 'b' });
  expect(world.task('3')).toMatchObject({ key: 'b', status: 'pending' });
  expect(verdict(world.say(byLead(), changed('1', { key: 'b' })))).toBe('DUPLICATE');
});

it('a log of version 1 knows none of it', () => {
  const world = team();
  world.say(byLead(), { type: 'task.cancelled', task: '2', why: 'no more', waived: true });
  world.add({ key: 'b' });
  world.say(byLead(), changed('1'));
  const board = emptyBoard();
  const outcomes = world.events.map((event) => advance(board, { ...event, v: 1 }));
  expect(outcomes.slice(-3).map(verdict)).toEqual(['ok', 'DUPLICATE', 'POLICY_DENIED']);
  expect(board.tasks.get('2')).toMatchObject({ status: 'cancelled', required: true });
  expect(board.tasks.get('1')).toMatchObject({ subject: 'Task 1' });
});
