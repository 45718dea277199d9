/** A pipeline whose testers reject the work: it is sent back, and if nothing resolves it, the run fails and says so. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Workplace } from '../support/cli.ts';

/** Answers what a role's turn asks for. A tester rejects until there are as many implementations as `ENOUGH`. */
const AGENT = `#!/bin/sh
if [ -n "$TEAMS_SUBAGENT" ]; then
  echo '{"rating":4,"convergent":[],"divergences":[],"action_items":[],"recommendation":"proceed","missing_requirements":[],"risks":[],"summary":"s"}'
  exit
fi
case "$TEAMS_PHASE$TEAMS_ROLE" in
  4executor) echo done >> implementations; echo implemented ;;
  4tester) if [ "$(wc -l < implementations)" -ge "$ENOUGH" ]; then echo PASS; else echo NEEDS_FIX; fi; echo 'IMPL: the sum is wrong' ;;
  4reviewer) echo PASS; [ -z "$BETTER" ] || echo "IMPROVE: name the limit" ;;
  *) echo "$TEAMS_ROLE phase $TEAMS_PHASE" ;;
esac
`;

function workplace(): Workplace {
  const place = new Workplace();
  place.put('agent.sh', AGENT);
  return place;
}

const report = ({
  root,
}: Workplace): { gates: Record<string, string>; tasks: { subject: string; status: string }[] } => {
  const [, archived] = /^(.*)$/m.exec(readFileSync(join(root, 'folder'), 'utf8')) ?? [];
  return JSON.parse(readFileSync(join(archived ?? '', 'report.json'), 'utf8')) as never;
};

async function play(place: Workplace, enough: number, more = '') {
  const answer = await place.teams(
    'pipeline',
    'impl-only',
    'Add a sum',
    '--yes',
    '--agent',
    `exec:ENOUGH=${enough} ${more} sh agent.sh`,
  );
  place.put('folder', `${answer.out.trim().split('\n').at(-1) ?? ''}\n`);
  return answer;
}

it('a rejection that nothing resolves fails the run, after two rounds', { timeout: 120_000 }, async () => {
  const place = workplace();
  const { code, out, err } = await play(place, 9);
  expect(code, `${out}${err}`).toBe(1);
  expect(out).toContain('TEAM FAILED: verdicts failed');
  expect(out).toContain('NEEDS_FIX is not resolved: TEST-003');
  expect(report(place).gates['verdicts']).toBe('fail');
  expect(readFileSync(join(place.root, 'implementations'), 'utf8')).toBe('done\ndone\ndone\n');
});

it('a rejection that the next round resolves does not fail the run', { timeout: 120_000 }, async () => {
  const place = workplace();
  const { code, out, err } = await play(place, 2);
  expect(code, `${out}${err}`).toBe(0);
  expect(out).toContain('TEAM COMPLETE');
  expect(out).toContain('IMPL-002');
  expect(out).toContain('REVIEW-002');
  expect(report(place).gates).not.toHaveProperty('verdicts');
});

it(
  'findings of a review that do not block are improved once and checked, and fail nothing',
  { timeout: 120_000 },
  async () => {
    const place = workplace();
    const { code, out, err } = await play(place, 1, 'BETTER=1');
    expect(code, `${out}${err}`).toBe(0);
    expect(readFileSync(join(place.root, 'implementations'), 'utf8')).toBe('done\ndone\n');
    const done = report(place).tasks.map(({ subject, status }) => `${subject.split(' ')[0] ?? ''} ${status}`);
    expect(done).toEqual(
      ['PLAN-001', 'IMPL-001', 'TEST-001', 'REVIEW-001', 'IMPL-002', 'IMPROVE-001'].map((one) => `${one} completed`),
    );
  },
);
