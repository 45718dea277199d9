/** `teams pipeline` as a person uses it: a run with programs as agents, a checkpoint, copies of a pipeline. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { until, Workplace } from '../../support/cli.ts';

const reportSchema = z.object({
  team: z.string(),
  outcome: z.string(),
  tasks: z.array(z.object({ id: z.string(), subject: z.string(), status: z.string() })),
  folder: z.string(),
});
const eventSchema = z.object({ type: z.string(), member: z.string().optional(), text: z.string().optional() });

/** An agent that prints its phase, waits once, and finds faults in the first test of a front end. */
const WORKER = `#!/bin/sh
cat >/dev/null
echo "$TEAMS_PHASE $TEAMS_ROLE" >>turns
case "$TEAMS_TEAM:$TEAMS_PHASE:$TEAMS_ROLE" in
  tls-a-shop*:3:planner) if [ ! -e go ]; then : >waits; while [ ! -e go ]; do sleep 0.05; done; fi;;
esac
case "$TEAMS_PHASE$(cat "$TEAMS_TASK_FILE")" in
  4*'"QA-FE-001 '*) echo NEEDS_FIX; echo "- the button does nothing";;
  *) printf 'phase %s\\nof %s' "$TEAMS_PHASE" "$TEAMS_ROLE";;
esac
`;

/** Two roles with a checkpoint between them. */
const SHORT = ['description: short', 'stages: [first, {checkpoint: Go on?}, second]'].join('\n');
const FIRST =
  'description: f\ntasks: [{code: PLAN-001, role: planner, subject: Plan, artifact: spec/plan.md, retries: 0}]';
const SECOND = 'description: s\ntasks: [{code: TEST-001, role: tester, subject: Test}]';

function place(): Workplace {
  const made = new Workplace({ TEAMS_SHUTDOWN_TIMEOUT_MS: '2000' });
  writeFileSync(made.put('w.sh', WORKER), WORKER, { mode: 0o755 });
  return made;
}

/** The pipeline `short`, trusted. */
async function withShort(here: Workplace): Promise<void> {
  for (const [name, text] of Object.entries({ short: SHORT, first: FIRST, second: SECOND }))
    here.put(`.teams/pipelines/${name}.yaml`, text);
  expect((await here.teams('doctor', '--trust')).code).toBe(0);
}

const eventsIn = (folder: string) =>
  readFileSync(join(folder, 'events.jsonl'), 'utf8')
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [eventSchema.parse(JSON.parse(line))]));

describe('teams pipeline', () => {
  it('teams pipeline runs one: phases, artifacts, reports, fast-advances, tags', { timeout: 60_000 }, async () => {
    const here = place();
    const report = await here.json(reportSchema, 'pipeline', 'impl-only', 'Add a dark mode', '--agent', 'exec:sh w.sh');
    expect(report.outcome).toBe('succeeded');
    expect(report.team).toMatch(/^tls-add-a-dark-mode-[0-9]{4}-[0-9]{2}-[0-9]{2}$/);
    expect(readFileSync(join(report.folder, 'spec/plan.md'), 'utf8')).toBe('phase 3\nof planner\n');
    expect(readFileSync(join(report.folder, 'logs/planner.log'), 'utf8').split('\n')).toContain('[planner] of planner');
    const events = eventsIn(report.folder);
    const decided = events.filter(({ type }) => type === 'fast_advance.decided');
    expect(decided.map(({ member, text }) => `${member}: ${text}`).slice(0, 2)).toEqual([
      'planner: successor: executor is started for IMPL-001 Implement the plan',
      expect.stringMatching(/^executor: parallel: the lead starts TEST-001 .* and REVIEW-001/),
    ]);
    const reported = events.filter(({ type }) => type === 'role.reported').map(({ member }) => member);
    expect(reported.toSorted()).toEqual(['executor', 'planner', 'reviewer', 'tester']);
  });

  it(
    'a pipeline goes on after its lead and a role were killed, and waits at a checkpoint until it is answered',
    { timeout: 120_000 },
    async () => {
      const here = place();
      await withShort(here);
      const first = here.start('pipeline', 'short', 'A shop', '--agent', 'exec:sh w.sh');
      await until(() => existsSync(join(here.root, 'waits')), 'phase 3', 30_000);
      const [team = ''] = readdirSync(join(here.root, '.teams')).filter((name) => name.startsWith('tls-'));
      first.child.kill('SIGKILL');
      await first.ended;
      here.put('go', '');
      const second = here.start('resume', team, '--json');
      const asked = () => eventsIn(join(here.root, '.teams', team)).filter(({ type }) => type === 'checkpoint.reached');
      await until(() => asked().length > 0, 'the checkpoint', 30_000);
      second.child.kill('SIGKILL');
      await second.ended;
      const third = here.start('resume', team, '--json');
      await until(() => asked().length > 1, 'the checkpoint again', 30_000);
      expect((await here.teams('why', team, 'CHECKPOINT-001')).out).toContain(`teams task approve ${team} 2`);
      expect((await here.teams('task', 'approve', team, 'CHECKPOINT-001')).code).toBe(0);
      expect((await here.teams('task', 'approve', team, 'CHECKPOINT-001')).code).toBe(3);
      const { code, out } = await third.ended;
      const report = reportSchema.parse(JSON.parse(out));
      expect([code, report.outcome]).toEqual([0, 'succeeded']);
      const turns = readFileSync(join(here.root, 'turns'), 'utf8').trim().split('\n');
      // All processes died in phase 3: its attempt begins again, and completed work is done once.
      expect(turns.filter((turn) => turn.endsWith('tester'))).toEqual(['2 tester', '3 tester', '4 tester']);
      expect(turns.filter((turn) => turn === '4 planner')).toHaveLength(1);
    },
  );

  it('a front end that its tester rejects is sent back', { timeout: 60_000 }, async () => {
    const here = place();
    const report = await here.json(reportSchema, 'pipeline', 'fe-only', 'A page', '--agent', 'exec:sh w.sh');
    expect(report.tasks.map(({ subject, status }) => `${subject.split(' ')[0]} ${status}`)).toEqual([
      ...['PLAN-001', 'DEV-FE-001', 'QA-FE-001', 'DEV-FE-002', 'QA-FE-002'].map((code) => `${code} completed`),
    ]);
    expect(readFileSync(join(report.folder, 'artifacts/front-end-002.md'), 'utf8')).toContain('phase 3');
  });

  it('a pipeline can be copied and changed, and the change is used once its user trusts it', async () => {
    const here = place();
    expect((await here.teams('pipeline', '--eject', 'full-lifecycle')).out.split('\n')).toContain(
      join(here.root, '.teams/roles/writer.md'),
    );
    expect((await here.teams('pipeline', '--list')).out).toMatch(/^full-lifecycle +yours/m);
    expect((await here.teams('pipeline', 'full-lifecycle', '--graph')).code).toBe(0);
    here.put('.teams/roles/writer.md', '---\nprefix: DRAFTS\n---\n## Phase 3: Write\nIt.\n');
    const changed = await here.teams('pipeline', 'spec-only', '--graph');
    expect([changed.code, changed.err]).toEqual([4, expect.stringContaining('teams doctor --trust')]);
    expect((await here.teams('doctor', '--trust')).code).toBe(0);
    const wrong = await here.teams('pipeline', 'spec-only', '--graph');
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('DRAFT-001 is given to writer, whose role')]);
  });

  it('a role whose file is missing reports that, and stops', { timeout: 60_000 }, async () => {
    const here = place();
    await withShort(here);
    here.put('w.sh', 'cat >/dev/null; rm -f "$TEAMS_SESSION/roles/tester.md"; echo done');
    const argv = ['pipeline', 'short', 'A page', '--agent', 'exec:sh w.sh', '--yes', '--json'];
    const { code, out, err } = await here.teams(...argv);
    const { tasks } = reportSchema.parse(JSON.parse(out));
    expect([code, ...tasks.map(({ status }) => status)]).toEqual([1, 'completed', 'completed', 'pending']);
    expect(err).toContain('[tester] The role spec');
  });
});
