/**
 * Being woken by a file through chokidar, for verbs that follow what others write: the file may come, go, and come again
 * with its whole directory. chokidar drops the last of two quick changes, so each is told once more a little later, and
 * whoever waits also looks again by the clock; delivery never rests on it (that is `watch.ts`).
 */
import { dirname } from 'node:path';
import { lookAt, type Disk } from './disk.ts';
import type { FileWatch } from './watch-file.ts';

/** chokidar drops changes for 50 ms after one that it told. */
const AGAIN_MS = 80;

/** Calls `onChange` when the file changes, comes or goes. Where chokidar cannot be had, or fails, never. */
export function watchTree(disk: Disk, path: string, onChange: () => void): FileWatch {
  const directory = dirname(path);
  let stop = (): void => {};
  let ino: number | undefined;
  const check = (): void => {
    const now = lookAt(disk, directory)?.ino;
    if (now === ino) return;
    stop();
    ino = now;
    stop = now === undefined ? () => {} : watchDirectory(directory, path, onChange);
  };
  check();
  return { check, close: () => stop() };
}

function watchDirectory(directory: string, path: string, onChange: () => void): () => void {
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

async function watched(directory: string, path: string, tell: () => void, signal: AbortSignal): Promise<void> {
  try {
    const { watch } = await import('chokidar');
    if (signal.aborted) return;
    const ignored = (one: string): boolean => one !== directory && one !== path;
    const watcher = watch(directory, { depth: 0, ignoreInitial: true, persistent: false, ignored });
    watcher.on('all', tell);
    // What changed between the last look and the moment from which it watches.
    watcher.on('ready', tell);
    watcher.on('error', tell);
    signal.addEventListener('abort', () => void watcher.close(), { once: true });
  } catch {
    // Not installed, or the system has no more watches: the clock is left, which looks each second.
  }
}
