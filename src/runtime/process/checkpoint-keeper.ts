/** When checkpoints of logs are written. */
import type { Clock } from '../../model/text/clock.ts';

/** A log that grows fast would else be written again and again, for nobody. */
const PAUSE_MS = 1_000;

/** Writes what saves others the reading of long logs, between the lead's other work, in steps of a few milliseconds. */
export class CheckpointKeeper {
  readonly #write: () => Generator<undefined>;
  readonly #clock: Pick<Clock, 'monotonic'>;
  #steps: Generator<undefined> | undefined;
  #next: number;

  /** @param write does nothing if there is little to write */
  constructor(write: () => Generator<undefined>, clock: Pick<Clock, 'monotonic'>) {
    this.#write = write;
    this.#clock = clock;
    this.#next = clock.monotonic() + PAUSE_MS;
  }

  /** Begins, unless it is being written, was begun less than a second ago, or this keeper is younger than that. */
  keep(): void {
    const now = this.#clock.monotonic();
    if (this.#steps !== undefined || now < this.#next) return;
    this.#next = now + PAUSE_MS;
    this.#steps = this.#write();
    this.#step();
  }

  /** Begins, unless it is being written: the end of its lead is near. */
  ahead(): void {
    if (this.#steps !== undefined) return;
    this.#steps = this.#write();
    this.#step();
  }

  /** Writes what there is by now, at once. */
  finish(): void {
    const begun = this.#steps;
    this.#steps = undefined;
    for (const steps of begun ? [begun, this.#write()] : [this.#write()]) for (const _ of steps);
  }

  /** Gives up what is being written. */
  stop(): void {
    this.#steps?.return(undefined);
    this.#steps = undefined;
  }

  #step(): void {
    if (this.#steps === undefined) return;
    if (this.#steps.next().done === true) this.#steps = undefined;
    else setImmediate(() => this.#step());
  }
}
