/** `teams run [SPEC] "TASK"`: a planner, an approval, a team, and no model anywhere. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Workplace } from '../../support/cli.ts';

const SUBTASKS = [
  { subject: '[no-cascade] Fix a', description: 'Mend a.', acceptance: ['a works'], files: ['a.txt'] },
  {
    subject: '[no-cascade] Fix b',
    description: 'Mend b.',
    acceptance: ['b works'],
    files: ['b.txt'],
    dependencies: [1],
  },
];
const planner = (place: Workplace, ...answers: unknown[]): string => {
  for (const [at, one] of answers.entries()) place.put(`answers/${at}.json`, JSON.stringify(one));
  const turn = 'n=$(cat n 2>/dev/null || echo 0); echo $((n+1)) >n; cat >asked-$n.txt; cat answers/$n.json';
  return `exec:${turn}`;
};
const WORKER = 'exec:cat >"$TEAMS_MEMBER.txt"; echo done';
const teamsIn = (place: Workplace): string[] =>
  existsSync(join(place.root, '.teams'))
    ? readdirSync(join(place.root, '.teams')).filter((name) => name !== '.archive')
    : [];
const read = (place: Workplace, file: string): string => readFileSync(join(place.root, file), 'utf8');

describe('run of a task', () => {
  it('plans, runs and reports without a model, and puts the team away', async () => {
    const place = new Workplace();
    const argv = [
      'run',
      '2:executor',
      'fix both',
      '--planner',
      planner(place, { subtasks: SUBTASKS }),
      '--agent',
      WORKER,
    ];
    const { code, out, err } = await place.teams(...argv, '--yes');
    expect(err).toContain('TEAM DECOMPOSITION\nTask: "fix both"\nWorkers: 2 | Template: custom\n');
    expect(out).toMatch(/^TEAM COMPLETE\nTeam: forge-team-\d+ \| Template: custom/);
    expect(out).toContain('[DONE] #2: [no-cascade] Fix b (worker-2, ');
    expect(code).toBe(0);
    expect(out.trimEnd().split('\n').at(-1)).toMatch(/\.archive\/forge-team-\d+-/);
    expect(teamsIn(place)).toEqual([]);
    expect(read(place, 'asked-0.txt')).toContain('== TASK ==\nfix both\n');
  });

  it('asks a planner once more, with what was wrong, and then gives up with it', async () => {
    const place = new Workplace();
    const wrong = { subtasks: [{ ...SUBTASKS[0], files: [] }] };
    const argv = ['run', 'fix both', '--planner', planner(place, wrong, { subtasks: 3 }), '--agent', WORKER];
    const { code, err } = await place.teams(...argv, '--yes');
    expect(code).toBe(5);
    expect(err).toContain(
      'gave no plan that can be carried out, and was asked twice: The answer is no plan: Expected "subtasks"',
    );
    expect(read(place, 'asked-1.txt')).toContain('- Subtask 1 is to change files and owns none');
    expect(teamsIn(place)).toEqual([]);
  });

  it('starts nothing for a look', async () => {
    const place = new Workplace();
    const argv = [
      'run',
      'fix both',
      '--planner',
      planner(place, { subtasks: SUBTASKS }),
      '--agent',
      WORKER,
      '--dry-run',
    ];
    const { code, out } = await place.teams(...argv);
    expect(code).toBe(0);
    expect(out).toContain(
      '  #2 [exec]  [no-cascade] Fix b (worker-2, executor, haiku)\n     Files: b.txt\n     Dependencies: blocked by #1\n',
    );
    expect(teamsIn(place)).toEqual([]);
  });

  it('spends nothing on a plan that nobody is there to agree to', async () => {
    const place = new Workplace();
    const { code, err } = await place.teams('run', 'fix', '--planner', planner(place), '--agent', WORKER);
    expect(code).toBe(2);
    expect(err).toContain('say so with --yes');
    expect(existsSync(join(place.root, 'n'))).toBe(false);
  });

  it('says what was probed when there is nobody who could think', async () => {
    const place = new Workplace({ PATH: '/nowhere', OLLAMA_HOST: '127.0.0.1:9' });
    const { code, err } = await place.teams('run', 'fix both');
    expect(code).toBe(5);
    expect(err).toContain('No agent can plan or work here. Probed: claude: no program claude on PATH; ');
    expect(err).toContain('--planner exec:COMMAND --agent exec:COMMAND');
  });
});
