/**
 * Reads files that a member may have made. Opening a named pipe waits, and a device has no end: only the contents of a
 * regular file are read.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';

/**
 * @param most bytes
 * @returns undefined for what is missing, is no regular file (behind links), is larger or may not be read
 */
export const regularBytes = (path: string, most: number): Buffer | undefined =>
  withRegular(path, (file, { size }) => (size > most ? undefined : readFileSync(file)));

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
