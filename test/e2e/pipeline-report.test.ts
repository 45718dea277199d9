/** The final report of a pipeline: artifacts, verdicts, ratings, warnings, decisions, and its pipeline's name. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { Workplace } from '../support/cli.ts';

/** Answers each phase as its role does. */
const AGENT = `#!/bin/sh
if [ -n "$TEAMS_SUBAGENT" ]; then
  # SUBAGENT
  echo '{"rating":4,"convergent":["a"],"divergences":[],"action_items":[],"recommendation":"proceed","missing_requirements":[],"risks":[],"summary":"s"}'
  exit
fi
case "$TEAMS_PHASE$TEAMS_ROLE" in
  4tester) printf 'PASS\\nAll tests pass.\\nKey decisions:\\n- tested on Node 20\\n' ;;
  4reviewer) printf 'PASS\\nIMPROVE: name the limit\\nKey decisions:\\n- kept the loop\\n' ;;
  4executor) printf 'done\\nKey decisions:\\n- a map instead of a list\\n' ;;
  *) echo "$TEAMS_ROLE phase $TEAMS_PHASE" ;;
esac
`;

const reportSchema = z.looseObject({
  template: z.string(),
  roles: z.array(z.looseObject({ task: z.string(), artifact: z.string().nullable(), verdict: z.string().nullable() })),
  members: z.array(z.looseObject({ name: z.string(), status: z.string() })),
});

async function played(pipeline: string, agent = AGENT) {
  const place = new Workplace();
  place.put('agent.sh', agent);
  const argv = ['pipeline', pipeline, 'Add a sum', '--yes', '--agent', 'exec:sh agent.sh'];
  const { code, out, err } = await place.teams(...argv);
  const folder = out.trimEnd().split('\n').at(-1) ?? '';
  const json = reportSchema.parse(JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')));
  return { code, out, err, json, kept: readFileSync(join(folder, 'report.md'), 'utf8') };
}

it(
  'names artifacts, verdicts, decisions and improvements of each task, and the pipeline',
  { timeout: 60_000 },
  async () => {
    const { code, out, err, json, kept } = await played('impl-only');
    expect(code, `${out}${err}`).toBe(0);
    expect(out).toMatch(/\| Template: impl-only \|/);
    expect(kept).toBe(out);
    const [, section = ''] = /\nRole Results:\n([^]*?)\n\n/.exec(out) ?? [];
    expect(section).toMatch(/^ {2}PLAN-001 \(planner\): \S*spec\/plan\.md$/m);
    expect(section).toMatch(
      /^ {2}IMPL-001 \(executor\): \S*implementation\.md\n {4}decision: a map instead of a list$/m,
    );
    expect(section).toMatch(
      /^ {2}TEST-001 \(tester\): \S*test-report\.md \| verdict PASS\n {4}decision: tested on Node 20$/m,
    );
    expect(section).toMatch(
      /^ {2}REVIEW-001 \(reviewer\): \S*review\.md \| verdict PASS\n {4}decision: kept the loop\n {4}improve: name the limit$/m,
    );
    expect(json.template).toBe('impl-only');
    expect(json.roles.map(({ task, verdict }) => [task, verdict])).toEqual([
      ['PLAN-001', null],
      ['IMPL-001', null],
      ['TEST-001', 'PASS'],
      ['REVIEW-001', 'PASS'],
      ['IMPL-002', null],
      ['IMPROVE-001', null],
    ]);
  },
);

it(
  'names the ratings of discussions, and perspectives that another agent or nobody answered for',
  { timeout: 60_000 },
  async () => {
    const { code, out, err } = await played(
      'spec-only',
      AGENT.replace('# SUBAGENT', 'case "$(cat)" in *"a risk analyst"*) echo nothing; exit ;; esac'),
    );
    expect(code, `${out}${err}`).toBe(0);
    const [, section = ''] = /\nRole Results:\n([^]*?)\n\n/.exec(out) ?? [];
    expect(section).toMatch(/\| consensus_reached, average 4\.0$/m);
    expect(section).toMatch(/^ {4}warning: .*[Rr]isk/m);
  },
);

it('a role that never began is not said to have completed anything', { timeout: 60_000 }, async () => {
  const { code, out, json } = await played('impl-only', '#!/bin/sh\n[ "$TEAMS_ROLE" != planner ] || exit 3\necho x\n');
  expect(code).toBe(1);
  expect(out).toMatch(/tester \(tester\/exec\): 0 tasks, .*, not started/);
  expect(
    json.members
      .filter(({ status }) => status === 'not started')
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(['executor', 'reviewer', 'tester']);
});
