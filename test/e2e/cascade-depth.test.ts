/** `cascadeDepth`: how many follow-ups a chain of tasks may have. What a run adds is told before it starts. */
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

it('a plan may set its own depth', { timeout: 30_000 }, async () => {
  const place = new Workplace({ TEAMS_CASCADE_DEPTH: '3' });
  place.put('crew.yaml', PLAN.replace('cascade: true', 'cascade: true\ncascadeDepth: 1'));
  const { code, out, err } = await place.start('run', 'crew.yaml').ended;
  expect(code, `${out}${err}`).toBe(0);
  expect([...out.matchAll(/\[DONE\] #\d+: (.+?) \(/g)].map(([, subject]) => subject)).toHaveLength(2);
});

it.each([
  ['0', []],
  ['1', ['  after #1: Write tests for the API (test-engineer)']],
  [
    '3',
    ['  after #1: Write tests for the API (test-engineer)', '    then: Review the API and tests (quality-reviewer)'],
  ],
])(
  'what a run adds is shown by validate and --dry-run, and is what it adds: %s',
  { timeout: 30_000 },
  async (depth, lines) => {
    const place = new Workplace({ TEAMS_CASCADE_DEPTH: depth });
    place.put('crew.yaml', PLAN);
    for (const verb of [['validate'], ['run', '--dry-run']]) {
      const { out } = await place.start(...verb, 'crew.yaml').ended;
      const shown = out.split('\n').filter((line) => /^ +(?:after #|then:)/.test(line));
      expect(shown, verb.join(' ')).toEqual(lines);
      expect(out.includes(`Follow-ups: ${lines.length} more`)).toBe(lines.length > 0);
      // Commands ask no model.
      expect(out).not.toContain('Estimate');
    }
  },
);
