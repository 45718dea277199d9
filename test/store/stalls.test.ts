/**
 * A process is stopped between any two file calls of its work on a team, while another process works on a team of the
 * same name. Then it goes on. Nothing acknowledged is lost, no living team is moved, and both end in success or in one
 * of our errors.
 */
import { cpSync } from 'node:fs';
import { expect, it } from 'vitest';
import { isTeamError } from '../../src/model/text/errors.ts';
import { stateOf } from '../../src/os/process-table.ts';
import { figure } from '../support/figures.ts';
import { leftFiles } from '../support/leftovers.ts';
import { program } from '../support/programs.ts';
import { SIZES, TIMEOUT_MS } from '../support/sizes.ts';
import type { Answer, Job } from '../support/stalls/job.ts';
import { everything, prepare, WORKS, type Before, type Told, type WorkName } from '../support/stalls/works.ts';
import { inMemory, tempDir } from '../support/temp.ts';
import { start, until, type Worker } from '../support/workers.ts';

/** What is stopped, what is there before, and what another process does meanwhile. */
const CASES: readonly [stopped: WorkName, before: Before, meanwhile: WorkName][] = [
  ['create', 'nothing', 'create'],
  ['create', 'an orphaned board', 'create'],
  ['delete', 'a team', 'create'],
  ['delete', 'a team', 'delete'],
  ['delete', 'a team', 'send'],
  ['delete', 'a team', 'lead'],
  ['delete', 'a team', 'take'],
  ['recover', 'a half archived team', 'create'],
  ['recover', 'a half archived team', 'recover'],
  ['take', 'a team', 'delete'],
  ['take', 'a team', 'send'],
  ['take', 'a team', 'take'],
  ['take', 'a team', 'lead'],
  ['checkpoint', 'a team', 'delete'],
  ['checkpoint', 'a team', 'send'],
  ['checkpoint', 'a team', 'checkpoint'],
  ['events', 'a team', 'delete'],
  ['events', 'a team', 'events'],
];

/** Errors that say what became of the team, or who holds it. */
const CLEAR = new Set(['TEAM_EXISTS', 'TEAM_GONE', 'UNKNOWN_TEAM', 'LOCK_TIMEOUT', 'STILL_RUNNING']);

const NOTHING: Told = { tasks: [], mail: [] };

async function tried(work: WorkName, root: string): Promise<Answer> {
  try {
    return { told: await WORKS[work](root, undefined, 'b'), calls: 0 };
  } catch (error) {
    if (!isTeamError(error)) throw error;
    return { code: error.code, calls: 0 };
  }
}

async function answerOf(worker: Worker): Promise<Answer> {
  return JSON.parse((await worker.next()) ?? '{}') as Answer;
}

/** @returns false when the work has fewer file calls */
async function stall(worker: Worker, job: Job, meanwhile: WorkName, before: Told): Promise<boolean> {
  worker.go(JSON.stringify(job));
  const answer = answerOf(worker);
  const ended = new AbortController();
  void answer.then(() => ended.abort());
  await until(() => ended.signal.aborted || stateOf(worker.pid) === 'T');
  const wasStopped = !ended.signal.aborted;
  const other = wasStopped ? await tried(meanwhile, job.root) : { told: NOTHING, calls: 0 };
  worker.child.kill('SIGCONT');
  judge(job, before, await answer, other);
  return wasStopped;
}

function judge({ root, work, at }: Job, before: Told, one: Answer, other: Answer): void {
  const where = `${work}, stopped before call ${at}: ${JSON.stringify([one, other])}`;
  for (const { code } of [one, other]) if (code !== undefined) expect(CLEAR, where).toContain(code);
  const told = [before, one.told ?? NOTHING, other.told ?? NOTHING];
  const { all, active } = everything(root);
  expect(all.tasks, where).toEqual(expect.arrayContaining(told.flatMap(({ tasks }) => tasks)));
  expect(all.mail, where).toEqual(expect.arrayContaining(told.flatMap(({ mail }) => mail)));
  const events = told.flatMap((each) => each.events ?? []);
  expect((all.events ?? []).toSorted(), where).toEqual(events.toSorted());
  const made = told.filter((each) => each.made === true);
  expect(made.length, where).toBeLessThanOrEqual(1);
  // Whoever made the team has it, complete, at its place.
  for (const { tasks, mail } of made) expect(active, where).toMatchObject({ tasks, mail });
  if (made.length === 0 && work === 'create') expect.fail(`nobody made the team: ${where}`);
  expect(leftFiles([root]), where).toEqual([]);
}

it.each(CASES)(
  'a process stopped anywhere in %s (before it: %s) loses nothing, while another one does %s',
  { timeout: TIMEOUT_MS },
  async (work, before, meanwhile) => {
    const template = tempDir(inMemory());
    const told = await prepare(template, before);
    const worker = start(process.execPath, [program('stalling-worker')], template);
    await worker.next();
    let stops = 0;
    for (let at = 1 + Math.floor(Math.random() * SIZES.stallStride); ; at += SIZES.stallStride) {
      const root = tempDir(inMemory());
      cpSync(template, root, { recursive: true, preserveTimestamps: true });
      if (!(await stall(worker, { root, work, at }, meanwhile, told))) break;
      stops += 1;
    }
    await worker.kill();
    figure({ area: `SIGSTOP in ${work} during ${meanwhile}`, count: stops, violations: 0 });
    expect(stops).toBeGreaterThan(3);
  },
);
