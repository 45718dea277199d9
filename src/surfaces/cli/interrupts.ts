/**
 * Signals and a timeout for a command in the foreground. The first signal stops in order, the second at once. A closed
 * terminal counts as a first signal.
 */
import process from 'node:process';
import { afterRunning } from '../../app.ts';

export const SIGNAL_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
export const TIMED_OUT = 124;

/** Two signals within this time count as one key press: the terminal sends one, and a parent process passes one on. */
const SAME_PRESS_MS = 100;

export class Interrupts implements Disposable {
  readonly #stop = new AbortController();
  readonly #force = new AbortController();
  readonly #leave = new AbortController();
  readonly #endLimit: (() => void) | undefined;
  readonly #onSignal: (signal: NodeJS.Signals) => void;
  #code: number | undefined;
  #isFresh = false;

  /**
   * @param timeoutMs stops in order after this many milliseconds
   * @param hears false for a command behind a socket: the signals are those of the process that serves it
   */
  constructor(timeoutMs?: number, hears = true) {
    this.#onSignal = (signal) => this.#onInterrupt(signal);
    if (hears) for (const signal of SIGNALS) process.on(signal, this.#onSignal);
    if (timeoutMs !== undefined) this.#endLimit = afterRunning(timeoutMs, () => this.#end(TIMED_OUT));
  }

  /** Aborts when the command must stop in order. */
  get stop(): AbortSignal {
    return this.#stop.signal;
  }

  /** Aborts when the command must stop at once. */
  get force(): AbortSignal {
    return this.#force.signal;
  }

  /** Aborts with {@link stop} if another program ends this one: it has little time. */
  get leave(): AbortSignal {
    return this.#leave.signal;
  }

  /** The exit code of the signal or timeout that stopped the command; undefined while none did. */
  get code(): number | undefined {
    return this.#code;
  }

  /** A person pressed Ctrl-C where the terminal makes no signal of it. */
  press(): void {
    this.#onInterrupt('SIGINT');
  }

  [Symbol.dispose](): void {
    this.#endLimit?.();
    for (const signal of SIGNALS) process.off(signal, this.#onSignal);
  }

  #onInterrupt(signal: NodeJS.Signals): void {
    if (this.#stop.signal.aborted && !this.#isFresh) this.#force.abort();
    if (signal !== 'SIGINT' && !this.#stop.signal.aborted) this.#leave.abort();
    if (signal === 'SIGINT' || signal === 'SIGTERM' || signal === 'SIGHUP') this.#end(SIGNAL_CODES[signal]);
  }

  #end(code: number): void {
    if (this.#stop.signal.aborted) return;
    this.#code = code;
    this.#isFresh = true;
    setTimeout(() => (this.#isFresh = false), SAME_PRESS_MS).unref();
    this.#stop.abort();
  }
}
