/**
 * Keeps the checkpoint of the board in a replica whose lead is on another machine: else each process that opens the team
 * here folds its log from the start. It is written in steps of a few milliseconds between the other work of the relay:
 * when the log is still, or else each fifth second.
 */
import { isTeamError } from '../../model/text/errors.ts';
import { worthACheckpoint, writeCheckpoint } from '../../store/board/checkpoint/checkpoint-writer.ts';
import type { Disk } from '../../store/files/disk.ts';
import { Journal } from '../../store/files/journal.ts';
import type { TeamPaths } from '../../store/files/paths.ts';
import type { Clock } from '../../model/text/clock.ts';
import { CheckpointKeeper } from '../process/checkpoint-keeper.ts';

/** A log that goes on growing is written that often: what is written is behind again at once. */
const GROWING_MS = 5_000;

export class ReplicaCheckpoint {
  readonly #keeper: CheckpointKeeper;
  readonly #disk: Disk;
  readonly #paths: Pick<TeamPaths, 'log' | 'checkpoint'>;
  /** How much of the log it covers at least, in bytes, or the last try to write it would have. */
  #covered = 0;
  #end = 0;
  /** The end of the log at the last look. */
  #seen = 0;
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** By the clock. */
  #begunAt: number;

  constructor(disk: Disk, paths: Pick<TeamPaths, 'log' | 'checkpoint'>, clock: Pick<Clock, 'monotonic'>) {
    this.#disk = disk;
    this.#paths = paths;
    this.#clock = clock;
    this.#begunAt = clock.monotonic();
    this.#keeper = new CheckpointKeeper(() => this.#written(), clock);
  }

  /**
   * Begins to write it if the log has grown by so much that it is worth one. Called once in a second.
   *
   * @param end of the last whole record, in bytes
   */
  look(end: number): void {
    const isStill = end === this.#seen;
    this.#seen = end;
    if (end - this.#covered < worthACheckpoint(end)) return;
    const now = this.#clock.monotonic();
    if (!isStill && now - this.#begunAt < GROWING_MS) return;
    this.#begunAt = now;
    this.#end = end;
    this.#keeper.keep();
  }

  close(): void {
    this.#keeper.stop();
  }

  /** It saves time and nothing else: that it cannot be written is no error. */
  *#written(): Generator<undefined> {
    const { log, checkpoint: path } = this.#paths;
    const end = this.#end;
    this.#covered = end;
    const journal = new Journal(this.#disk, log);
    try {
      yield* writeCheckpoint({ disk: this.#disk, path, journal, worth: worthACheckpoint(end) }, end);
    } catch (error) {
      if (!isTeamError(error)) throw error;
    } finally {
      journal.close();
    }
  }
}
