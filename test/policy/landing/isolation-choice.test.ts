import { expect, it } from 'vitest';
import { askedIsolation, lacksSpace, needsNoTrees } from '../../../src/policy/landing/isolation-choice.ts';
import { parsePlan } from '../../../src/model/plan/plan.ts';
import type { IsolationMode } from '../../../src/model/team/isolation.ts';

const plan = (more: object) =>
  parsePlan({
    file: 'p.json',
    format: 'json',
    text: JSON.stringify({
      members: [{ name: 'ada', agent: { kind: 'exec' } }],
      tasks: [{ subject: 'One', run: 'true' }],
      ...more,
    }),
  });
const divided = { decomposed: { task: 'x' } };

it.each<[IsolationMode | undefined, object, IsolationMode, IsolationMode]>([
  ['off', { isolation: 'trees' }, 'trees', 'off'],
  ['trees', { isolation: 'off' }, 'off', 'trees'],
  [undefined, { isolation: 'auto' }, 'off', 'auto'],
  [undefined, {}, 'auto', 'off'],
  [undefined, {}, 'trees', 'trees'],
  [undefined, {}, 'off', 'off'],
  [undefined, divided, 'auto', 'auto'],
  [undefined, divided, 'off', 'off'],
  [undefined, { ...divided, isolation: 'off' }, 'trees', 'off'],
])('option %s, plan %j and configuration %s ask for %s', (flag, keys, configured, asked) => {
  expect(askedIsolation(plan(keys), { flag, configured })).toBe(asked);
});

it('reviewers do not count as writers', () => {
  const members = (...roles: string[]) =>
    plan({ members: roles.map((role, at) => ({ name: `m${at}`, role, agent: { kind: 'exec' } })) });
  expect(needsNoTrees(members('executor', 'code-reviewer'))).toContain('fewer than two');
  expect(needsNoTrees(members('executor', 'executor'))).toBeUndefined();
});

it('each writer needs twice the size of the project', () => {
  const size = { projectBytes: 10 * 2 ** 20, writers: 3 };
  expect(lacksSpace({ ...size, freeBytes: 60 * 2 ** 20 })).toBeUndefined();
  expect(lacksSpace({ ...size, freeBytes: 60 * 2 ** 20 - 1 })).toBe('3 trees may need 60 MiB, and 60 MiB are free');
});
