/** The lines of a log as `cat -n` numbers them, the empty ones included. */
import { O_RDONLY, type Disk } from '../files/disk.ts';
import { chunks, openOurs, using } from '../files/file.ts';

const NEWLINE = 10;

/**
 * Reads the whole file.
 *
 * @returns for each line the offset in bytes after its newline
 */
export const lineEnds = (disk: Disk, path: string): number[] =>
  using(disk, openOurs(disk, path, O_RDONLY), (fd) => {
    const ends: number[] = [];
    let before = 0;
    for (const chunk of chunks(disk, fd)) {
      for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) ends.push(before + at + 1);
      before += chunk.length;
    }
    return ends;
  });
