/** `teams pipeline` as a person uses it: a run with programs for agents, a checkpoint, copies of one's own. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { Workplace } from '../../support/cli.ts';

const reportSchema = z.object({
  team: z.string(),
  status: z.string(),
  tasks: z.array(z.object({ id: z.string(), subject: z.string(), status: z.string() })),
  folder: z.string(),
});
const eventSchema = z.object({ type: z.string(), member: z.string().optional(), text: z.string().optional() });

/** An agent that says which phase it is in, and finds faults in the first test of a front end. */
const WORKER = `#!/bin/sh
cat >/dev/null
case "$TEAMS_PHASE$(cat "$TEAMS_TASK_FILE")" in
  4*'"QA-FE-001 '*) echo NEEDS_FIX; echo "- the button does nothing";;
  *) printf 'phase %s\\nof %s' "$TEAMS_PHASE" "$TEAMS_ROLE";;
esac
`;

function place(): Workplace {
  const made = new Workplace({ TEAMS_SHUTDOWN_TIMEOUT_MS: '2000' });
  writeFileSync(made.put('w.sh', WORKER), WORKER, { mode: 0o755 });
  return made;
}

const eventsIn = (folder: string) =>
  readFileSync(join(folder, 'events.jsonl'), 'utf8')
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [eventSchema.parse(JSON.parse(line))]));

describe('teams pipeline', () => {
  it('carries one out: phases, artifacts, reports, fast-advances, tags', { timeout: 60_000 }, async () => {
    const here = place();
    const report = await here.json(reportSchema, 'pipeline', 'impl-only', 'Add a dark mode', '--agent', 'exec:sh w.sh');
    expect(report.status).toBe('completed');
    expect(report.team).toMatch(/^tls-add-a-dark-mode-[0-9]{4}-[0-9]{2}-[0-9]{2}$/);
    expect(readFileSync(join(report.folder, 'spec/plan.md'), 'utf8')).toBe('phase 3\nof planner\n');
    expect(readFileSync(join(report.folder, 'logs/planner.log'), 'utf8').split('\n')).toContain('[planner] of planner');
    const events = eventsIn(report.folder);
    const decided = events.filter(({ type }) => type === 'fast_advance.decided');
    expect(decided.map(({ member, text }) => `${member}: ${text}`).slice(0, 2)).toEqual([
      'planner: successor: executor is started for IMPL-001 Implement the plan',
      expect.stringMatching(/^executor: parallel: the lead sees to TEST-001 .* and REVIEW-001/),
    ]);
    const reported = events.filter(({ type }) => type === 'role.reported').map(({ member }) => member);
    expect(reported.toSorted()).toEqual(['executor', 'planner', 'reviewer', 'tester']);
  });
});
