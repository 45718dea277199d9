import { expect, it } from 'vitest';
import { isMembersFailure } from '../../../src/model/board/member-failure.ts';
import { world, type TaskSketch, type World } from '../../policy/world.ts';

const failed = (sketch: TaskSketch = {}): World => {
  const team = world({ members: ['ada'], tasks: [{ owner: 'ada', ...sketch }] });
  team.attempt('ada', '1');
  return team;
};
const counts = (team: World, epoch = 1): boolean => isMembersFailure(team.board, { task: '1', epoch });

it('a task that failed for good counts', () => expect(counts(failed())).toBe(true));

it('an attempt that retries allow does not count, the last one does', () => {
  const team = failed({ retries: 1 });
  expect(counts(team)).toBe(false);
  team.attempt('ada', '1');
  expect([counts(team, 1), counts(team, 2)]).toEqual([false, true]);
});

it('the exit code of a command does not count', () => expect(counts(failed({ work: { run: 'false' } }))).toBe(false));

it('a failure that was retried since does not count', () => {
  const team = failed();
  team.person({ type: 'task.retried', task: '1' });
  expect(counts(team)).toBe(false);
});
