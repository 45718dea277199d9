/** How many members a plan may have. */
import { expect, it } from 'vitest';
import { planInText } from '../../../../src/runtime/runs/plan/plan-source.ts';
import { tempDir } from '../../../support/temp.ts';

const planOf = (count: number): string =>
  JSON.stringify({
    members: Array.from({ length: count }, (_, n) => ({ name: `m${String(n)}`, agent: 'exec' })),
    tasks: [{ subject: 'One', run: 'true' }],
  });

it('a plan has at most as many members as the configuration allows, or 64, and never more than 512', () => {
  const read = (count: number, maxMembers?: number) => () =>
    planInText(planOf(count), { cwd: tempDir(), vars: {}, agents: new Map(), maxMembers }).plan.members.length;
  expect(read(64)()).toBe(64);
  expect(read(65)).toThrow(
    '-: The plan has 65 members, and "maxMembers" of the configuration is 64: set TEAMS_MAX_MEMBERS=65, or maxMembers there.',
  );
  expect(read(512, 512)()).toBe(512);
  expect(read(513, 512)).toThrow(/"members".*at most 512/);
  expect(read(3, 2)).toThrow(/has 3 members/);
});
