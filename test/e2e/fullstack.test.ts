/**
 * The whole life of a `fullstack-team` with scripted agents: every phase, the report line by line
 * (docs/specification.md R8.19), and the same when the lead is killed at each boundary of its phases.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { PHASES } from '../../src/model/run/run-state.ts';
import { Workplace } from '../support/cli.ts';

const SUBTASKS = [
  { worker: 'worker-1', subject: 'Design profiles', description: 'How.', files: ['docs'] },
  { worker: 'worker-2', subject: 'Implement the profile API', description: 'It.', files: ['api/**'] },
  { worker: 'worker-3', subject: 'Create the profile page', description: 'It.', files: ['web/**'] },
  { worker: 'worker-4', subject: 'Write tests for profiles', description: 'Both.', files: ['test/**'] },
].map((subtask) => ({ ...subtask, acceptance: ['it works'] }));

const SCRIPTS = { build: 'test -s api/profile.js', test: 'test -s test/profile.js', start: 'node api/profile.js' };

/** The planner is the lead's agent too: it is asked once how to divide the work, and once to change the shared file. */
const LEAD = [
  {
    match: 'You are the coordinator of a team',
    writes: { 'package.json': JSON.stringify({ scripts: SCRIPTS }) },
    answers: 'DONE 1',
  },
  { match: '== WORKERS ==', answers: JSON.stringify({ subtasks: SUBTASKS }) },
];
/** The first match plays, because a prompt also contains earlier work. No member works before the start is complete. */
const WORKERS = [
  { match: 'Review ', answers: 'Nothing to find.' },
  { match: 'Write tests for profiles', writes: { 'test/profile.js': 'tests' }, answers: 'Two tests.' },
  { match: 'Create the profile page', writes: { 'web/profile.html': 'page' }, answers: 'One page.' },
  {
    match: 'Done before, #1 Design profiles:\n    One table, one page.',
    writes: { 'api/profile.js': 'api' },
    answers: 'GET /profile.\nSHARED package.json: add a start script',
  },
  {
    match: 'Design profiles',
    waitsFor: 'out/calm',
    writes: { 'docs/design.md': 'profiles' },
    answers: 'One table, one page.',
  },
].map((turn) => ({ ...turn, repeat: true }));

const scripted = (turns: object[]): string => JSON.stringify({ kind: 'scripted', options: { turns } });
const ARGV = [
  'run',
  'fullstack-team',
  'add user profiles',
  '--yes',
  '--quiet',
  '--planner',
  scripted(LEAD),
  '--agent',
  scripted(WORKERS),
  '--reviewer',
  'exec:echo PASS; echo good',
];

const REPORT = `TEAM COMPLETE
Team: forge-team-N | Template: fullstack-team | Duration: T
Workers: 4 (architect, executor, designer, test-engineer) | Tasks: 5/5
Build: pass | Tests: pass | Lint: pass | Cross-CLI: pass

Worker Performance:
  worker-1 (architect/scripted): 2 tasks, T, completed
  worker-2 (executor/scripted): 1 task, T, completed
  worker-3 (designer/scripted): 1 task, T, completed
  worker-4 (test-engineer/scripted): 1 task, T, completed

Task Results:
  [DONE] #1: Design profiles (worker-1, T)
  [DONE] #2: Implement the profile API (worker-2, T)
  [DONE] #3: Create the profile page (worker-3, T)
  [DONE] #4: Write tests for profiles (worker-4, T)
  [DONE] #5: Review profiles and tests (worker-1, T) [cascade: review for #4]

Cascade Summary:
  Created: 1 follow-up task | Completed: 1 | Failed: 0

Cross-CLI Verification:
  Verifier: exec | Result: PASS
  Notes: "good"

Shared Files:
  [DONE] package.json: add a start script (worker-2, task #2)

ROOT/.teams/.archive/forge-team-N
`;

/** With the user's configuration: a gate, and a hook that counts completed tasks. */
function workplace(environment: Record<string, string> = {}): Workplace {
  const place = new Workplace(environment);
  const { start: _, ...scripts } = SCRIPTS;
  place.put('package.json', JSON.stringify({ scripts }));
  // No member owns the files that are made there.
  mkdirSync(join(place.root, 'out'));
  const hook = 'sed -n \'s/.*"task":{"id":"\\([0-9]*\\)".*/\\1/p\' >>out/done';
  place.put(
    'home/config/teams/config.yaml',
    JSON.stringify({ gates: { lint: 'test -d web' }, hooks: { onTaskCompleted: hook } }),
  );
  return place;
}

const bare = ({ root }: Workplace, out: string): string =>
  out
    .replaceAll(root, 'ROOT')
    .replaceAll(/forge-team-\d+(?:-\d+T\d+Z)?/g, 'forge-team-N')
    .replaceAll(/\b(?:\d+ ms|(?:\d+m)?\d+s)\b/g, 'T')
    // Whose work overlapped in time, and what the gates wrote, differs.
    .replace(/Notes:\n {2}- ownership pass: it cannot be told .*\n\n/, '');

function expectDone({ root }: Workplace): void {
  const read = (file: string): string => readFileSync(join(root, file), 'utf8');
  expect(read('out/done').trim().split('\n').sort()).toEqual(['1', '2', '3', '4', '5']);
  expect(JSON.parse(read('package.json'))).toEqual({ scripts: SCRIPTS });
  expect([read('docs/design.md'), read('api/profile.js'), read('web/profile.html')]).toEqual([
    'profiles',
    'api',
    'page',
  ]);
  // One archived team; a team that was never created leaves an empty reservation.
  const left = readdirSync(join(root, '.teams')).filter((file) => readdirSync(join(root, '.teams', file)).length > 0);
  expect(left).toEqual(['.archive']);
  // A team made in the second in which another of its name was not finished puts the board of that one aside.
  const archived = readdirSync(join(root, '.teams/.archive')).filter((name) => !name.endsWith('.orphan'));
  expect(archived, archived.join()).toHaveLength(1);
}

it('a fullstack-team goes through every phase and reports in the specified layout', async () => {
  const place = workplace();
  place.put('out/calm', '');
  const { code, out, err } = await place.teams(...ARGV);
  expect(code, `${out}${err}`).toBe(0);
  expect(bare(place, out)).toBe(REPORT);
  expectDone(place);
});

it(
  'a fullstack-team whose lead is killed at each boundary of its phases ends the same, with no task done twice',
  { timeout: 120_000 },
  async () => {
    const place = workplace();
    const deaths = join(place.root, 'out/deaths');
    mkdirSync(deaths);
    const dying = { NODE_OPTIONS: `--require ${resolve('test/fixtures/die-at-phase.cjs')}`, DEATHS: deaths };
    Object.assign(place.environment, dying);
    for (const [at, phase] of PHASES.entries()) {
      expect(await place.start(...ARGV).ended, phase).toMatchObject({ signal: 'SIGKILL' });
      expect(readdirSync(deaths).sort()).toEqual(PHASES.slice(0, at + 1).toSorted());
      if (phase === 'executing') writeFileSync(join(place.root, 'out/calm'), '');
    }
    const { code, out, err } = await place.start(...ARGV).ended;
    expect(code, `${out}${err}`).toBe(0);
    expect(bare(place, out)).toBe(REPORT);
    expectDone(place);
  },
);
