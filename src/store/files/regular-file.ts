/**
 * Reads files that a member may have made. Opening a named pipe waits, and a device has no end: only the contents of a
 * regular file are read. One of `/proc`, behind a link, has no size and may have no end either: so no more is read than
 * asked for, whatever the size says.
 */
import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';

const CHUNK = 64 * 1024;

/**
 * @param most bytes
 * @returns undefined for what is missing, is no regular file (behind links), is larger or may not be read
 */
export const regularBytes = (path: string, most: number): Buffer | undefined =>
  withRegular(path, (file) => bytesUpTo(file, most));

/** @returns undefined for what is missing, is no regular file (behind links) or may not be read */
export function withRegular<T>(path: string, use: (file: number, stat: Stats) => T): T | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stat = fstatSync(file);
    return stat.isFile() ? use(file, stat) : undefined;
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/**
 * The rest of an open file.
 *
 * @param most bytes
 * @returns undefined if there are more, also of a file that grows while it is read
 */
export function bytesUpTo(file: number, most: number): Buffer | undefined {
  if (fstatSync(file).size > most) return undefined;
  const parts: Buffer[] = [];
  for (let all = 0; all <= most;) {
    const part = Buffer.allocUnsafe(CHUNK);
    const read = readSync(file, part);
    if (read === 0) return Buffer.concat(parts);
    parts.push(part.subarray(0, read));
    all += read;
  }
  return undefined;
}
