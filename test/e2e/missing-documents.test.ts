/** A role whose earlier documents are missing asks before it works, instead of working without them. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { until, Workplace } from '../support/cli.ts';

/** The executor removes the plan that the tester must read; the tester writes down what it was told. */
const AGENT = `#!/bin/sh
if [ -n "$TEAMS_SUBAGENT" ]; then
  echo '{"rating":4,"convergent":[],"divergences":[],"action_items":[],"recommendation":"proceed","missing_requirements":[],"risks":[],"summary":"s"}'
  exit
fi
case "$TEAMS_PHASE$TEAMS_ROLE" in
  4executor) mv "$TEAMS_SESSION/spec/plan.md" plan.md; echo implemented ;;
  2tester) cat > told-tester.txt; echo read ;;
  2reviewer) cat > told-reviewer.txt; echo read ;;
  4tester | 4reviewer) echo PASS ;;
  *) echo "$TEAMS_ROLE phase $TEAMS_PHASE" ;;
esac
`;

it(
  'missing documents of earlier tasks are asked for, once for each task, and work begins after the answer',
  { timeout: 60_000 },
  async () => {
    const place = new Workplace();
    place.put('agent.sh', AGENT);
    const { child, ended } = place.start('pipeline', 'impl-only', 'Add a sum', '--yes', '--agent', 'exec:sh agent.sh');
    let heard = '';
    child.stderr.on('data', (chunk: Buffer) => (heard += chunk.toString()));
    const asked = (): RegExpMatchArray[] => [...heard.matchAll(/answer it: teams answer (\S+) (\S+) TEXT/g)];
    await until(() => asked().length === 2, 'the tester and the reviewer ask', 30_000);
    expect(heard).toMatch(
      /\[tester\] TEST-001 cannot begin: a document of earlier work is missing: \S+spec\/plan\.md \(of PLAN-001 [^)]*\)\. Put it there and answer, or answer how to work without it\./,
    );
    expect(existsSync(join(place.root, 'told-tester.txt'))).toBe(false);
    const [[, team = '', first = ''] = [], [, , second = ''] = []] = asked();
    const why = await place.teams('why', team);
    expect(why.out).toContain('teams answer');
    for (const id of [first, second])
      expect(await place.teams('answer', team, id, 'Read plan.md in the project.')).toMatchObject({ code: 0 });
    const { code, out, err } = await ended;
    expect(code, `${out}${err}`).toBe(0);
    for (const file of ['told-tester.txt', 'told-reviewer.txt'])
      expect(readFileSync(join(place.root, file), 'utf8')).toContain('Read plan.md in the project.');
    expect(asked()).toHaveLength(2);
  },
);
