/** Every way a run can end, as docs/cli.md lists them, with its exit code. A row without a trial is an error. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { until, Workplace } from '../support/cli.ts';
import { running } from '../support/processes.ts';

const ROOT = join(import.meta.dirname, '../..');
const [, section = ''] = readFileSync(join(ROOT, 'docs/cli.md'), 'utf8').split('\n### How a run can end\n');
const rows = [...(section.split('\n## ')[0] ?? '').matchAll(/^\| (\d+) \| (.+?) \|$/gm)].map(
  ([, code, how = '']): [string, number] => [how, Number(code)],
);

const MEMBERS = 'members: [{name: ada, agent: {kind: exec}}]';
const plan = (tasks: string, more = ''): string => `name: crew\n${MEMBERS}\ntasks: [${tasks}]\n${more}`;
const SLOW = plan('{subject: Sleep, run: sleep 46.5}');

/** How a run ended: its exit code, or the signal that ended it, and what it printed. */
interface End {
  readonly code: number;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

function workplace(text: string): Workplace {
  const place = new Workplace({ TEAMS_SHUTDOWN_TIMEOUT_MS: '100' });
  place.put('crew.yaml', text);
  return place;
}

const run = (place: Workplace, ...flags: string[]): Promise<End> => place.start('run', 'crew.yaml', ...flags).ended;

const sleeping = ({ root }: Workplace) =>
  running().filter(({ cwd, command }) => command === 'sleep 46.5' && cwd?.startsWith(root) === true);

/** A run whose task sleeps, and what happens to it then. */
async function disturbed(disturb: (place: Workplace, kill: (signal: NodeJS.Signals) => void) => unknown): Promise<End> {
  const place = workplace(SLOW);
  const { child, ended } = place.start('run', 'crew.yaml');
  await until(() => sleeping(place).length > 0, 'the task sleeps');
  await disturb(place, (signal) => void child.kill(signal));
  return ended;
}

const signalled = (signal: NodeJS.Signals) => (): Promise<End> => disturbed((_place, kill) => kill(signal));

/** A trial, or the file and the title of the test that has it. */
type Trial = (() => Promise<End>) | readonly [file: string, title: string];

const TRIALS: Readonly<Record<string, Trial>> = {
  'Every required task is completed and no gate failed.': () =>
    run(workplace(plan('{subject: Build, run: echo built}'))),
  'A task that is not required failed; the rest is completed.': () =>
    run(workplace(plan('{subject: Build, run: echo built}, {subject: Try, run: exit 7, required: false}'))),
  'A required task failed, or was skipped because of a failed one.': () =>
    run(workplace(plan('{subject: Build, run: exit 7}, {subject: Test, run: echo tested, blockedBy: [Build]}'))),
  'A gate failed (build, test, lint, ownership, cross-verification).': () =>
    run(workplace(plan('{subject: Build, run: echo built}', 'gates: {test: exit 7}\n'))),
  'A gate was skipped, with `--strict`.': () =>
    run(workplace(plan('{subject: Build, run: echo built}', 'gates: {test: true}\n')), '--strict'),
  'A verdict (`NEEDS_FIX`) is not resolved.': [
    'test/e2e/verdicts.test.ts',
    'a rejection that nothing resolves fails the run, after two rounds',
  ],
  'A limit (`--max-cost`, `--max-tokens`) was reached.': [
    'test/runtime/budget/run-budget.test.ts',
    'members share it to the last call, and none is made that could cost more',
  ],
  'It was cancelled (`teams cancel`).': () =>
    disturbed(async (place) => expect((await place.start('cancel', 'crew').ended).code).toBe(0)),
  'The question before the start was answered with no; nothing was started.': [
    'test/e2e/proceed.test.ts',
    'shows follow-ups, and no starts nothing and exits with 1',
  ],
  'The plan or a flag is wrong; nothing was started.': () => run(workplace('name: crew\n')),
  'Another process leads the team; nothing was started.': async () => {
    const place = workplace(SLOW);
    const { child, ended } = place.start('run', 'crew.yaml');
    await until(() => sleeping(place).length > 0, 'the task sleeps');
    const second = await run(place);
    child.kill('SIGTERM');
    await ended;
    return second;
  },
  'A file of the team is damaged, or the working directory is gone.': () => {
    const place = workplace(plan('{subject: Remove, run: "rm -rf ../work; exit 3"}', 'cwd: work\n'));
    place.put('work/file', '');
    return run(place);
  },
  'The agent of a member, the lead, or the planner cannot work here; nothing was started.': () =>
    run(
      workplace(
        `name: crew\n${MEMBERS.replace('exec', 'acp, command: [no-such-program]')}\ntasks: [{subject: Build}]\n`,
      ),
    ),
  'The time limit (`--timeout`) was reached.': () => run(workplace(SLOW), '--timeout', '300ms'),
  'SIGHUP: the terminal was closed.': signalled('SIGHUP'),
  'SIGINT: Ctrl-C.': signalled('SIGINT'),
  'SIGKILL: the members end by themselves.': async () => {
    const place = workplace(SLOW);
    const { child, ended } = place.start('run', 'crew.yaml');
    await until(() => sleeping(place).length > 0, 'the task sleeps');
    child.kill('SIGKILL');
    const end = await ended;
    await until(() => sleeping(place).length === 0, 'nothing of the team works any more');
    expect((await place.start('cancel', 'crew').ended).code).toBe(0);
    return end.signal === 'SIGKILL' ? { ...end, code: 137 } : end;
  },
  'SIGTERM.': signalled('SIGTERM'),
};

describe('how a run can end', () => {
  it('every row has a trial, and every trial has a row', () => {
    expect(rows.map(([how]) => how)).toEqual(Object.keys(TRIALS));
  });

  it.each(rows)('%s Exit %i', async (how, exitCode) => {
    const trial = TRIALS[how];
    if (trial === undefined) throw new Error(`This row has no trial: ${how}`);
    if (typeof trial !== 'function') {
      expect(readFileSync(join(ROOT, trial[0]), 'utf8')).toContain(`'${trial[1]}'`);
      return;
    }
    const { code, out, err } = await trial();
    expect(code, `${out}${err}`).toBe(exitCode);
    expect(out.startsWith('TEAM COMPLETE'), out).toBe(exitCode === 0);
  });
});

it('a folder in the place of the event log ends the run and says so', async () => {
  const events = '.teams/crew/events.jsonl';
  const { code, err } = await run(workplace(plan(`{subject: Replace, run: 'rm ${events} && mkdir ${events}'}`)));
  expect([code, err]).toEqual([4, expect.stringContaining(`${events} is not a regular file`)]);
});
