/**
 * What the end of an agent's turn means for its task, and what a board means for the exit code (docs/specification.md
 * R3.6, R3.11). The agent's own faults (a full context, a rate limit, a missing program) end the claim. They count
 * against neither the task nor the member.
 */
import type { FailureClass } from '../model/agent/agent.ts';
import type { TurnEnd } from '../model/agent/turn-end.ts';
import type { Board } from '../model/board/board.ts';
import type { Profile } from '../model/board/event.ts';
import { tasksOf } from '../model/board/listed-tasks.ts';
import { LANDING, listOf, MISSED, PENDING } from '../model/board/task-lists.ts';
import { isInternal, type Task } from '../model/board/task.ts';
import type { Gate } from '../model/run/run-state.ts';
import { duration } from './mail-wording.ts';

export type TurnVerdict =
  /** Its `verify` commands run first; if one fails, the attempt fails. */
  | { readonly do: 'complete'; readonly text: string; readonly exitCode?: number | undefined }
  | { readonly do: 'fail'; readonly why: string; readonly text: string; readonly exitCode?: number | undefined }
  | { readonly do: 'release'; readonly reason: 'released'; readonly why: string; readonly retryAfterMs?: undefined }
  | {
      readonly do: 'release';
      readonly reason: 'agent';
      readonly fault: FailureClass;
      readonly why: string;
      readonly retryAfterMs?: number | undefined;
    };

/** Its agent asked a person and waits for the answer. No claim ends; the answer starts the next turn. */
export interface WaitsForAnswer {
  readonly do: 'wait';
}

/**
 * A turn that ended well does not complete its task while its agent waits for an answer. Exception: the agent said that
 * the task is done.
 *
 * @param isAsking a question about this task is open, or its answer was not delivered yet
 */
export const withPendingQuestion = (
  verdict: TurnVerdict,
  { isAsking, saysDone }: { readonly isAsking: boolean; readonly saysDone: boolean },
): TurnVerdict | WaitsForAnswer => (verdict.do === 'complete' && isAsking && !saysDone ? { do: 'wait' } : verdict);

/** A turn that failed through its agent's own fault. */
export type FaultyTurn = Extract<TurnEnd, { kind: 'failed' }> & { readonly why: FailureClass };

/** Its time-out. */
interface TimedTask {
  readonly work: { readonly timeoutMs?: number | undefined };
}

/** How the runner ends a task, from the turn that worked on it. */
export function judgeTurn(end: TurnEnd, task: TimedTask): TurnVerdict {
  if (end.kind === 'aborted') return { do: 'release', reason: 'released', why: 'the turn was stopped before it ended' };
  const exit = end.exitCode === undefined ? {} : { exitCode: end.exitCode };
  if (end.kind === 'answered') return { do: 'complete', text: end.text, ...exit };
  if (end.why === 'exit') return { do: 'fail', why: end.message, text: end.text, ...exit };
  if (end.why === 'timeout') return { do: 'fail', why: overTime(task, end.message), text: end.text, ...exit };
  const pause = end.retryAfterMs === undefined ? {} : { retryAfterMs: end.retryAfterMs };
  return { do: 'release', reason: 'agent', fault: end.why, why: `${end.why}: ${end.message}`, ...pause };
}

/** What was done about an agent that failed through its own fault, after every remedy was tried. */
export type RemedyResult =
  /** The same agent tries again. */
  | { readonly done: 'again'; readonly afterMs?: number | undefined }
  /** Another agent has replaced it. */
  | { readonly done: 'replaced' }
  /** No agent can replace it, for this task or for the rest of the run. */
  | { readonly done: 'nothing'; readonly for: 'task' | 'run'; readonly why: string };

/** Whether a turn failed through its agent's own fault. */
export const isFaulty = (end: TurnEnd): end is FaultyTurn => end.kind === 'failed' && end.why !== 'exit';

/**
 * How the runner ends a claim whose agent failed through its own fault. If no agent can do the task, the task fails.
 */
export function judgeFault(end: FaultyTurn, remedied: RemedyResult): TurnVerdict {
  const what = `${end.why}: ${end.message}`;
  if (remedied.done === 'nothing' && remedied.for === 'task')
    return { do: 'fail', why: `${what} ${remedied.why}`, text: end.text };
  const afterMs = remedied.done === 'again' ? remedied.afterMs : undefined;
  const retryAfterMs = remedied.done === 'replaced' ? 0 : (afterMs ?? end.retryAfterMs);
  const pause = retryAfterMs === undefined ? {} : { retryAfterMs };
  return { do: 'release', reason: 'agent', fault: end.why, why: what, ...pause };
}

/** A turn that worked on a task, and what was done about its agent's own fault. */
export interface EndedTurn {
  readonly end: TurnEnd;
  readonly task: TimedTask;
  /** The kind of the agent. */
  readonly kind: string;
  readonly profile: Profile;
  readonly remedied?: RemedyResult | undefined;
}

/**
 * How the runner ends the claim of a turn. A command that does not exist, or prints without end, is a failure of the
 * task: another agent would do no better, and `exec` has no fallback. A temporary lack of the machine is not a failure of
 * the task. In the relay every fault ends the attempt, because the loop decides about the next one.
 */
export function judgeEndedTurn({ end, task, kind, profile, remedied }: EndedTurn): TurnVerdict {
  if (remedied !== undefined && isFaulty(end)) return judgeFault(end, remedied);
  const verdict = judgeTurn(end, task);
  if (verdict.do !== 'release' || verdict.reason !== 'agent') return verdict;
  const isTaskFault = kind === 'exec' && verdict.fault !== 'rate_limited';
  if (!isTaskFault && profile !== 'relay') return verdict;
  return { do: 'fail', why: verdict.why, text: verdict.why };
}

const overTime = ({ work }: TimedTask, message: string): string =>
  work.timeoutMs === undefined ? message : `timed out after ${duration(work.timeoutMs)}: ${message}`;

/**
 * The exit code of a run: 0 only if every required task is completed and no gate failed, else 1.
 *
 * @param strict a skipped gate counts as a failed one
 */
export function exitCodeOf(board: Board, gates: readonly Gate[], { strict }: { strict: boolean }): 0 | 1 {
  const isDone = !isRequiredIn(tasksOf(board, board.busy.values())) && !isRequiredIn(tasksOf(board, undone(board)));
  const isRed = gates.some(({ result }) => result === 'fail' || (strict && result === 'skipped'));
  return isDone && !isRed ? 0 : 1;
}

function* undone({ lists }: Board): Generator<number> {
  yield* listOf(lists, MISSED);
  yield* listOf(lists, PENDING);
  yield* listOf(lists, LANDING);
}

function isRequiredIn(tasks: Iterable<Task>): boolean {
  for (const task of tasks) if (task.required && !isInternal(task)) return true;
  return false;
}
