/**
 * What ends a turn early: an abort, the time limit, or too long a silence. Silence counts only while the model's answer
 * is awaited.
 */
import { formatDuration } from '../../model/text/duration.ts';
import type { TurnInput } from '../agent-contract.ts';
import type { TurnEnd } from '../../model/agent/turn-end.ts';
import { LONGEST_MS } from '../../os/pause.ts';
import { afterUnheld } from '../../os/work-timer.ts';

/** How long a model may be silent before the turn ends, in milliseconds. */
const STALL_MS = 300_000;

export class TurnDeadline implements Disposable {
  readonly #input: TurnInput;
  readonly #over = new AbortController();
  readonly #endLimit: () => void;
  readonly #stallMs: number;
  #endSilence: (() => void) | undefined;
  #why: 'late' | 'silent' | undefined;

  constructor(input: TurnInput) {
    this.#input = input;
    const { timeoutMs = LONGEST_MS, stallMs = STALL_MS, heldMs } = input;
    this.#stallMs = stallMs;
    this.#endLimit = afterUnheld(timeoutMs, () => this.#end('late'), heldMs);
  }

  /** Aborts at whichever comes first. */
  get signal(): AbortSignal {
    return AbortSignal.any([this.#input.signal, this.#over.signal]);
  }

  get isOver(): boolean {
    return this.#input.signal.aborted || this.#why !== undefined;
  }

  /** The model's answer is awaited from now on, or just made progress: starts the silence timer again. */
  listen(): void {
    this.#endSilence?.();
    this.#endSilence = afterUnheld(this.#stallMs, () => this.#end('silent'), this.#input.heldMs);
  }

  /** No answer is awaited: stops the silence timer. */
  rest(): void {
    this.#endSilence?.();
  }

  /** How the turn ended, once it is over. */
  end(): TurnEnd {
    if (this.#input.signal.aborted) return { kind: 'aborted' };
    const { timeoutMs = LONGEST_MS } = this.#input;
    const message =
      this.#why === 'silent'
        ? `The model said nothing for ${formatDuration(this.#stallMs)}.`
        : `Timed out after ${formatDuration(timeoutMs)}.`;
    return { kind: 'failed', why: 'timeout', text: '', message };
  }

  [Symbol.dispose](): void {
    this.#endLimit();
    this.#endSilence?.();
  }

  #end(why: 'late' | 'silent'): void {
    this.#why ??= why;
    this.#over.abort();
  }
}
