/**
 * When a turn is over before its end: called off, out of time, or without a sign of life for too long. The last counts
 * only while somebody else is to speak.
 */
import { formatDuration } from '../../model/text/duration.ts';
import type { TurnEnd, TurnInput } from '../agent-contract.ts';
import { LONGEST_MS } from '../../os/pause.ts';

/** Silence of a model that is none of ours to explain. */
export const STALL_MS = 300_000;

export class TurnDeadline implements Disposable {
  readonly #input: TurnInput;
  readonly #over = new AbortController();
  readonly #limit: NodeJS.Timeout;
  readonly #stallMs: number;
  #silence: NodeJS.Timeout | undefined;
  #why: 'late' | 'silent' | undefined;

  constructor(input: TurnInput) {
    this.#input = input;
    const { timeoutMs = LONGEST_MS, stallMs = STALL_MS } = input;
    this.#stallMs = stallMs;
    this.#limit = setTimeout(() => this.#end('late'), Math.min(timeoutMs, LONGEST_MS));
  }

  /** Aborts at whatever comes first. */
  get signal(): AbortSignal {
    return AbortSignal.any([this.#input.signal, this.#over.signal]);
  }

  get isOver(): boolean {
    return this.#input.signal.aborted || this.#why !== undefined;
  }

  /** Somebody is to speak from now on, or just spoke. */
  listen(): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => this.#end('silent'), Math.min(this.#stallMs, LONGEST_MS));
  }

  /** Nobody is to speak. */
  rest(): void {
    clearTimeout(this.#silence);
  }

  /** How the turn ended, once it is over. */
  end(text: string): TurnEnd {
    if (this.#input.signal.aborted) return { ended: 'aborted' };
    const { timeoutMs = LONGEST_MS } = this.#input;
    const message =
      this.#why === 'silent'
        ? `The model said nothing for ${formatDuration(this.#stallMs)}.`
        : `Timed out after ${formatDuration(timeoutMs)}.`;
    return { ended: 'failed', why: 'timeout', text, message };
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#limit);
    clearTimeout(this.#silence);
  }

  #end(why: 'late' | 'silent'): void {
    this.#why ??= why;
    this.#over.abort();
  }
}
