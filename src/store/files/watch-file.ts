/**
 * Being woken by a file: `fs.watch` on one file for delivery, armed again when its inode changes. It may miss, so
 * whoever waits looks again every second. chokidar drops the last of two quick changes, so it serves only surfaces that
 * watch whole trees.
 */
import { watch, type FSWatcher } from 'node:fs';
import { lookAt, type Disk } from './disk.ts';

export interface FileWatch {
  /** Arms again if the file was replaced; called at each re-look. */
  check(): void;
  close(): void;
}

/** A way to be told of a file's changes. */
export type WatchFile = (disk: Disk, path: string, onChange: () => void) => FileWatch;

/**
 * Calls `onChange` when the file changes.
 *
 * @param onTrouble told once when the system will not watch (no inotify instances left, say); the re-look goes on
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
  const check = (): void => {
    const now = lookAt(disk, path)?.ino;
    if (now === ino) return;
    disarm();
    if (now === undefined || isTroubled) return;
    try {
      watcher = watch(path, { persistent: false }, onChange);
      watcher.on('error', trouble);
      ino = now;
    } catch (error) {
      trouble(error);
    }
  };
  check();
  return { check, close: disarm };
}
