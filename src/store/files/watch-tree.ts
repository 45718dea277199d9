/**
 * Wakes a process when a file changes, through chokidar, for verbs that follow what other processes write: the file may
 * come, go, and come again with its whole directory. chokidar drops the last of two quick changes, so each change calls
 * back once more a little later, and every waiter also looks periodically. Delivery never depends on it (that is
 * `watch-file.ts`).
 */
import { dirname } from 'node:path';
import { lookAt, type Disk } from './disk.ts';
import type { FileWatch } from './watch-file.ts';

/** chokidar drops changes for 50 ms after one that it reported. */
const AGAIN_MS = 80;

/** Calls `onChange` when the file changes, comes or goes. Never calls it if chokidar is not installed, or fails. */
export const watchTree = (disk: Disk, path: string, onChange: () => void): FileWatch =>
  watchIn(disk, dirname(path), path, onChange);

/** Calls `onChange` when any file of this directory changes. */
export const watchFolder = (disk: Disk, directory: string, onChange: () => void): FileWatch =>
  watchIn(disk, directory, undefined, onChange);

function watchIn(disk: Disk, directory: string, path: string | undefined, onChange: () => void): FileWatch {
  let stop = (): void => {};
  let ino: number | undefined;
  const check = (): boolean => {
    const now = lookAt(disk, directory)?.ino;
    if (now === ino) return false;
    stop();
    ino = now;
    stop = now === undefined ? () => {} : watchDirectory(directory, path, onChange);
    return true;
  };
  check();
  return { check, close: () => stop() };
}

function watchDirectory(directory: string, path: string | undefined, onChange: () => void): () => void {
  const ending = new AbortController();
  let again: NodeJS.Timeout | undefined;
  const tell = (): void => {
    onChange();
    clearTimeout(again);
    again = setTimeout(onChange, AGAIN_MS).unref();
  };
  void watched(directory, path, tell, ending.signal);
  return () => {
    ending.abort();
    clearTimeout(again);
  };
}

async function watched(
  directory: string,
  path: string | undefined,
  tell: () => void,
  signal: AbortSignal,
): Promise<void> {
  try {
    const { watch } = await import('chokidar');
    if (signal.aborted) return;
    const ignored = (one: string): boolean => path !== undefined && one !== directory && one !== path;
    const watcher = watch(directory, { depth: 0, ignoreInitial: true, persistent: false, ignored });
    watcher.on('all', tell);
    // Covers changes between the last look and the moment from which it watches.
    watcher.on('ready', tell);
    watcher.on('error', tell);
    signal.addEventListener('abort', () => void watcher.close(), { once: true });
  } catch {
    // Not installed, or the system has no more watches: the periodic look, once a second, remains.
  }
}
