/** S2 4.7: the owner is told once a task, when the last of its blockers resolves. */
import { expect, it } from 'vitest';
import { unblockedBy } from '../../../src/policy/supervise/unblocking.ts';
import { unblocked } from '../../../src/policy/mail-wording.ts';
import { world, type World } from '../world.ts';

const told = (team: World, changed: string[]) =>
  unblockedBy(team.board, changed).map(({ task, owner, blocker }) => `${owner}: ${unblocked(task.id, blocker)}`);

const finish = (team: World, id: string) => {
  team.claim('ada', id);
  team.complete('ada', id);
  return told(team, [id]);
};

const sketch = {
  members: ['ada', 'bob'],
  tasks: [{ owner: 'ada' }, { owner: 'ada' }, { owner: 'bob', blockedBy: ['1', '2'] }],
};

it('tells the owner when the last blocker completes, in the seed’s words', () => {
  const team = world(sketch);
  expect(finish(team, '1')).toEqual([]);
  expect(finish(team, '2')).toEqual(['bob: UNBLOCKED: Task #3 is now ready. Blocker #2 completed.']);
});

it('tells it of a skipped blocker as what it is', () => {
  const team = world(sketch);
  finish(team, '1');
  team.lead({ type: 'task.skipped', task: '2', cascade: false, why: 'no need' });
  expect(told(team, ['2'])).toEqual(['bob: UNBLOCKED: Task #3 is now ready. Blocker #2 was skipped.']);
});

it('tells it once when one event resolves several blockers, and names the last', () => {
  const team = world(sketch);
  finish(team, '1');
  finish(team, '2');
  expect(told(team, ['1', '2'])).toEqual(['bob: UNBLOCKED: Task #3 is now ready. Blocker #2 completed.']);
});

it('tells nobody of a failed blocker, of a task without an owner, or of one that was begun', () => {
  const team = world({ ...sketch, tasks: [...sketch.tasks, { blockedBy: ['1'] }, { owner: 'bob', blockedBy: ['1'] }] });
  finish(team, '1');
  team.claim('bob', '5');
  expect(told(team, ['1'])).toEqual([]);
  team.attempt('ada', '2');
  expect(told(team, ['2'])).toEqual([]);
});

it('tells every owner, lowest task first', () => {
  const team = world({
    members: ['ada', 'bob'],
    tasks: [{ owner: 'ada' }, ...Array.from({ length: 11 }, () => ({ owner: 'bob', blockedBy: ['1'] }))],
  });
  expect(finish(team, '1').map((text) => /#(\d+)/.exec(text)?.[1])).toEqual([
    '2',
    '3',
    '4',
    '5',
    '6',
    '7',
    '8',
    '9',
    '10',
    '11',
    '12',
  ]);
});
