/**
 * The directory of a lease, which proper-lockfile makes and renews: its mtime is the heartbeat. Who has the lease is told
 * by the record beside it (store/team/lease.ts).
 */
import { mkdirSync, realpathSync, rmdirSync, statSync, utimesSync, type Stats } from 'node:fs';
import process from 'node:process';
import type { lockSync as LockSync } from 'proper-lockfile';
import { codeOf } from '../../model/text/errors.ts';
import { DIRECTORY_MODE, list, lookAt, onDisk, removeFile, storeFailure, type Disk } from '../files/disk.ts';

/** Half the time after which it is stale, the default of proper-lockfile. */
const HEARTBEAT_MS = 5_000;
export const LEASE_STALE_MS = 10_000;

export interface LeaseDirectoryEnvironment {
  readonly disk: Disk;
  /** The lease was taken from us and could not be taken back. Never called after a release. */
  readonly onLost: (why?: Error) => void;
  /** Called when the lease's directory was disturbed: does the log still say that the lease is ours? */
  readonly isOurs: () => boolean;
}

export class LeaseDirectory {
  readonly #lockSync: typeof LockSync;
  readonly #path: string;
  readonly #environment: LeaseDirectoryEnvironment;
  /** Called at each heartbeat. */
  onBeat: (() => void) | undefined;
  #unlock: (() => void) | undefined;
  #isReleased = false;

  private constructor(lockSync: typeof LockSync, path: string, environment: LeaseDirectoryEnvironment) {
    this.#lockSync = lockSync;
    this.#path = path;
    this.#environment = environment;
  }

  /** Loads what {@link take} needs. */
  static async at(path: string, environment: LeaseDirectoryEnvironment): Promise<LeaseDirectory> {
    return new LeaseDirectory(await loadLockSync(), path, environment);
  }

  /** @returns false when another process holds it and its heartbeat is fresh */
  take(): boolean {
    const path = this.#path;
    // Each heartbeat begins with it, also one that fails.
    const stat = (folder: string): Stats => {
      queueMicrotask(() => this.onBeat?.());
      return statSync(folder);
    };
    const fs = { mkdirSync, realpathSync, rmdirSync, statSync: stat, utimesSync };
    const options = { lockfilePath: path, realpath: false, update: HEARTBEAT_MS, stale: LEASE_STALE_MS };
    try {
      const onCompromised = (): void => this.#onDisturbed();
      this.#unlock = this.#lockSync(path, { ...options, onCompromised, fs });
      // proper-lockfile creates the directory with the umask's mode; chmod does not change the heartbeat (mtime).
      this.#environment.disk.chmodSync(path, DIRECTORY_MODE);
      return true;
    } catch (error) {
      if (codeOf(error) === 'ELOCKED') return false;
      throw storeFailure('take the lease', path, error);
    }
  }

  /** Ends the hold without touching the directory: by now it belongs to another process, or is gone. */
  forget(): void {
    this.#isReleased = true;
  }

  release(): void {
    this.forget();
    try {
      this.#unlock?.();
    } catch {
      // Compromised or released already: the directory is not ours to remove.
    }
  }

  /**
   * Called from a timer, where a throw would end the process. It may also run when a heartbeat was under way at the
   * release.
   */
  #onDisturbed(): void {
    if (this.#isReleased) return;
    try {
      if (this.#environment.isOurs() && this.take()) return;
      this.#environment.onLost();
    } catch (error) {
      this.#environment.onLost(error instanceof Error ? error : new Error(String(error)));
    }
  }
}

/**
 * It patches `process.emit` and `fs.close`, so it is loaded only where a lease is held. It is a CommonJS package: bundled
 * into an ES module it has no export but `default`.
 */
async function loadLockSync(): Promise<typeof LockSync> {
  const {
    default: { lockSync },
  } = await import('proper-lockfile');
  // It ends the process at signals that nobody else hears. Node ignores this one, so that a write over `ulimit -f` fails.
  if (!process.listeners('SIGXFSZ').includes(ignored)) process.on('SIGXFSZ', ignored);
  return lockSync;
}

const ignored = (): void => {};

/** Removes the directory of a dead owner, which is empty. */
export function clearLeaseDirectory(disk: Disk, path: string): void {
  if (!lookAt(disk, path)?.isDirectory()) return;
  for (const file of list(disk, path)) removeFile(disk, `${path}/${file}`);
  onDisk('remove', path, () => disk.rmdirSync(path));
}
