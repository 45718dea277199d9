/** How a run stands, as one word: the same in every view (docs/specification.md R8.21). */
import { count, isDone, type Board } from '../model/board/board.ts';
import { readyCheckpoints } from '../model/board/listed-tasks.ts';
import type { RunState } from '../model/run/run-state.ts';
import { exitCodeOf } from './outcome.ts';

export const RUN_OUTCOMES = ['running', 'waiting', 'succeeded', 'failed', 'interrupted', 'cancelled'] as const;
export type RunOutcome = (typeof RUN_OUTCOMES)[number];

export interface RunFactsSeen {
  /** Whether a process leads the team. */
  readonly isLed: boolean;
  /** Whether a person cancelled the team. */
  readonly isCancelled: boolean;
  /** The state that its last lead wrote; undefined if it never had one. */
  readonly state?: Pick<RunState, 'status' | 'exitCode' | 'gates' | 'waitsFor'> | undefined;
}

/**
 * A team that is led is `running`, idle or not, and `waiting` while a person must answer or it is paused. A run that ended has the
 * outcome of its exit code. What has no lead and did not end is `interrupted`.
 */
export function runOutcome(board: Board, { isLed, isCancelled, state }: RunFactsSeen): RunOutcome {
  if (!isLed && state?.waitsFor !== undefined) return 'waiting';
  if (isLed) return board.phase === 'paused' || waitsForPerson(board) ? 'waiting' : 'running';
  const ended = endedCode(board, state);
  if (ended !== undefined) return ended === 0 ? 'succeeded' : 'failed';
  return isCancelled || board.phase === 'closed' ? 'cancelled' : 'interrupted';
}

/** A member asked for an answer or an approval, or a checkpoint is next. */
const waitsForPerson = (board: Board): boolean => board.open.size > 0 || readyCheckpoints(board).next().done === false;

/** The exit code of a run that ended; undefined for one that could be resumed. */
function endedCode(board: Board, state: RunFactsSeen['state']): number | undefined {
  if (state?.status === 'active' || state?.status === 'completing') return undefined;
  if (state?.exitCode !== undefined) return state.exitCode;
  return isDone(board) && count(board).total > 0 ? exitCodeOf(board, state?.gates ?? [], { strict: false }) : undefined;
}

/** The first line of a report: `TEAM COMPLETE` only for a run that succeeded. */
export function headline(board: Board, outcome: RunOutcome, failedGates: readonly string[]): string {
  const { total, completed, failed, skipped, cancelled } = count(board);
  const done = `${completed} of ${total} ${total === 1 ? 'task' : 'tasks'} done`;
  switch (outcome) {
    case 'succeeded':
      return 'TEAM COMPLETE';
    case 'failed': {
      const parts = [
        ...(failed > 0 ? [`${failed} failed`] : []),
        ...(skipped > 0 ? [`${skipped} skipped`] : []),
        ...(cancelled > 0 ? [`${cancelled} cancelled`] : []),
        ...failedGates.map((gate) => `${gate} failed`),
      ];
      return `TEAM FAILED: ${parts.length === 0 ? done : parts.join(', ')}`;
    }
    case 'cancelled':
    case 'interrupted':
    case 'running':
    case 'waiting':
      return `TEAM ${outcome.toUpperCase()}: ${done}`;
  }
}
