/**
 * Empty lock files, which only foreign writers make. Such a writer is not identified, so its lock counts as dead after
 * it was seen unchanged for some time.
 */
import type { Clock } from '../../model/text/clock.ts';
import type { LockState } from './lock-state.ts';

/** A foreign writer's empty lock counts as dead after this many monotonic milliseconds without a change. */
export const FOREIGN_LOCK_MS = 10_000;

export type EmptyLock = Extract<LockState, { kind: 'empty' }>;

export class ForeignLocks {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #firstSeen = new Map<string, { ino: number; mtimeMs: number; at: number }>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Whether this object has seen the lock unchanged for so long that its writer counts as dead. */
  isOld(path: string, { ino, mtimeMs }: EmptyLock): boolean {
    const now = this.#clock.monotonic();
    const first = this.#firstSeen.get(path);
    if (first?.ino === ino && first.mtimeMs === mtimeMs) return now - first.at >= FOREIGN_LOCK_MS;
    this.#firstSeen.set(path, { ino, mtimeMs, at: now });
    return false;
  }

  /** The lock was broken. */
  forget(path: string): void {
    this.#firstSeen.delete(path);
  }
}

/** How a guard names the holder of an empty lock: its inode and mtime, sixteen digits each. */
export const foreignHolder = ({ ino, mtimeMs }: EmptyLock): string =>
  [ino, mtimeMs].map((number) => Math.trunc(number).toString(16).padStart(16, '0')).join('');
