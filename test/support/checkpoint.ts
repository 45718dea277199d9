/** Checkpoints of logs of any length: the product makes none of a short log. */
import { BoardStore } from '../../src/store/board/board.ts';
import { writeCheckpoint } from '../../src/store/board/checkpoint/checkpoint-writer.ts';
import { realDisk, type Disk } from '../../src/store/files/disk.ts';
import { Journal } from '../../src/store/files/journal.ts';
import type { TeamPaths } from '../../src/store/files/paths.ts';
import { realClock } from './clock.ts';

/** Writes the checkpoint of the log's first `offset` bytes. */
export function keepCheckpoint(paths: TeamPaths, disk: Disk = realDisk, offset?: number): void {
  const journal = new Journal(disk, paths.log);
  try {
    for (const _ of writeCheckpoint({ disk, path: paths.checkpoint, journal, worth: 1 }, offset ?? journal.end()));
  } finally {
    journal.close();
  }
}

/** A board that begins at its checkpoint, however short the log is. */
export const boardFromCheckpoint = (paths: TeamPaths, disk: Disk = realDisk): BoardStore =>
  new BoardStore(paths.log, { disk, clock: realClock, checkpoint: { path: paths.checkpoint, worth: 1 } });
