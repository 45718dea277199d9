/** What a person does after a red run: retry, resume, cancel; each answer tells what was done. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { until, Workplace } from '../support/cli.ts';

const PLAN = `name: red
members: [{name: ada, agent: {kind: exec}}]
tasks:
  - {subject: Build, run: 'test -e fixed || { echo no compiler >&2; exit 7; }; printf "%s" "$TEAMS_NOTE" > note'}
  - {subject: Test, run: echo tested, blockedBy: [Build]}
  - {subject: Pack, run: echo packed, blockedBy: [Test]}
  - {subject: Lint, run: echo linted; echo linted >> lints}
`;

async function redRun(): Promise<Workplace> {
  const place = new Workplace();
  place.put('red.yaml', PLAN);
  const { code, out } = await place.teams('run', 'red.yaml');
  expect(code).toBe(1);
  expect(out).toContain('TEAM FAILED: 1 failed, 2 skipped');
  expect(out).toContain('no compiler');
  return place;
}

it('a retry and a resume do what failed and what was skipped, and nothing twice', async () => {
  const place = await redRun();
  const refused = await place.teams('task', 'retry', 'red', '3');
  expect(refused.code).toBe(3);
  expect(refused.err).toContain('#3 was skipped because #1 failed; retry #1');
  place.put('fixed', '');
  const retried = await place.teams('task', 'retry', 'red', '1', '--note', 'the compiler is there');
  expect(retried.code, retried.err).toBe(0);
  const { code, out, err } = await place.teams('resume', 'red');
  expect(code, `${out}${err}`).toBe(0);
  expect(out).toContain('TEAM COMPLETE');
  expect(readFileSync(join(place.root, 'note'), 'utf8')).toBe('the compiler is there');
  expect(readFileSync(join(place.root, 'lints'), 'utf8')).toBe('linted\n');
});

it('resume --retry-failed is one step from red to green; after it there is nothing to resume or to cancel', async () => {
  const place = await redRun();
  const idle = await place.teams('resume', 'red');
  expect(idle.code).toBe(1);
  expect(idle.out).toBe(
    'Nothing to do: team red has ended (failed). `teams resume red --retry-failed` tries what failed again.\n',
  );
  place.put('fixed', '');
  const { code, out, err } = await place.teams('resume', 'red', '--retry-failed', '--note', 'again');
  expect(code, `${out}${err}`).toBe(0);
  expect(err).toContain('Pending again: #1.');
  expect(readFileSync(join(place.root, 'note'), 'utf8')).toBe('again');

  const log = (): string => readFileSync(join(place.root, '.tasks/red/log.jsonl'), 'utf8');
  const before = log();
  const done = await place.teams('resume', 'red');
  expect([done.code, done.out]).toEqual([0, 'Nothing to do: team red has ended (succeeded).\n']);
  const cancelled = await place.teams('cancel', 'red');
  expect([cancelled.code, cancelled.out]).toEqual([0, 'Nothing to cancel: team red has ended (succeeded).\n']);
  expect(log()).toBe(before);
  expect(existsSync(join(place.root, '.teams/red'))).toBe(true);
});

it('a note without --retry-failed is refused', async () => {
  const place = await redRun();
  const { code, err } = await place.teams('resume', 'red', '--note', 'x');
  expect([code, err]).toEqual([2, 'teams: --note is for the tasks that are retried; give --retry-failed, too.\n']);
});

const QUARANTINE = `name: q
members:
  - {name: ada, role: tester, agent: {kind: exec, command: 'test -e fixed'}}
  - {name: bob, agent: {kind: exec, command: 'true'}}
tasks:
  - {subject: One, prompt: do one, role: tester}
  - {subject: Two, prompt: do two, role: tester}
  - {subject: Three, prompt: do three, role: tester}
  - {subject: Four, prompt: do four, role: tester}
`;

it('a quarantine outlives a resume; the retry of what only that member may do ends it', async () => {
  const place = new Workplace();
  place.put('q.yaml', QUARANTINE);
  const first = await place.teams('run', 'q.yaml');
  expect(first.code).toBe(1);
  const events = (): string => readFileSync(join(place.root, '.teams/q/events.jsonl'), 'utf8');
  const quarantines = (): number => events().split('"act":"quarantine"').length - 1;
  expect(quarantines()).toBe(1);

  // Nobody was retried: ada gets no work, and is not started.
  const starts = (): number => events().split('"type":"member.started","member":"ada"').length - 1;
  const before = starts();
  const second = await place.teams('resume', 'q');
  expect(second.code).toBe(1);
  expect([quarantines(), starts()]).toEqual([1, before]);

  place.put('fixed', '');
  const third = await place.teams('resume', 'q', '--retry-failed');
  expect(third.code, `${third.out}${third.err}`).toBe(0);
  expect(events()).toContain('"act":"lift"');
});

it('a task that is skipped in mid-turn is stopped with all that it started, and its member goes on', async () => {
  const place = new Workplace();
  place.put(
    'p.yaml',
    `name: p
members: [{name: ada, agent: {kind: exec}}]
tasks:
  - {subject: Long, run: 'sleep 47.1 & echo begun >begun; sleep 47.1; echo end >end'}
  - {subject: Next, run: 'pgrep -f "^sleep 47.1" >left; echo next'}
`,
  );
  const run = place.start('run', 'p.yaml');
  await until(() => existsSync(join(place.root, 'begun')), 'the task runs');
  expect((await place.teams('task', 'skip', 'p', '1', '--why', 'not needed')).code).toBe(0);
  const { out } = await run.ended;
  expect(out).toContain('[SKIP] #1: Long');
  expect(out).toContain('[DONE] #2: Next');
  expect(readFileSync(join(place.root, 'left'), 'utf8')).toBe('');
  expect(existsSync(join(place.root, 'end'))).toBe(false);
});
