/**
 * What ends a turn early: an abort, the time limit, or too long a silence. Silence counts only while the model's answer
 * is awaited.
 */
import { formatDuration } from '../../model/text/duration.ts';
import type { TurnInput } from '../agent-contract.ts';
import type { TurnEnd } from '../../model/agent/turn-end.ts';
import { LONGEST_MS } from '../../os/pause.ts';

/** How long a model may be silent before the turn ends, in milliseconds. */
const STALL_MS = 300_000;

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

  /** Aborts at whichever comes first. */
  get signal(): AbortSignal {
    return AbortSignal.any([this.#input.signal, this.#over.signal]);
  }

  get isOver(): boolean {
    return this.#input.signal.aborted || this.#why !== undefined;
  }

  /** The model's answer is awaited from now on, or just made progress: starts the silence timer again. */
  listen(): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => this.#end('silent'), Math.min(this.#stallMs, LONGEST_MS));
  }

  /** No answer is awaited: stops the silence timer. */
  rest(): void {
    clearTimeout(this.#silence);
  }

  /** How the turn ended, once it is over. */
  end(text: string): TurnEnd {
    if (this.#input.signal.aborted) return { kind: 'aborted' };
    const { timeoutMs = LONGEST_MS } = this.#input;
    const message =
      this.#why === 'silent'
        ? `The model said nothing for ${formatDuration(this.#stallMs)}.`
        : `Timed out after ${formatDuration(timeoutMs)}.`;
    return { kind: 'failed', why: 'timeout', text, message };
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
