/** Writes the checkpoint of the board between the lead's other work, in steps of a few milliseconds. */
import type { TeamStore } from '../../store/team/team-store.ts';

export class CheckpointKeeper {
  readonly #board: TeamStore['board'];
  #steps: Generator<undefined> | undefined;

  constructor({ board }: Pick<TeamStore, 'board'>) {
    this.#board = board;
  }

  /** Begins a checkpoint, if the log grew so much and none is being written. */
  keep(): void {
    if (this.#steps !== undefined) return;
    this.#steps = this.#board.checkpointed();
    this.#step();
  }

  /** Gives up the checkpoint that is being written. */
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
