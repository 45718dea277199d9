/** The owner of a task is told once, when the last of its blockers resolves (docs/specification.md R5.10). */
import { expect, it } from 'vitest';
import { unblockedBy } from '../../../src/model/board/unblocking.ts';
import { unblocked } from '../../../src/policy/mail-wording.ts';
import { world, type World } from '../../policy/world.ts';

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

it('the owner is told when the last blocker completes, in the specified words', () => {
  const team = world(sketch);
  expect(finish(team, '1')).toEqual([]);
  expect(finish(team, '2')).toEqual(['bob: UNBLOCKED: Task #3 is now ready. Blocker #2 completed.']);
});

it('a skipped blocker is called skipped', () => {
  const team = world(sketch);
  finish(team, '1');
  team.lead({ type: 'task.skipped', task: '2', cascade: false, why: 'no need' });
  expect(told(team, ['2'])).toEqual(['bob: UNBLOCKED: Task #3 is now ready. Blocker #2 was skipped.']);
});

it('the owner is told once if one event resolves several blockers, and the message names the last', () => {
  const team = world(sketch);
  finish(team, '1');
  finish(team, '2');
  expect(told(team, ['1', '2'])).toEqual(['bob: UNBLOCKED: Task #3 is now ready. Blocker #2 completed.']);
});

it('no message is sent for a failed blocker, an unowned task or a started one', () => {
  const team = world({ ...sketch, tasks: [...sketch.tasks, { blockedBy: ['1'] }, { owner: 'bob', blockedBy: ['1'] }] });
  finish(team, '1');
  team.claim('bob', '5');
  expect(told(team, ['1'])).toEqual([]);
  team.attempt('ada', '2');
  expect(told(team, ['2'])).toEqual([]);
});

it('every owner is told, lowest task first', () => {
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
