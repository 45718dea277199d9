/**
 * The runner ends a task; the model's claim to be done is not enough. One attempt: hand out → turn → verify → record
 * the result → write the end. An agent that forgets to report still delivers its result.
 */
import type { Turn, TurnInput } from '../../agents/agent-contract.ts';
import type { TurnEnd } from '../../model/agent/turn-end.ts';
import { argvOf } from '../../model/agent/agent.ts';
import type { Message } from '../../model/team/message.ts';
import { DEFAULT_TASK_TIMEOUT_MS, type ClaimedTask, type Task } from '../../model/board/task.ts';
import {
  isFaulty,
  judgeEndedTurn,
  judgeTurn,
  withPendingQuestion,
  type TurnVerdict,
  type WaitsForAnswer,
} from '../../policy/outcome.ts';
import { withReport } from '../../policy/supervise/outcome-with-report.ts';
import type { Folded } from '../../store/board/fold-line.ts';
import { isDirectory } from '../../store/team/work-place.ts';
import { missingArtifact } from '../../store/workspace/artifact.ts';
import { writeTaskFiles } from '../../store/board/task-files.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import { artifactPath } from './artifact-place.ts';
import { writeEnd } from './attempt-end.ts';
import { reportOn } from '../team/task-report.ts';
import { runTurn } from '../agents/run-turn.ts';
import { recordTurn } from '../replay/turn-record.ts';
import { JUDGED_HINT } from '../isolation/judging-isolation.ts';
import { verifyTask } from '../team/verify-command.ts';
import { retryWhenWritable } from '../process/retry-disk.ts';
import type { CompletionExtras, RunTaskTurn, RunnerEnvironment } from './runner-environment.ts';
import { ENV } from '../../model/text/environment.ts';
import { LEAD } from '../../model/text/names.ts';
import * as wording from '../../policy/mail-wording.ts';
import { askHook } from '../team/hooks.ts';
import type { KeptChange } from '../trees/member-tree.ts';
import type { TreeUse } from '../trees/tree-needs.ts';
import { mailAboutBounce } from '../../policy/landing/bounce-mail.ts';

export interface TaskAttempt {
  readonly task: Task;
  readonly verdict: TurnVerdict | WaitsForAnswer;
  /** The end on the board; undefined if none was written. */
  readonly written: Folded | undefined;
}

/**
 * Runs one claimed task to the end of one attempt. If the user's hook refuses, the agent gets the hook's text as mail
 * and tries again.
 */
export async function runAttempt(
  task: ClaimedTask,
  mail: readonly Message[],
  environment: RunnerEnvironment,
  signal: AbortSignal,
): Promise<TaskAttempt> {
  const { store, tree } = environment;
  const refusals: Message[] = [];
  const written = (verdict: TurnVerdict, along: CompletionExtras, change?: KeptChange): Promise<Folded | undefined> =>
    retryWhenWritable(store, signal, () => writeEnd(task, { verdict, along, change }, environment));
  const trouble = await tree?.begin(task, setupOf(task, environment, signal), signal);
  if (trouble !== undefined) {
    const { judged, along } = goesBack(trouble.why);
    const verdict: TurnVerdict = trouble.do === 'fail' ? trouble : judged;
    return { task, verdict, written: await written(verdict, along) };
  }
  const given = [...mail, ...mailAboutBounce(task, store.clock.now())];
  for (;;) {
    const { judged, along } = await workOn(task, [...given, ...refusals.slice(-1)], environment, signal);
    if (judged.do === 'wait') return { task, verdict: judged, written: undefined };
    const refusal = judged.do === 'complete' ? await refusedByHook(task, judged, environment, signal) : undefined;
    if (refusal !== undefined && refusals.push(refusal) < MOST_REFUSALS && !signal.aborted) continue;
    const said = refusal === undefined ? judged : refusedForGood(judged, refusal);
    const kept = said.do === 'complete' ? await tree?.keep(task, signal) : undefined;
    if (kept === undefined) return { task, verdict: said, written: await written(said, along) };
    if (kept.do === 'submit') return { task, verdict: said, written: await written(said, along, kept.change) };
    const verdict: TurnVerdict =
      kept.do === 'fail' && said.do === 'complete'
        ? { do: 'fail', why: kept.why, text: said.text }
        : goesBack(kept.why).judged;
    return { task, verdict, written: await written(verdict, kept.do === 'fail' ? along : {}) };
  }
}

/** The setup of a tree runs like `verify:`, with the network that the member's own program has. */
function setupOf(task: ClaimedTask, environment: RunnerEnvironment, signal: AbortSignal): TreeUse {
  const { cwd, output, environment: env, isMounted } = environment;
  return {
    isMounted,
    async run(commands) {
      const judging = await environment.judging(`setup: of the tree for task #${task.id}`, { keepsNetwork: true });
      output.begin({ task: task.id, claim: task.claim.epoch });
      try {
        const { wrap, isIsolated } = judging;
        const drive = (turn: Turn) => runTurn(turn, environment, signal);
        // Without trees no module of theirs is loaded.
        const { runInTree } = await import('../agents/run-in-tree.ts');
        return await runInTree({ commands, how: { env, cwd, signal, wrap, drive }, output, isIsolated });
      } finally {
        output.end();
      }
    },
  };
}

const UNTRUSTED = 'UNTRUSTED: its command was not given by this user; `teams doctor --trust TEAM` shows it';

/** No failure of the task or of the member. */
const goesBack = (why: string): { judged: TurnVerdict; along: CompletionExtras } => ({
  judged: { do: 'release', reason: 'released', why },
  along: {},
});

interface WorkedAttempt {
  readonly judged: TurnVerdict | WaitsForAnswer;
  readonly along: CompletionExtras;
}

/** Runs the turns of an attempt and judges them. */
async function workOn(
  task: ClaimedTask,
  mail: readonly Message[],
  environment: RunnerEnvironment,
  signal: AbortSignal,
): Promise<WorkedAttempt> {
  const { store, output } = environment;
  // A task that was claimed by hand, or in a log that somebody changed.
  if (!store.commands.isTrusted(task.id)) return goesBack(UNTRUSTED);
  const lost = (): string | undefined =>
    isDirectory(store.disk, environment.cwd) ? undefined : `the working directory ${environment.cwd} does not exist`;
  const missing = lost();
  if (missing !== undefined) return goesBack(missing);
  const handout = writeTaskFiles(store.disk, store.paths, task, task.claim.epoch, mail);
  const before = store.events.end();
  output.begin({ task: task.id, claim: task.claim.epoch });
  try {
    const variables = taskVariables(task, handout, store);
    const env = { ...environment.environment, ...variables };
    const hold: RunTaskTurn = (prompt, own = {}, by = {}) =>
      runTaskTurn({ ...environment, ...by }, task.id, {
        prompt,
        env: { ...(by.environment ?? environment.environment), ...variables, ...own },
        signal,
        timeoutMs: task.work.timeoutMs ?? DEFAULT_TASK_TIMEOUT_MS,
        argv: task.work.run === undefined ? undefined : argvOf(task.work.run),
      });
    const { end, ...along } = await environment.carryOut(task, mail, hold);
    if (end.kind === 'failed') logFailure(store, task, end);
    const report = reportOn(store, task, before);
    const reported = withReport(await judgeEnd(end, task, environment), report);
    const saysDone = report?.outcome === 'completed';
    const decided = withPendingQuestion(reported, { isAsking: environment.isAsking(), saysDone });
    const judged = decided.do === 'complete' ? await verify(task, decided, env, environment, signal) : decided;
    const removed = judged.do === 'fail' || judged.do === 'release' ? lost() : undefined;
    if (removed !== undefined) return goesBack(removed);
    if (judged.do === 'fail') output.recordFailure();
    return { judged, along };
  } finally {
    output.end();
    handout.remove();
  }
}

/** Logs why a turn failed, by class; the lead's decision about another attempt needs it. */
const logFailure = (store: TeamStore, task: ClaimedTask, end: Extract<TurnEnd, { kind: 'failed' }>): unknown =>
  store.events.append({
    type: 'agent.failed',
    member: task.claim.member,
    task: task.id,
    epoch: task.claim.epoch,
    fault: end.why,
    text: end.message.slice(0, 4_096),
    retry_after_ms: end.retryAfterMs,
  });

async function judgeEnd(end: TurnEnd, task: ClaimedTask, environment: RunnerEnvironment): Promise<TurnVerdict> {
  const remedied = isFaulty(end) ? await environment.remedy(end) : undefined;
  const { spec, store } = environment;
  const turn = { end, task, kind: spec.kind, profile: store.board.board.profile, remedied };
  const verdict = judgeEndedTurn(turn);
  recordTurn(environment, task, turn, verdict);
  return verdict;
}

/**
 * Runs one turn of the member's agent, as soon as its vendor's pace allows a call.
 *
 * @param task the task that the turn is about
 */
export async function runTaskTurn(
  environment: Omit<
    RunnerEnvironment,
    'store' | 'speaker' | 'spec' | 'environment' | 'isAsking' | 'remedy' | 'judging'
  >,
  task: string | undefined,
  input: Pick<TurnInput, 'prompt' | 'env' | 'signal' | 'timeoutMs' | 'argv'>,
): Promise<TurnEnd> {
  const { agent, cwd, shownAt = cwd, sandbox, ledger, around } = environment;
  const signal = await ledger.begin(task, input.timeoutMs ?? DEFAULT_TASK_TIMEOUT_MS, input.signal);
  const images = async () => (await import('../tools/named-images.ts')).namedImages(cwd, input.prompt);
  const turn = agent.turn({ ...input, signal, cwd: shownAt, sandbox, images, ...(await around()) });
  const end = await runTurn(turn, environment, signal);
  return ledger.end(end);
}

/** Runs the task's `verify:` commands, which a person wrote. The first that fails makes the attempt a failure. */
async function verify(
  task: Task,
  verdict: TurnVerdict & { do: 'complete' },
  env: Readonly<Record<string, string>>,
  environment: RunnerEnvironment,
  signal: AbortSignal,
): Promise<TurnVerdict> {
  const { cwd } = environment;
  const judging = task.work.verify.length === 0 ? undefined : await environment.judging(`verify: of task #${task.id}`);
  const end = await verifyTask(task, {
    env,
    cwd,
    signal,
    wrap: (command) => judging?.wrap(command) ?? command,
    drive: (turn) => runTurn(turn, environment, signal),
  });
  if (end.result === 'aborted') return judgeTurn({ kind: 'aborted' }, task);
  if (end.result === 'failed')
    return {
      do: 'fail',
      why: `verify failed: ${end.command} (${end.message}${judging?.isIsolated === true ? `; ${JUDGED_HINT}` : ''})`,
      text: `${verdict.text}\n\n${end.output}`,
    };
  const { artifact } = task.work;
  const missing =
    artifact === undefined
      ? undefined
      : missingArtifact(environment.store.disk, artifactPath({ cwd, store: environment.store }, artifact), artifact);
  return missing === undefined ? verdict : { do: 'fail', why: `artifact: ${missing}`, text: verdict.text };
}

function taskVariables(
  task: ClaimedTask,
  handout: { taskFile: string; mailFile: string },
  { commands }: Pick<TeamStore, 'commands'>,
): Record<string, string> {
  const vouched = commands.hashOf(task.id);
  const note = task.bounced?.cause === 'review' ? task.bounced.why : task.note;
  return {
    ...task.work.env,
    [ENV.taskId]: task.id,
    [ENV.taskFile]: handout.taskFile,
    [ENV.mailFile]: handout.mailFile,
    ...(vouched === undefined ? undefined : { [ENV.vouched]: vouched }),
    ...(note === undefined ? undefined : { [ENV.note]: note }),
  };
}

/** After this many refusals the attempt fails. */
const MOST_REFUSALS = 3;

type Completed = TurnVerdict & { do: 'complete' };

/** @returns the mail that tells the agent about the refusal; undefined if the hook accepts the completion */
async function refusedByHook(
  task: Task & { status: 'in_progress' },
  { text }: Completed,
  environment: Pick<RunnerEnvironment, 'hook' | 'store' | 'judging'>,
  signal: AbortSignal,
): Promise<Message | undefined> {
  const { hook, store } = environment;
  if (hook === undefined) return undefined;
  const { wrap } = await environment.judging(`the hook on task #${task.id}`);
  const feedback = await askHook(task, text, { hook, store, wrap }, signal);
  if (feedback === undefined) return undefined;
  const { id, claim } = task;
  const now = environment.store.clock.now();
  return {
    type: 'message',
    kind: 'hook',
    sender: LEAD,
    recipient: claim.member,
    timestamp: now / 1_000,
    id: `hook:${id}.${claim.epoch}:${now}`,
    task_id: id,
    content: wording.refusedCompletion(id, feedback),
  };
}

const refusedForGood = ({ text }: TurnVerdict & { text?: string }, { content }: Message): TurnVerdict => ({
  do: 'fail',
  why: `refused ${MOST_REFUSALS} times: ${content}`,
  text: text ?? '',
});
