/**
 * Files as the store uses them: opened without following links, read whole or in chunks, replaced or created in one
 * step. Every commit point here is one `write`, one `link` or one `rename`.
 */
import type { Stats } from 'node:fs';
import { dirname } from 'node:path';
import { StoreError } from '../../model/text/errors.ts';
import {
  DIRECTORY_MODE,
  FILE_MODE,
  isMissing,
  isTaken,
  lookAt,
  O_CREAT,
  O_DIRECTORY,
  O_EXCL,
  O_NOFOLLOW,
  O_NONBLOCK,
} from './disk.ts';
import { O_RDONLY, O_WRONLY, onDisk, removeFile, storeFailure, type Disk } from './disk.ts';
import { tempLinks, tempPath } from './temp-files.ts';

const CHUNK = 64 * 1024;

const ME = process.getuid?.();

export interface Opened {
  readonly fd: number;
  readonly stat: Stats;
}

/** Opens a regular file of ours with one link. Refuses a link, FIFO, device, shared or empty large file in its place. */
export function openSeen(disk: Disk, path: string, flags: number): Opened {
  const fd = onDisk('open', path, () => disk.openSync(path, flags | O_NOFOLLOW | O_NONBLOCK, FILE_MODE));
  try {
    const stat = onDisk('look at', path, () => disk.fstatSync(fd));
    const wrong = whatIsWrong(disk, path, fd, stat);
    if (wrong === undefined) return { fd, stat };
    throw new StoreError('CORRUPT', `${path} is ${wrong} and was not made by teams; remove it.`, { path });
  } catch (error) {
    disk.closeSync(fd);
    throw error;
  }
}

export const openOurs = (disk: Disk, path: string, flags: number): number => openSeen(disk, path, flags).fd;

function whatIsWrong(disk: Disk, path: string, fd: number, stat: Stats): string | undefined {
  if (!stat.isFile()) return 'not a regular file';
  if (ME !== undefined && ME !== 0 && stat.uid !== ME) return "another user's file";
  if (isHollow(stat)) return 'a large file without contents';
  // 0 links: its reader or a sweep removed it after it was opened.
  return stat.nlink <= 1 || isBeingMade(disk, path, fd, stat) ? undefined : 'a file with several links';
}

/** Bytes from which a file is looked at for holes. */
const LARGE = 256 * 1024 * 1024;

/**
 * Nearly nothing of it is on the disk, as of `truncate -s 60G`: nobody could wait for its end. No compression of a file
 * system reaches 1 : 500 with our lines.
 */
const isHollow = ({ size, blocks }: Stats): boolean => size > LARGE && blocks * 512 * 500 < size;

/**
 * Between `link` and the removal of its temporary name, a new file has two names: its maker is still running, or died
 * there.
 */
const isBeingMade = (disk: Disk, path: string, fd: number, { ino, nlink }: Stats): boolean =>
  tempLinks(disk, path, ino) === nlink - 1 || disk.fstatSync(fd).nlink === 1;

/** Like {@link openOurs}; undefined when the file is missing. */
export function openIfThere(disk: Disk, path: string, flags: number): number | undefined {
  try {
    return openOurs(disk, path, flags);
  } catch (error) {
    if (isMissing(error instanceof Error ? error.cause : error)) return undefined;
    throw error;
  }
}

export function using<T>(disk: Disk, fd: number, work: (fd: number) => T): T {
  try {
    return work(fd);
  } finally {
    disk.closeSync(fd);
  }
}

/**
 * Writes all of `bytes` in one call if the system does so. A short write is an error, and what it wrote is not undone.
 */
export function writeWhole(disk: Disk, fd: number, bytes: Buffer, path: string): void {
  const written = onDisk('write to', path, () => disk.writeSync(fd, bytes, 0, bytes.length, null));
  if (written < bytes.length)
    throw new StoreError(
      'NO_SPACE',
      `Only ${written} of ${bytes.length} bytes went to ${path}: free some space, or raise \`ulimit -f\`, and try again.`,
      { path },
    );
}

/** Yields the file's bytes from `from` on, chunk by chunk. The buffer is reused for the next chunk. */
export function* chunks(disk: Disk, fd: number, from = 0): Generator<Buffer, number> {
  const left = disk.fstatSync(fd).size - from;
  if (left <= 0) return from;
  const size = Math.min(CHUNK, Math.max(512, left + 1));
  const buffer = Buffer.allocUnsafe(size);
  let at = from;
  for (;;) {
    const read = disk.readSync(fd, buffer, 0, size, at);
    if (read === 0) return at;
    at += read;
    yield buffer.subarray(0, read);
    // All that was there is read, and nothing came since.
    if (read < size && at >= from + left) return at;
  }
}

/**
 * The whole text of a small file of ours; undefined when it is missing.
 *
 * @param limit bytes above which the file counts as damaged
 */
export function readText(disk: Disk, path: string, limit = 64 * 1024 * 1024): string | undefined {
  const fd = openIfThere(disk, path, O_RDONLY);
  if (fd === undefined) return undefined;
  return using(disk, fd, () =>
    onDisk('read', path, () => {
      const parts: Buffer[] = [];
      let size = 0;
      for (const chunk of chunks(disk, fd)) {
        size += chunk.length;
        if (size > limit)
          throw new StoreError(
            'CORRUPT',
            `${path} is larger than ${limit} bytes, so teams did not write it; restore or remove it.`,
            { path },
          );
        parts.push(Buffer.from(chunk));
      }
      return Buffer.concat(parts).toString('utf8');
    }),
  );
}

/** Makes a directory entry durable. */
export function syncDirectory(disk: Disk, path: string): void {
  using(
    disk,
    onDisk('open', path, () => disk.openSync(path, O_RDONLY | O_DIRECTORY)),
    (fd) => onDisk('sync', path, () => disk.fsyncSync(fd)),
  );
}

interface Durability {
  /** False for views that can be rebuilt: no flush, only the rename. */
  readonly durable?: boolean;
}

/**
 * Replaces a whole file: temporary file beside it, fsync, rename, fsync of the directory. The commit point is the
 * rename.
 */
export function replaceFile(
  disk: Disk,
  path: string,
  text: string,
  token: string,
  { durable = true }: Durability = {},
): void {
  const temp = writeTemp(disk, path, text, token, durable);
  try {
    disk.renameSync(temp, path);
  } catch (error) {
    removeFile(disk, temp);
    throw storeFailure('replace', path, error);
  }
  if (durable) syncDirectory(disk, dirname(path));
}

/**
 * Creates a file once: temporary file, fsync, link, fsync of the directory. The commit point is the link.
 *
 * @returns false when a file of that name exists; it is not changed
 */
export function createOnce(disk: Disk, path: string, text: string, token: string): boolean {
  const temp = writeTemp(disk, path, text, token, true);
  try {
    disk.linkSync(temp, path);
  } catch (error) {
    if (isTaken(error)) return false;
    throw storeFailure('create', path, error);
  } finally {
    removeFile(disk, temp);
  }
  syncDirectory(disk, dirname(path));
  return true;
}

/**
 * Creates a file that nobody opens before this returns, without a temporary one. What a process left there that was
 * killed is removed.
 */
export function createFile(disk: Disk, path: string, text: string): void {
  try {
    writeNew(disk, path, text, false);
  } catch (error) {
    if (!isTaken(error instanceof Error ? error.cause : error)) throw error;
    removeFile(disk, path);
    writeNew(disk, path, text, false);
  }
}

function writeTemp(disk: Disk, path: string, text: string, token: string, durable: boolean): string {
  const temp = tempPath(path, token);
  writeNew(disk, temp, text, durable);
  return temp;
}

function writeNew(disk: Disk, path: string, text: string, durable: boolean): void {
  const fd = onDisk('create', path, () => disk.openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, FILE_MODE));
  try {
    using(disk, fd, () => {
      writeWhole(disk, fd, Buffer.from(text), path);
      if (durable) onDisk('sync', path, () => disk.fsyncSync(fd));
    });
  } catch (error) {
    removeFile(disk, path);
    throw error;
  }
}

/**
 * Frees a path of ours on which something else lies: a file, link, pipe or socket is removed; a directory, whatever is
 * in it, gets another name beside.
 */
export function clearAway(disk: Disk, path: string, token: string): void {
  if (lookAt(disk, path)?.isDirectory() !== true) removeFile(disk, path);
  else onDisk('move', path, () => disk.renameSync(path, `${path}.replaced-${token}`));
}

/**
 * Makes a directory of ours (0700); an existing one must be a real directory. Use `durable` if its contents are
 * durable.
 */
export function makeDirectory(disk: Disk, path: string, { durable = false }: Durability = {}): void {
  try {
    disk.mkdirSync(path, { mode: DIRECTORY_MODE });
    disk.chmodSync(path, DIRECTORY_MODE);
    if (durable) syncDirectory(disk, dirname(path));
  } catch (error) {
    if (!isTaken(error)) throw storeFailure('create the directory', path, error);
    if (lookAt(disk, path)?.isDirectory() !== true)
      throw new StoreError('CORRUPT', `${path} is not a directory; remove it.`, { path });
  }
}
