/**
 * What ends a turn from outside: an abort, its time limit, and silence. Silence does not count while a tool of the
 * agent runs.
 */
import type { TurnInput } from '../agent-contract.ts';
import type { TurnEnd } from '../../model/agent/turn-end.ts';
import { formatDuration } from '../../model/text/duration.ts';
import { afterUnheld } from '../../os/work-timer.ts';

export type TurnStop = 'aborted' | 'timeout' | 'stalled';

export interface TurnWatch {
  /** A sign of the agent. */
  seen(): void;
  busy(tool: string, is: boolean): void;
  /** Removes timers and listeners. */
  close(): void;
}

export function watchTurn(
  { signal, timeoutMs, stallMs, heldMs }: Pick<TurnInput, 'signal' | 'timeoutMs' | 'stallMs' | 'heldMs'>,
  stop: (why: TurnStop) => void,
): TurnWatch {
  const running = new Set<string>();
  let isClosed = false;
  let silence: (() => void) | undefined;
  const wait = (ms: number | undefined, why: TurnStop): (() => void) | undefined =>
    ms === undefined ? undefined : afterUnheld(ms, () => stop(why), heldMs);
  const limit = wait(timeoutMs, 'timeout');
  const abort = (): void => stop('aborted');
  const seen = (): void => {
    silence?.();
    if (running.size === 0 && !isClosed) silence = wait(stallMs, 'stalled');
  };
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  seen();
  return {
    seen,
    busy(tool, is) {
      if (is) running.add(tool);
      else running.delete(tool);
      seen();
    },
    close() {
      isClosed = true;
      limit?.();
      silence?.();
      signal.removeEventListener('abort', abort);
    },
  };
}

/**
 * How a turn ends that was stopped for this reason.
 * @param text what was said until then
 */
export function stopped(
  why: TurnStop,
  { timeoutMs = 0, stallMs = 0 }: Pick<TurnInput, 'timeoutMs' | 'stallMs'>,
  text: string,
): TurnEnd {
  switch (why) {
    case 'aborted':
      return { kind: 'aborted' };
    case 'timeout':
      return { kind: 'failed', why, text, message: `Timed out after ${formatDuration(timeoutMs)}.` };
    case 'stalled':
      return { kind: 'failed', why: 'timeout', text, message: `It was silent for ${formatDuration(stallMs)}.` };
  }
}
