/** Pipelines with trees: a role's tree is what landed when it claims, its documents lie in the session folder. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { git, scene, userState } from '../support/tree-scene.ts';

/** The executor changes the project, and the tester looks at it; each says where it works. */
const WORKER = `#!/bin/bash
cat >/dev/null
case "$TEAMS_PHASE:$TEAMS_ROLE" in
  3:executor) echo built >built.txt; echo "$(cat count.txt) more" >count.txt;;
  3:tester) test -f built.txt || { echo "no built.txt in $PWD" >&2; exit 1; }; echo tested >tested.txt;;
esac
printf 'phase %s\\nof %s' "$TEAMS_PHASE" "$TEAMS_ROLE"
`;

const team = (at: string): string =>
  readdirSync(at, { recursive: true, encoding: 'utf8' })
    .flatMap((path) => /^\.teams\/(tls-[^/]+)$/.exec(path)?.[1] ?? [])
    .join();

function pipeline(name = 'impl-only', worker = WORKER) {
  const made = scene({ tasks: [] }, { 'w.sh': worker });
  const run = (...more: string[]) =>
    made.teams('pipeline', name, 'Add a dark mode', '--agent', 'exec:bash w.sh', '--quiet', ...more);
  return { ...made, run };
}

it('the roles of a pipeline work in trees of their own, each on what landed before', { timeout: 120_000 }, async () => {
  const { at, teams, landed, run } = pipeline();
  const before = userState(at);
  const { code, out, err } = await run('--isolation', 'trees');
  expect(code, `${out}${err}`).toBe(0);
  expect(userState(at)).toEqual(before);
  expect([landed('built.txt'), landed('tested.txt'), landed('count.txt')]).toEqual(['built\n', 'tested\n', '0 more\n']);
  expect(readFileSync(join(at, '.teams', team(at), 'spec/plan.md'), 'utf8')).toBe('phase 3\nof planner\n');
  const { out: log } = await teams('log', team(at), '--json');
  const reports = log.split('\n').filter((line) => line.includes('"role.reported"'));
  expect(reports).toHaveLength(4);
  const applied = await teams('apply', team(at));
  expect(applied.code, applied.err).toBe(0);
  expect(readFileSync(join(at, 'built.txt'), 'utf8')).toBe('built\n');
});

it('a pipeline shares the files of the project unless trees are asked for', { timeout: 120_000 }, async () => {
  const { at, run } = pipeline();
  expect((await run()).code).toBe(0);
  expect(existsSync(join(at, 'built.txt'))).toBe(true);
  expect(git(at, 'for-each-ref', 'refs/teams')).not.toContain('/main');
});

it('trees that a pipeline cannot have are refused, and no team is made', { timeout: 60_000 }, async () => {
  const { at, place } = pipeline();
  place.environment['TEAMS_ISOLATION'] = 'trees';
  git(at, 'config', 'filter.x.clean', 'cat');
  writeFileSync(join(at, '.gitattributes'), 'a.txt filter=x\n');
  const argv = ['pipeline', 'impl-only', 'Add a dark mode', '--agent', 'exec:bash w.sh'];
  const { code, err } = await place.say(argv, { cwd: at });
  expect(code).toBe(5);
  expect(err).toContain('a filter of git');
  expect(team(at)).toBe('');
});

/** Back end and front end change one line at the same time; where it is marked as a conflict, the side that landed goes on. */
const BOTH = `#!/bin/bash
cat >/dev/null
case "$TEAMS_PHASE:$TEAMS_ROLE" in
  3:executor|3:fe-developer) n=$(grep '^0' count.txt | head -1); sleep 1; echo "$n $TEAMS_ROLE" >count.txt;;
esac
printf 'phase %s\\nof %s' "$TEAMS_PHASE" "$TEAMS_ROLE"
`;

it('what comes back to a role is done again on what landed, and reported once', { timeout: 150_000 }, async () => {
  const { at, teams, landed, run } = pipeline('fullstack', BOTH);
  const { code, out, err } = await run('--isolation', 'trees');
  expect(code, `${out}${err}`).toBe(0);
  const { out: log } = await teams('log', team(at), '--json');
  expect(log).toContain('task.bounced');
  expect(landed('count.txt').trim().split(' ').toSorted()).toEqual(['0', 'executor', 'fe-developer']);
  // Each one process: it waits until its change has landed, and mends what comes back.
  const started = log.split('\n').filter((line) => /"(?:executor|fe-developer)","type":"member.started"/.test(line));
  expect(started).toHaveLength(2);
  const reported = log.split('\n').filter((line) => line.includes('"role.reported"'));
  expect(reported).toHaveLength(6);
});

/** Its process dies when the document of its work is kept and the work itself is not. */
const KILLED = `#!/bin/bash
cat >/dev/null
case "$TEAMS_PHASE:$TEAMS_ROLE" in
  3:executor) echo built >built.txt;;
  4:executor) if [ ! -e "$TEAMS_SESSION/killed" ]; then 
    touch "$TEAMS_SESSION/killed"; p=$PPID
    until tr '\\0' ' ' </proc/$p/cmdline | grep -q teammate; do p=$(cut -d' ' -f4 /proc/$p/stat); done
    kill -9 $p
  fi;;
esac
printf 'phase %s\\nof %s' "$TEAMS_PHASE" "$TEAMS_ROLE"
`;

it('work of a killed role is done again, though its document is there', { timeout: 120_000 }, async () => {
  const { at, landed, run } = pipeline('impl-only', KILLED);
  const { code, out, err } = await run('--isolation', 'trees');
  expect(code, `${out}${err}`).toBe(0);
  expect(existsSync(join(at, '.teams', team(at), 'killed'))).toBe(true);
  expect(landed('built.txt')).toBe('built\n');
});

/** Its subagents say where they work, and whose history is there. */
const TELLING = WORKER.replace(
  'case',
  `if [ -n "$TEAMS_SUBAGENT" ]; then
  seen="$TEAMS_SUBAGENT in $PWD at $(git log -1 --format=%s)"
  echo '{"rating":4,"convergent":[],"divergences":[],"action_items":["'$seen'"],"recommendation":"proceed","missing_requirements":[],"risks":[],"relevant_files":[],"patterns":[],"dependencies":[],"summary":"'$seen'"}'
  exit
fi
case`,
);

it('subagents of a role work in the tree of their role', { timeout: 120_000 }, async () => {
  const { at, run } = pipeline('spec-only', TELLING);
  const { code, out, err } = await run('--isolation', 'trees');
  expect(code, `${out}${err}`).toBe(0);
  const session = join(at, '.teams', team(at));
  const said = ['explorations', 'discussions'].flatMap((folder) =>
    readdirSync(join(session, folder)).map((file) => readFileSync(join(session, folder, file), 'utf8')),
  );
  const seen = said.flatMap((text) => text.match(/(?:discuss|explore) in [^"\n]*/g) ?? []);
  const began = `The project when team ${team(at)} began`;
  const [analyst, writer] = ['analyst', 'writer'].map((role) => join(session, 'trees', role));
  expect([...new Set(seen)].sort()).toEqual(
    // The reviewer only reads: its subagents are isolated, and see its tree where the project lies.
    [`discuss in ${at}`, `discuss in ${analyst}`, `discuss in ${writer}`, `explore in ${analyst}`].map(
      (place) => `${place} at ${began}`,
    ),
  );
});
