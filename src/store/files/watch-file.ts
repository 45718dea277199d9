/**
 * Wakes a process when a file changes: `fs.watch` on one file, for delivery, armed again when its inode changes. It can
 * miss changes, so every waiter also looks again every second. chokidar drops the last of two quick changes, so only
 * surfaces that watch whole trees use it.
 */
import { watch, type FSWatcher } from 'node:fs';
import { lookAt, type Disk } from './disk.ts';

export interface FileWatch {
  /**
   * Arms the watch again if the file was replaced; called at each periodic look.
   *
   * @returns whether it was replaced
   */
  check(): boolean;
  close(): void;
}

/** A way to watch a file for changes. */
export type WatchFile = (disk: Disk, path: string, onChange: () => void) => FileWatch;

/**
 * Calls `onChange` when the file changes.
 *
 * @param onTrouble called once when the system refuses to watch (no inotify instances left, say); the periodic look
 * goes on
 */
export function watchFile(
  disk: Disk,
  path: string,
  onChange: () => void,
  onTrouble: (why: string) => void = () => {},
): FileWatch {
  let watcher: FSWatcher | undefined;
  let ino: number | undefined;
  let isTroubled = false;
  const trouble = (error: unknown): void => {
    if (!isTroubled) onTrouble(error instanceof Error ? error.message : String(error));
    isTroubled = true;
  };
  const disarm = (): void => {
    watcher?.close();
    watcher = undefined;
    ino = undefined;
  };
  const check = (): boolean => {
    const now = lookAt(disk, path)?.ino;
    if (now === ino) return false;
    disarm();
    if (now === undefined || isTroubled) return true;
    try {
      watcher = watch(path, { persistent: false }, onChange);
      watcher.on('error', trouble);
      ino = now;
    } catch (error) {
      trouble(error);
    }
    return true;
  };
  check();
  return { check, close: disarm };
}
