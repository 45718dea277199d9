/** `cascadeDepth`: how many follow-ups a chain of tasks may have. */
import { expect, it } from 'vitest';
import { Workplace } from '../support/cli.ts';

const PLAN = `name: crew
cascade: true
members:
  - {name: ada, agent: {kind: exec}}
  - {name: tim, role: test-engineer, agent: {kind: exec, command: cat}}
  - {name: rae, role: quality-reviewer, agent: {kind: exec, command: cat}}
tasks: [{subject: Implement the API, owner: ada, run: echo built}]
`;

it.each([
  ['0', []],
  ['1', ['Write tests for the API']],
  ['3', ['Write tests for the API', 'Review the API and tests']],
])('a chain has at most cascadeDepth follow-ups: %s', { timeout: 30_000 }, async (depth, expected) => {
  const place = new Workplace({ TEAMS_CASCADE_DEPTH: depth });
  place.put('crew.yaml', PLAN);
  const { code, out, err } = await place.start('run', 'crew.yaml').ended;
  expect(code, `${out}${err}`).toBe(0);
  const subjects = [...out.matchAll(/\[DONE\] #\d+: (.+?) \(/g)].map(([, subject]) => subject);
  expect(subjects).toEqual(['Implement the API', ...expected]);
});

it('a depth that is no number of follow-ups is refused', async () => {
  const place = new Workplace({ TEAMS_CASCADE_DEPTH: '-1' });
  place.put('crew.yaml', PLAN);
  const { code, err } = await place.start('run', 'crew.yaml').ended;
  expect(code, err).toBe(2);
  expect(err).toContain('TEAMS_CASCADE_DEPTH');
});
