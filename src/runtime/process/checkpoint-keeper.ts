/** Writes what saves others the reading of long logs, between the lead's other work, in steps of a few milliseconds. */
export class CheckpointKeeper {
  readonly #write: () => Generator<undefined>;
  #steps: Generator<undefined> | undefined;

  /** @param write does nothing if there is little to write */
  constructor(write: () => Generator<undefined>) {
    this.#write = write;
  }

  /** Begins, unless it is being written. */
  keep(): void {
    if (this.#steps !== undefined) return;
    this.#steps = this.#write();
    this.#step();
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
