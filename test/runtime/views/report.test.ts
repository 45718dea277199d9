/**
 * The final report: the layout of docs/specification.md R8.19 line by line, with numbers that come from the logs alone.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseName } from '../../../src/model/text/names.ts';
import type { TaskStatus } from '../../../src/model/board/task.ts';
import { NOT_ASKED_FOR } from '../../../src/policy/sandbox/sandbox-enforcement.ts';
import { exportOf } from '../../../src/runtime/views/export.ts';
import { keepReport, reportOf } from '../../../src/runtime/views/report.ts';
import { reportText, type Report, type ReportMember, type ReportTask } from '../../../src/runtime/views/report-text.ts';
import { archive, listTeams } from '../../../src/store/team/team-list.ts';
import { openForReading } from '../../../src/store/team/team-reader.ts';
import { name } from '../../support/team.ts';
import { ToldTeam } from '../../support/told-team.ts';

const at = (minutes: number, seconds: number): number => (minutes * 60 + seconds) * 1_000;

const member = (who: string, job: string, tasks: number, durationMs: number): ReportMember => {
  const [role = '', agent = ''] = job.split('/');
  const held = { sandbox: 'workspace-write', notEnforced: null, spent: null } as const;
  return { name: name(who), role, agent, tasks, durationMs, status: 'completed', ...held };
};

const line = (
  id: number,
  subject: string,
  who: string | null,
  durationMs: number | null,
  ...notes: string[]
): ReportTask => ({
  id: String(id),
  subject,
  status: 'completed',
  notes,
  durationMs,
  member: who === null ? null : name(who),
  work: null,
});

const FOLDER = '/project/.teams/forge-team-1707580800';

/** The facts of the example output in docs/specification.md R8.19. */
const EXAMPLE: Report = {
  team: parseName('team', 'forge-team-1707580800'),
  template: 'fullstack-team',
  outcome: 'succeeded',
  headline: 'TEAM COMPLETE',
  failures: [],
  roles: null,
  notEnforced: [],
  durationMs: at(8, 32),
  members: [
    member('worker-1', 'architect/claude', 1, at(2, 10)),
    member('worker-2', 'executor/codex', 3, at(4, 45)),
    member('worker-3', 'designer/gemini', 2, at(3, 20)),
    member('worker-4', 'test-engineer/claude', 1, at(1, 55)),
  ],
  tasks: [
    line(1, 'Design user profile API architecture', 'worker-1', at(2, 10)),
    line(2, 'Implement user profile API endpoints', 'worker-2', at(2, 30)),
    line(3, 'Create profile page components', 'worker-3', at(3, 20)),
    line(4, 'Write API integration tests', 'worker-4', at(1, 55), 'cascade: test for #2'),
    line(5, 'Fix type imports across modules', 'worker-2', at(1, 15), 'reassigned from worker-1'),
    line(6, 'Review profile API code quality', 'worker-2', at(1, 0), 'cascade: review for #4'),
    line(7, 'Accessibility review of profile UI', 'worker-3', at(0, 45), 'cascade: review for #3'),
  ],
  gates: { build: 'pass', test: 'pass', crossVerify: 'pass' },
  cascade: { created: 3, completed: 3, failed: 0 },
  shared: [],
  spending: { tokens: 0, usd: 0, unpriced: [] },
  estimate: null,
  verification: {
    verifier: 'Codex',
    result: 'pass',
    notes: 'All endpoints correctly implement REST conventions. UI components are accessible. Test coverage adequate.',
  },
  notes: [],
  undo: null,
  folder: FOLDER,
  exitCode: 0,
};

/** The example report of the specification, verbatim (docs/specification.md R8.19). */
const SPECIFIED = `TEAM COMPLETE
Team: forge-team-1707580800 | Template: fullstack-team | Duration: 8m32s
Workers: 4 (architect, executor, designer, test-engineer) | Tasks: 7/7
Build: pass | Tests: pass | Cross-CLI: pass

Worker Performance:
  worker-1 (architect/claude): 1 task, 2m10s, completed
  worker-2 (executor/codex): 3 tasks, 4m45s, completed
  worker-3 (designer/gemini): 2 tasks, 3m20s, completed
  worker-4 (test-engineer/claude): 1 task, 1m55s, completed

Task Results:
  [DONE] #1: Design user profile API architecture (worker-1, 2m10s)
  [DONE] #2: Implement user profile API endpoints (worker-2, 2m30s)
  [DONE] #3: Create profile page components (worker-3, 3m20s)
  [DONE] #4: Write API integration tests (worker-4, 1m55s) [cascade: test for #2]
  [DONE] #5: Fix type imports across modules (worker-2, 1m15s) [reassigned from worker-1]
  [DONE] #6: Review profile API code quality (worker-2, 1m00s) [cascade: review for #4]
  [DONE] #7: Accessibility review of profile UI (worker-3, 45s) [cascade: review for #3]

Cascade Summary:
  Created: 3 follow-up tasks | Completed: 3 | Failed: 0

Cross-CLI Verification:
  Verifier: Codex | Result: PASS
  Notes: "All endpoints correctly implement REST conventions. UI components are accessible. Test coverage adequate."`;

const SKIPPED = { build: 'skipped', test: 'skipped', crossVerify: 'skipped' } as const;
const bare: Report = { ...EXAMPLE, members: [], tasks: [], gates: SKIPPED, cascade: null, verification: null };
const ended = (status: TaskStatus, facts: Partial<ReportTask> = {}): ReportTask => ({
  ...line(5, 'Do it', 'ada', at(0, 9)),
  status,
  ...facts,
});

describe('the text', () => {
  it('the text equals the specified example, line by line, and ends with the folder', () => {
    expect(reportText(EXAMPLE)).toBe(`${SPECIFIED}\n\n${FOLDER}`);
  });

  it('the text leaves out what does not apply, and says skipped', () => {
    expect(reportText(bare)).toBe(
      [
        'TEAM COMPLETE',
        'Team: forge-team-1707580800 | Template: fullstack-team | Duration: 8m32s',
        'Workers: 0 | Tasks: 0/0',
        '',
        FOLDER,
      ].join('\n'),
    );
  });

  it.each<[string, ReportTask, string]>([
    ['a failure', ended('failed', { reason: 'exit 1' }), '[FAIL] #5: Do it (ada, error: exit 1)'],
    ['a failure of many lines', ended('failed', { reason: 'one\n  two' }), '[FAIL] #5: Do it (ada, error: one two)'],
    [
      'a skipped task',
      ended('skipped', { reason: '#1 failed', durationMs: null }),
      '[SKIP] #5: Do it (ada, #1 failed)',
    ],
    ['a cancelled task without an owner', ended('cancelled', { member: null, durationMs: null }), '[CANC] #5: Do it'],
    ['a running task', ended('in_progress', { durationMs: null }), '[WORK] #5: Do it (ada)'],
    ['a pending task', ended('pending', { durationMs: null, member: null }), '[WAIT] #5: Do it'],
  ])('the text has a line for %s', (_, task, wanted) => {
    expect(reportText({ ...bare, tasks: [task] }).split('\n')).toContain(`  ${wanted}`);
  });

  it('the text begins with the headline, and names lint only if it ran', () => {
    const text = reportText({
      ...bare,
      headline: 'TEAM INTERRUPTED: 0 of 1 task done',
      tasks: [ended('pending')],
      gates: { ...SKIPPED, lint: 'fail' },
      notes: ['lint fail: x'],
    });
    expect(text).toMatch(/^TEAM INTERRUPTED: 0 of 1 task done\n/);
    expect(text).toContain('\nLint: fail\n');
    expect(text).toContain('\n\nNotes:\n  - lint fail: x\n\n');
  });
});

/** A history with a follow-up, a task that changed hands, a failure and its skipped dependant. */
function told(): ToldTeam {
  const team = new ToldTeam({ ada: 'architect/claude', bob: 'executor/codex' }).led().started('ada', 'bob');
  return team
    .add('Implement it', { owner: 'ada' })
    .add('Fix it', { owner: 'ada' })
    .add('Break it', { owner: 'bob' })
    .add('After that', { blockedBy: ['3'] })
    .work('1', 'ada', 130_000)
    .say({ type: 'task.assigned', task: '2', owner: name('bob') })
    .work('2', 'bob', 75_000)
    .add('Write tests for it', { owner: 'ada', metadata: { parent: '1', kind: 'test' } })
    .work('5', 'ada', 45_000)
    .claim('3', 'bob')
    .wait(5_000)
    .fail('3', 'bob', 'exit 2')
    .note('agent.last_lines', { member: 'bob', task: '3', text: 'compiling\nno such file' })
    .say({ type: 'task.skipped', task: '4', cascade: true, why: 'blocker #3 failed' })
    .say({ type: 'team.closing' })
    .wait(60_000);
}

const NARRATED = [
  'TEAM FAILED: 1 failed, 1 skipped, test failed',
  'Team: login | Template: custom | Duration: 4m15s',
  'Workers: 2 (architect, executor) | Tasks: 3/5',
  'Tests: fail',
  '',
  'Failures:',
  '  #3: Break it (bob): exit 2',
  '    | compiling',
  '    | no such file',
  '    all of it: teams logs login --task 3',
  '    next: teams task retry login 3',
  '  gate test: npm test: exit 1',
  '    next: teams resume login',
  '',
  'Worker Performance:',
  '  ada (architect/claude): 2 tasks, 2m55s, completed',
  '  bob (executor/codex): 1 task, 1m20s, failed',
  '',
  'Task Results:',
  '  [DONE] #1: Implement it (ada, 2m10s)',
  '  [DONE] #2: Fix it (bob, 1m15s) [reassigned from ada]',
  '  [FAIL] #3: Break it (bob, error: exit 2)',
  '  [SKIP] #4: After that (blocker #3 failed)',
  '  [DONE] #5: Write tests for it (ada, 45s) [cascade: test for #1]',
  '',
  'Cascade Summary:',
  '  Created: 1 follow-up task | Completed: 1 | Failed: 0',
  '',
  'Sandbox:',
  '  ada: workspace-write is not enforced: its own shell is held in by nothing',
  '',
  'Notes:',
  '  - bob was tired',
];
const OPTIONS = {
  gates: [{ name: 'test' as const, result: 'fail' as const, notes: 'npm test: exit 1' }],
  notes: ['bob was tired'],
};

describe('a report', () => {
  it('a report is computed from the logs', () => {
    const { store } = told();
    const report = reportOf(store, OPTIONS);
    expect(report).toMatchObject({ outcome: 'failed', exitCode: 1, durationMs: 255_000 });
    expect(reportText(report).split('\n')).toEqual([...NARRATED, '', store.paths.folder]);
  });

  it('a report is stored as text and as data', () => {
    const { store } = told();
    keepReport(store, reportOf(store, OPTIONS));
    expect(readFileSync(store.paths.reportText, 'utf8')).toBe(`${[...NARRATED, '', store.paths.folder].join('\n')}\n`);
    expect(JSON.parse(readFileSync(store.paths.reportJson, 'utf8'))).toMatchObject({
      version: 1,
      team: 'login',
      exitCode: 1,
    });
  });

  it('a report is the same from the archive', () => {
    const team = told().say({ type: 'team.closed' });
    const before = reportOf(team.store, OPTIONS);
    const paths = archive(team.store);
    const reader = openForReading(listTeams(team.root)[0]?.paths ?? paths, { clock: team.clock });
    expect(reportOf(reader, OPTIONS)).toEqual({ ...before, folder: paths.folder });
    reader.close();
  });

  it('a report of a team whose lead is gone counts no time after the last record', () => {
    const team = new ToldTeam({ ada: 'executor/exec' })
      .led()
      .started('ada')
      .add('One')
      .claim('1', 'ada')
      .wait(3_000)
      .started('ada');
    team.claim('1', 'ada').wait(2_000);
    const report = reportOf(team.store);
    expect(report).toMatchObject({ outcome: 'interrupted', durationMs: 3_000, exitCode: 1 });
    const loose = { sandbox: 'workspace-write', notEnforced: NOT_ASKED_FOR, spent: null };
    expect(report.members).toEqual([
      { name: 'ada', role: 'executor', agent: 'exec', tasks: 0, durationMs: 3_000, status: 'unfinished', ...loose },
    ]);
    expect(report.tasks[0]).toMatchObject({ status: 'in_progress', member: 'ada' });
  });

  it('a report gives the usage and the cost of each agent, as far as known', () => {
    const used = (member: string, kind: string, model: string, tokens: number) =>
      [
        'agent.spent',
        {
          member,
          kind,
          model,
          input_tokens: tokens,
          output_tokens: 0,
          ...(kind === 'claude' ? { cost_usd: 0.5 } : {}),
        },
      ] as const;
    const team = new ToldTeam({ ada: 'executor/claude', bob: 'executor/openai', cy: 'executor/exec' }).led();
    team.note(...used('ada', 'claude', 'sonnet', 1_000)).note(...used('bob', 'openai', 'own-model', 500));
    team.note(...used('bob', 'openai', 'priced', 1_000_000));
    const report = reportOf(team.store, { prices: { priced: { input: 2, output: 9 } } });
    expect(report.spending).toEqual({ tokens: 1_001_500, usd: 2.5, unpriced: ['own-model'] });
    expect(report.members.map(({ spent }) => spent?.tokens ?? null)).toEqual([1_000, 1_000_500, null]);
    expect(reportText(report)).toContain(
      [
        'Spending:',
        '  ada: 1000 tokens, cost $0.5000',
        '  bob: 1000500 tokens, cost $2.0000 and unknown (no price of own-model)',
        '  Total: 1001500 tokens, cost $2.5000 and unknown (no price of own-model)',
      ].join('\n'),
    );
  });

  it('a report names a quarantined member', () => {
    const team = new ToldTeam({ ada: 'executor/exec' })
      .led()
      .note('lead.decided', { act: 'quarantine', member: 'ada', text: 'x' });
    expect(reportOf(team.store).members[0]?.status).toBe('quarantined');
  });
});

it.each([
  ['a pause of all processes', 3_600_000],
  ['a clock that is set ahead', 7_200_000],
  ['a clock that is set back', -3_600_000],
])('%s counts for no duration of a report', (_, jump) => {
  const team = new ToldTeam({ ada: 'executor/exec' })
    .led()
    .started('ada')
    .add('One')
    .add('Two')
    .claim('1', 'ada')
    .wait(5_000);
  const from = new Date(team.clock.now()).toISOString();
  team
    .wait(jump + 1_000)
    .note('lead.lost_time', { ms: jump, from })
    .wait(4_000)
    .complete('1', 'ada')
    .work('2', 'ada', 3_000);
  const { durationMs, tasks, members } = reportOf(team.store);
  expect(tasks.map((task) => task.durationMs)).toEqual([10_000, 3_000]);
  expect([durationMs, members[0]?.durationMs]).toEqual([13_000, 13_000]);
});

const HOUR = 3_600_000;

describe('a member whose process ended while it worked', () => {
  /** It worked for two seconds. */
  const worked = (): ToldTeam =>
    new ToldTeam({ ada: 'executor/exec' }).led().started('ada').add('One').claim('1', 'ada').wait(2_000);

  it.each([
    ['as its lead saw', (team: ToldTeam) => team.note('member.exited', { member: 'ada', text: 'signal SIGKILL' })],
    [
      'while nobody led the team',
      (team: ToldTeam) => {
        const last = new Date(team.clock.now()).toISOString();
        return team.wait(HOUR).note('member.lost', { member: 'ada', last });
      },
    ],
  ])('%s, worked until then, also after a resume', (_, end) => {
    const team = end(worked()).wait(HOUR);
    const durations = (): unknown => {
      const { durationMs, tasks, members } = reportOf(team.store);
      return [durationMs, members[0]?.durationMs, tasks[0]?.durationMs];
    };
    expect(durations()).toEqual([2_000, 2_000, 2_000]);
    team.led().started('ada').wait(HOUR).work('1', 'ada', 3_000);
    expect(durations()).toEqual([5_000, 5_000, 3_000]);
  });

  it('without a record of its end, worked until it was heard last', async () => {
    const team = worked();
    team.process('ada', 'dead', { started_at: team.clock.now() / 1_000 });
    team.wait(HOUR);
    const { timeline } = await exportOf(team.store, {});
    expect(reportOf(team.store).durationMs).toBe(2_000);
    expect(timeline.spans).toMatchObject([{ task: '1', end: 'lost' }]);
    expect(timeline.critical).toEqual({ tasks: ['1'], ms: 2_000 });
  });
});
