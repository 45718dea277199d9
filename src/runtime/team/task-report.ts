/**
 * An agent's own report about its task, from a separate process (`teams task complete`) to its runner. It is an event
 * with the claim's epoch, so that a report about an earlier claim has no effect on this one.
 */
import { reportIn, REPORTED, type AgentReport } from '../../model/member/reported-outcome.ts';
import { ConflictError } from '../../model/text/errors.ts';
import type { Task } from '../../model/board/task.ts';
import { ENV } from '../../model/text/environment.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import type { TeamHandle } from './team-handle.ts';
import { verifyTask, type Verified } from './verify-command.ts';
import { workPlaceOf } from '../../store/team/work-place.ts';

/** Characters of a report that are kept; the agent's output has everything. */
const TEXT_LIMIT = 64 * 1024;

type Judge = Pick<Parameters<typeof verifyTask>[1], 'signal' | 'wrap'>;

interface VerifiedReport extends AgentReport {
  readonly verdict: Verified;
}

/** The task, if this process's own member works on it: then its runner ends it, not this process. */
export function runnersTask(
  { speaker, board }: TeamHandle,
  reference: string,
): (Task & { status: 'in_progress' }) | undefined {
  const task = board.get(reference);
  if (speaker.kind !== 'member' || task.status !== 'in_progress') return undefined;
  return task.claim.member === speaker.name && task.claim.incarnation === speaker.incarnation ? task : undefined;
}

/**
 * Reports that the task is done or failed. A report that it is done is verified first; the caller gets the verdict.
 *
 * @param task of {@link runnersTask}
 * @throws ConflictError `REFUSED` if the report cannot be written
 */
export async function reportTask(
  { store, speaker, environment }: TeamHandle,
  task: Task & { status: 'in_progress' },
  { outcome, text }: { outcome: 'completed' | 'failed'; text: string },
  { signal, wrap }: Judge,
): Promise<VerifiedReport> {
  const verdict: Verified =
    outcome === 'completed' ? await verifyHere({ store, environment }, task, { signal, wrap }) : { result: 'passed' };
  const said = {
    outcome: verdict.result === 'passed' ? outcome : ('unverified' as const),
    text: text.slice(0, TEXT_LIMIT),
  };
  const failure = store.events.append({
    type: REPORTED,
    member: speaker.name,
    task: task.id,
    epoch: task.claim.epoch,
    ...said,
  });
  if (failure !== undefined)
    throw new ConflictError('REFUSED', `The report on task #${task.id} could not be kept: ${failure.message}`, {
      cause: failure,
    });
  return { ...said, verdict };
}

/**
 * Runs the task's `verify:` commands with the speaker's environment, in the team's working directory.
 *
 * @throws StoreError `UNTRUSTED` for commands that this user did not give
 */
export async function verifyHere(
  { store, environment }: Pick<TeamHandle, 'store' | 'environment'>,
  task: Task,
  { signal, wrap }: Judge,
): Promise<Verified> {
  if (task.work.verify.length > 0) requireVouched(store, task, environment[ENV.vouched]);
  const cwd = workPlaceOf(store.disk, store.paths, store.config.read());
  const env = Object.fromEntries(
    Object.entries(environment).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
  return verifyTask(task, { env, cwd, signal, wrap, drive: silently });
}

/** In a task's own program the user's key may be out of reach; there the runner has told what it found. */
function requireVouched(store: TeamStore, task: Task, vouched: string | undefined): void {
  if (vouched !== undefined && vouched === store.commands.hashOf(task.id)) return;
  store.requireTrusted();
  store.requireTrustedTask(task);
}

/**
 * The last report on this claim.
 *
 * @param from offset in the events at which to start: their end when the attempt began
 */
export function reportOn(
  { events }: TeamStore,
  task: Task & { status: 'in_progress' },
  from: number,
): AgentReport | undefined {
  let last: AgentReport | undefined;
  for (const { event } of events.read(from)) {
    const report = reportIn(event);
    const isOfIt = report?.member === task.claim.member && report.task === task.id && report.epoch === task.claim.epoch;
    if (isOfIt) last = { outcome: report.outcome, text: report.text };
  }
  return last;
}

const silently: Parameters<typeof verifyTask>[1]['drive'] = async (turn) => {
  for (;;) {
    const next = await turn.next(undefined);
    if (next.done) return next.value;
  }
};
