/** `teams run [SPEC] "TASK"` (docs/specification.md R8.1): a planner, an approval, a team, and no model. */
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
/** The folder for files that no member owns. */
const WORKER = 'exec:mkdir -p out; cat >"out/$TEAMS_MEMBER.txt"; echo done';
const teamsIn = (place: Workplace): string[] =>
  existsSync(join(place.root, '.teams'))
    ? readdirSync(join(place.root, '.teams')).filter((name) => !name.startsWith('.'))
    : [];
const read = (place: Workplace, file: string): string => readFileSync(join(place.root, file), 'utf8');

describe('run of a task', () => {
  it('a run of a task plans, runs and reports without a model, and archives the team', async () => {
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
    const folder = out.trimEnd().split('\n').at(-1) ?? '';
    expect(folder).toMatch(/\.archive\/forge-team-\d+-/);
    expect(readFileSync(join(folder, 'report.md'), 'utf8')).toBe(out);
    expect(readFileSync(join(folder, 'report.json'), 'utf8')).toContain(`"folder": "${folder}"`);
    expect(teamsIn(place)).toEqual([]);
    expect(read(place, 'out/worker-1.txt')).toContain('== FILE SCOPE ==\nFiles you may modify: a.txt\n');
    expect(read(place, 'out/worker-2.txt')).toContain('Done before, #1 [no-cascade] Fix a:\n    done');
    expect(read(place, 'asked-0.txt')).toContain('== TASK ==\nfix both\n');
  });

  it('a planner is asked once more with the error of its plan, and then the run fails', async () => {
    const place = new Workplace();
    const wrong = { subtasks: [{ ...SUBTASKS[0], files: [] }] };
    const argv = ['run', 'fix both', '--planner', planner(place, wrong, { subtasks: 3 }), '--agent', WORKER];
    const { code, err } = await place.teams(...argv, '--yes');
    expect(code).toBe(5);
    expect(err).toContain('gave no valid plan in two attempts: The answer is not a plan: Expected "subtasks"');
    expect(read(place, 'asked-1.txt')).toContain('- Subtask 1 changes files but owns none');
    expect(teamsIn(place)).toEqual([]);
  });

  it('--dry-run starts nothing', async () => {
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

  it('a plan that nobody can approve costs nothing', async () => {
    const place = new Workplace();
    const { code, err } = await place.teams('run', 'fix', '--planner', planner(place), '--agent', WORKER);
    expect(code).toBe(2);
    expect(err).toContain('approve it with --yes');
    expect(existsSync(join(place.root, 'n'))).toBe(false);
  });

  it.each<[string, string[], Record<string, string>, string]>([
    ['exec without a command', ['--agent', 'exec'], {}, 'exec has no command, and a task needs one'],
    ['a command that was not asked to plan', ['--agent', WORKER], {}, 'exec works on tasks and does not plan'],
    ['more workers than there may be', ['--agent', WORKER], { TEAMS_MAX_AGENTS: '1' }, 'Expected 1 to 1 workers'],
    ['a run inside of another run', ['--agent', WORKER], { TEAMS_REFINE: '1' }, 'cannot start another one'],
    ['a variable without a plan file', ['--var', 'a=b'], {}, '--var sets values in a plan file'],
    ['a resume without an unfinished run', ['--resume'], {}, 'There is no unfinished run of this task'],
  ])('a run of a task refuses %s', async (_, flags, environment, why) => {
    const place = new Workplace();
    const { code, err } = await place.say(['run', '2:executor', 'fix both', ...flags, '--yes'], { environment });
    expect(err).toContain(why);
    expect([2, 3]).toContain(code);
    expect(teamsIn(place)).toEqual([]);
  });

  it('a role that does not fit the task is refused before the planner is asked', async () => {
    const place = new Workplace();
    const { code, err } = await place.teams('run', '2:style-reviewer', 'fix both', '--agent', WORKER, '--yes');
    expect(err).toContain(
      '"fix both" is implement work, and the role style-reviewer is for review, and changes no files',
    );
    expect(code).toBe(2);
  });

  it('the error without an agent names the probes', async () => {
    const place = new Workplace({ PATH: '/nowhere', OLLAMA_HOST: '127.0.0.1:9' });
    const { code, err } = await place.teams('run', 'fix both');
    expect(code).toBe(5);
    expect(err).toContain('No agent can plan or work here. Probed: claude: no program claude on PATH; ');
    expect(err).toContain('--planner exec:COMMAND --agent exec:COMMAND');
  });
});

describe("a project's own template", () => {
  const OWN = 'workers: [{role: executor, tier: haiku, route: []}]\ncascade: false\n';

  it("a project's template runs once its user trusts it, and not before", async () => {
    const place = new Workplace();
    place.put('.teams/templates/solo-team.yaml', OWN);
    const argv = ['run', 'solo-team', 'fix a', '--agent', WORKER, '--dry-run'];
    const plans = planner(place, { subtasks: SUBTASKS.slice(0, 1) });
    const before = await place.teams(...argv, '--planner', plans);
    expect(before).toMatchObject({ code: 4, out: '' });
    expect(before.err).toContain('solo-team.yaml is not trusted');
    await place.teams('doctor', '--trust');
    const after = await place.teams(...argv, '--planner', plans);
    expect(after.out).toContain(
      'Workers: 1 | Template: solo-team\n\n  #1 [exec]  [no-cascade] Fix a (worker-1, executor, haiku)',
    );
  });

  it("a project's template is read with the place of each mistake", async () => {
    const place = new Workplace();
    place.put('.teams/templates/solo-team.yaml', 'workers: [{role: executor, teir: haiku}]\n');
    await place.teams('doctor', '--trust');
    const { code, err } = await place.teams('run', 'solo-team', 'fix a', '--agent', WORKER);
    expect(code).toBe(2);
    expect(err).toMatch(/solo-team\.yaml:1:\d+: Unknown key "teir"; did you mean "tier"\?/);
  });
});

describe('a run that was cut short', () => {
  it('an interrupted run is resumed by the same words, and the planner is not asked again', async () => {
    const place = new Workplace({ TEAMS_SHUTDOWN_TIMEOUT_MS: '100' });
    const slow = 'exec:test -e go && echo done || sleep 45.5';
    const argv = ['run', 'fix both', '--planner', planner(place, { subtasks: SUBTASKS }), '--agent', slow, '--yes'];
    const first = await place.teams(...argv, '--timeout', '3s');
    expect(first.code).toBe(124);
    place.put('go', '');
    const [team = ''] = teamsIn(place);
    const second = await place.teams(...argv);
    expect(second.err).toContain(`Continuing the unfinished team ${team}.\n`);
    expect(second.out).toContain('Tasks: 2/2');
    expect(second.code).toBe(0);
    expect(read(place, 'n')).toBe('1\n');
    expect(teamsIn(place)).toEqual([]);
  });
});
