/**
 * A run whose lead is killed in the middle of its work ends like an uninterrupted run, and no task is done twice. Kills
 * at the boundaries of its phases: test/e2e/fullstack.test.ts.
 */
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { stateSchema } from '../../../src/model/run/run-state.ts';
import { Workplace } from '../../support/cli.ts';

const reportSchema = z.object({
  outcome: z.string(),
  exitCode: z.number(),
  gates: z.record(z.string(), z.string()),
  verification: z.object({ result: z.string(), notes: z.string() }).nullable(),
  cascade: z.looseObject({}).nullable(),
  tasks: z.array(z.object({ id: z.string(), subject: z.string(), status: z.string(), notes: z.array(z.string()) })),
});

/** Kills the lead of the team, once at each place that calls it. */
const KILL = `#!/bin/sh
[ -e calm ] || [ -e "killed.$1" ] && exit 0
touch "killed.$1"
kill -9 "$(sed -n 's/.*"pid": \\([0-9]*\\).*/\\1/p' .teams/life/processes/lead.json)"
sleep 20
`;

/** Every task records its completion as its last act, so a task that was killed before has no record. */
const DO = './kill.sh "$TEAMS_TASK_ID" && echo "$TEAMS_TASK_ID" >>done';
const PLAN = {
  name: 'life',
  members: [
    { name: 'ada', agent: { kind: 'exec', command: DO } },
    { name: 'bob', agent: { kind: 'exec', command: DO } },
  ],
  tasks: [
    { subject: 'Implement the one', owner: 'ada', run: DO },
    { subject: 'Explore the other', owner: 'bob', run: DO, blockedBy: [1] },
    { subject: 'Debug both', owner: 'ada', blockedBy: [2], run: DO },
  ],
  gates: { build: './kill.sh build', test: './kill.sh test && test -s done', crossVerify: true },
};
/** Has a finding the first time. */
const REVIEW = `exec:./kill.sh review && grep -q 4 done && echo PASS || printf 'FAIL\\n- The name is wrong.\\n'`;

async function workplace(): Promise<Workplace> {
  const place = new Workplace({ TEAMS_SHUTDOWN_TIMEOUT_MS: '2000' });
  place.put('kill.sh', KILL);
  place.put('plan.json', JSON.stringify(PLAN));
  await place.shell('chmod +x kill.sh; git init -q .');
  return place;
}

const ARGV = ['run', 'plan.json', '--reviewer', REVIEW, '--quiet', '--json'];
const stateFile = ({ root }: Workplace): string => join(root, '.teams/life/state.json');
const stateOf = (place: Workplace) => stateSchema.parse(JSON.parse(readFileSync(stateFile(place), 'utf8')));

/** What is the same for any number of kills. */
function outcome(place: Workplace, out: string) {
  const done = readFileSync(join(place.root, 'done'), 'utf8').trim().split('\n').sort();
  const { cascadeDepth, completedTasks, totalTasks, failedTasks, phase, status, crossCliVerification } = stateOf(place);
  const state = { cascadeDepth, completedTasks, totalTasks, failedTasks, phase, status, crossCliVerification };
  const { tasks, ...report } = reportSchema.parse(JSON.parse(out));
  // A kill may change which member did a task, and a note says so.
  return { done, report: { ...report, tasks: tasks.map(({ notes: _notes, ...task }) => task) }, state };
}

const UNBROKEN = {
  done: ['1', '2', '3', '4'],
  report: {
    outcome: 'succeeded',
    exitCode: 0,
    cascade: null,
    gates: { build: 'pass', test: 'pass', crossVerify: 'pass' },
    verification: { result: 'pass', notes: '' },
    tasks: [
      ...['Implement the one', 'Explore the other', 'Debug both', '[no-cascade] Fix: The name is wrong.'].map(
        (subject, at) => ({ id: String(at + 1), subject, status: 'completed' }),
      ),
    ],
  },
  state: {
    cascadeDepth: 0,
    completedTasks: 4,
    totalTasks: 4,
    failedTasks: 0,
    phase: 'complete',
    status: 'shutdown',
    crossCliVerification: { enabled: true, verifier: 'exec', result: 'pass' },
  },
};

describe('a run', () => {
  it(
    'a run whose lead is killed in its tasks, its gates and its fixes, one after the other, ends like an uninterrupted one',
    { timeout: 120_000 },
    async () => {
      const place = await workplace();
      for (const spared of ['2', 'test']) place.put(`killed.${spared}`, '');
      for (const at of ['1', '3', 'build', 'review', '4']) {
        expect(await place.start(...ARGV).ended).toMatchObject({ signal: 'SIGKILL' });
        expect(existsSync(join(place.root, `killed.${at}`)), `killed at ${at}`).toBe(true);
      }
      const { code, out, err } = await place.teams(...ARGV);
      expect(code, err).toBe(0);
      expect(outcome(place, out)).toEqual(UNBROKEN);
    },
  );

  it('a run whose state was torn is resumed, and the torn file is kept beside it', async () => {
    const place = await workplace();
    await place.start(...ARGV).ended;
    const { start } = stateOf(place);
    place.put('calm', '');
    writeFileSync(stateFile(place), readFileSync(stateFile(place), 'utf8').slice(0, 300));
    const { code, out, err } = await place.teams(...ARGV);
    expect(code, err).toBe(0);
    // This is also the uninterrupted run that the others are compared with.
    expect(outcome(place, out)).toEqual(UNBROKEN);
    expect(stateOf(place).start).toEqual(start);
    const aside = readdirSync(join(place.root, '.teams/life')).filter((file) => file.includes('.corrupt-'));
    expect(aside).toHaveLength(1);
    appendFileSync(stateFile(place), 'garbage');
    expect((await place.teams('status', 'life')).code).toBe(0);
  });

  it('a run keeps its state as it goes: which member has what, since when, and the phase', async () => {
    const place = await workplace();
    place.put('calm', '');
    const { out } = await place.teams(...ARGV);
    expect(outcome(place, out)).toEqual(UNBROKEN);
    const { workers, createdAt, prompt, boundaryFiles } = stateOf(place);
    expect({ prompt, boundaryFiles }).toEqual({ prompt: 'life', boundaryFiles: [] });
    const same = { agentType: 'executor', model: 'none', routing: 'exec', mcpJobId: null, exclusiveFiles: [] };
    const count = workers.map(({ totalAssigned }) => totalAssigned).reduce((a, b) => a + b);
    expect(count).toBe(4);
    for (const worker of workers) {
      expect(worker).toMatchObject({
        ...same,
        consecutiveErrors: 0,
        restartCount: 0,
        completedTasks: worker.totalAssigned,
      });
      expect(worker.spawnedAt > createdAt && worker.lastActivity > worker.spawnedAt).toBe(true);
    }
  });
});
