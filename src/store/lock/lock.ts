/**
 * The one lock: exclusion for microseconds, by `link`. Each process has one token file per directory that identifies
 * it. To lock is to link the token to the lock's name, so the name and its content appear together.
 *
 *   free ─link(token, L)→ held ─unlink(L) by its owner→ free
 *   held by a dead owner X ─link(token, L~X), re-read, link(token, fresh), rename(fresh, L), unlink(L~X)→ held by us
 *
 * Only ENOENT/ESRCH, another start time or another boot mean dead. If the owner is alive, stopped or unknown, the lock
 * waits and never takes over. Never rely on this lock for safety: a foreign writer may unlink a lock that it never got.
 */
import { isMainThread } from 'node:worker_threads';
import type { Clock } from '../../model/text/clock.ts';
import { lookAt, onDisk, removeFile, type Disk } from '../files/disk.ts';
import type { FolderIdentity } from '../../model/team/folder-identity.ts';
import type { TeamLock } from '../files/paths.ts';
import { guardOf } from './guard-name.ts';
import { foreignHolder, ForeignLocks, type EmptyLock } from './foreign-locks.ts';
import { lockTimeout, lockStateOf, type LockState, type TakenLock } from './lock-state.ts';
import { makeRoomFor } from './lock-directory.ts';
import { sweepLocks } from './lock-sweep.ts';
import type { PinnedDirectory } from '../files/pinned.ts';
import { livenessOf, ownIdentity, type Liveness } from '../../os/process-table.ts';
import { isFirstThread } from '../../os/process-table-linux.ts';
import { tempPath } from '../files/temp-files.ts';
import { OwnToken, type Token } from './token.ts';
import { isElsewhere } from '../files/folder-of.ts';
import type { ProcessIdentity } from '../../model/agent/process-identity.ts';

type Attempt<T> = { done: true; value: T } | { done: false; sight: TakenLock };
/** `sight`: what holds the lock at `at`, if this attempt looked. */
type Try<T> = { done: true; value: T } | { done: false; at: string; sight?: TakenLock };

const flat = <T>(outer: Try<Try<T>>): Try<T> => (outer.done ? outer.value : outer);

interface LockOptions {
  /** How long to wait before `LOCK_TIMEOUT`, in milliseconds. */
  readonly timeoutMs?: number;
}

export interface LockEnvironment {
  readonly disk: Disk;
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>;
  readonly identity?: ProcessIdentity;
  readonly alive?: (who: ProcessIdentity) => Liveness;
  readonly random?: () => number;
  /** The team's folder; checked before a token is made in it. */
  readonly pinned?: PinnedDirectory;
  /** That of locks outside of a team's folder: a lock of a process that locks in another folder is none here. */
  readonly folder?: FolderIdentity | undefined;
  /** Called when an empty foreign lock was broken. */
  readonly onBroken?: (path: string) => void;
  /**
   * Only our programs use these locks. They link a complete token, so an empty lock is the rest of a power loss, and is
   * broken at once.
   */
  readonly isOurs?: boolean;
}

export const LOCK_TIMEOUT_MS = 15_000;
/** Only every eighth attempt looks at the holder, and never the first ones: a look costs fifty times the attempt. */
const LOOK_EVERY = 8;

/** Between two attempts of a process that waits as a whole. */
const BLOCKED_MS = 2;

const NEVER_NOTIFIED = new Int32Array(new SharedArrayBuffer(4));

/** A process, and the folder in which it locks. */
type Holder = ProcessIdentity & Partial<Pick<Token, 'folder'>>;

/** The locks of one directory, taken in the name of this process. */
export class Locks {
  readonly #environment: Required<Omit<LockEnvironment, 'pinned' | 'folder'>> & {
    readonly alive: (who: Holder) => Liveness;
  };
  readonly #tokens: string;
  readonly #pinned: PinnedDirectory | undefined;
  readonly #token: OwnToken;
  readonly #foreign: ForeignLocks;
  /** What this object holds now: path → the inode that it linked there. */
  readonly #held = new Map<string, number>();

  /** @param tokens the directory of token files, on the same file system as the locks */
  constructor(tokens: string, environment: LockEnvironment) {
    // `isMainThread` loads a module of Node, 0.3 MB of memory: the first thread is the main one.
    if (!isFirstThread() && !isMainThread)
      throw new Error('Locks are taken by a main thread; a worker thread asks it.');
    const { disk, clock, pinned, folder = pinned?.identity } = environment;
    const { identity = ownIdentity(), alive = livenessOf, random = Math.random } = environment;
    const { onBroken = () => {}, isOurs = false } = environment;
    // The lock of a process that locks in another folder came here with a copy of that folder.
    const living = (who: Holder): Liveness => (isElsewhere(who, folder) ? 'dead' : alive(who));
    this.#environment = { disk, clock, identity, alive: living, random, onBroken, isOurs };
    this.#tokens = tokens;
    this.#pinned = pinned;
    this.#token = new OwnToken(disk, tokens, identity, { pinned, folder });
    this.#foreign = new ForeignLocks(clock);
  }

  /**
   * Runs `work` while holding a lock. `work` is synchronous: a lock is held for microseconds.
   *
   * @param lock a path, or a lock of the team. A program of the version before this one has that lock elsewhere: the
   *   lock there is held, too, unless a member's lease has its name
   * @throws ConflictError `LOCK_TIMEOUT` naming the holder, when the wait is over; then `work` has not run
   */
  async withLock<T>(lock: string | TeamLock, work: () => T, options: LockOptions = {}): Promise<T> {
    const { clock } = this.#environment;
    const { path, earlier } = typeof lock === 'string' ? { path: lock } : lock;
    if (earlier !== undefined) makeRoomFor(this.#environment.disk, path, this.#pinned);
    const deadline = clock.monotonic() + (options.timeoutMs ?? LOCK_TIMEOUT_MS);
    for (let tries = 0; ; tries += 1) {
      const last = clock.monotonic() >= deadline;
      const looks = last || tries % LOOK_EVERY === LOOK_EVERY - 1;
      const once = <R>(at: string, inside: () => R): Try<R> =>
        looks ? this.#tryAt(at, inside) : this.#tryFree(at, inside, tries);
      const attempt =
        earlier === undefined || this.#isDirectory(earlier)
          ? once(path, work)
          : flat(once(earlier, () => once(path, work)));
      if (attempt.done) return attempt.value;
      if (last && attempt.sight) throw lockTimeout(attempt.at, attempt.sight);
      await this.#pause(tries);
    }
  }

  /**
   * Like {@link withLock}, for a caller that cannot wait asynchronously: the whole process waits. Only for locks that are
   * rarely wanted by two processes, and with a short time-out.
   */
  withLockBlocking<T>(path: string, work: () => T, { timeoutMs }: Required<LockOptions>): T {
    for (let waited = 0; ; waited += BLOCKED_MS) {
      const attempt = this.tryLock(path, work);
      if (attempt.done) return attempt.value;
      if (waited >= timeoutMs) throw lockTimeout(path, attempt.sight);
      Atomics.wait(NEVER_NOTIFIED, 0, 0, BLOCKED_MS);
    }
  }

  /** One attempt, without waiting; takes over from a dead holder. */
  tryLock<T>(path: string, work: () => T): Attempt<T> {
    const taken = this.#acquire(path);
    return taken === undefined ? this.#inside(path, work) : { done: false, sight: taken };
  }

  /**
   * Takes a lock for work that waits in between, without waiting for it; takes over from a dead holder. Give it back with
   * {@link giveBack}. The work must be safe without the lock, too.
   *
   * @returns what holds it; undefined if it is ours now
   */
  tryTake(path: string): TakenLock | undefined {
    return this.#acquire(path);
  }

  giveBack(path: string): void {
    this.#release(path);
  }

  /** Removes what dead processes left: their locks, tokens, temporary files, and guards that no lock can need again. */
  sweep(directories: readonly string[]): void {
    const { disk, alive } = this.#environment;
    sweepLocks(disk, this.#tokens, directories, alive, (lock) => void this.tryLock(lock, () => undefined));
  }

  /** Removes the token; this object must not lock any more. */
  close(): void {
    this.#token.remove();
  }

  /**
   * An attempt that does not look at the holder: most locks are held by living processes, for microseconds. A waiter
   * first looks whether the name is free before it links: a refused `link` costs ten times the look.
   */
  #tryFree<T>(path: string, work: () => T, tries: number): Try<T> {
    if (tries > 0 && lookAt(this.#environment.disk, path) !== undefined) return { done: false, at: path };
    return this.#link(path, path) ? this.#inside(path, work) : { done: false, at: path };
  }

  #tryAt<T>(path: string, work: () => T): Try<T> {
    const attempt = this.tryLock(path, work);
    return attempt.done ? attempt : { ...attempt, at: path };
  }

  #isDirectory(path: string): boolean {
    return lookAt(this.#environment.disk, path)?.isDirectory() === true;
  }

  #inside<T>(path: string, work: () => T): { done: true; value: T } {
    try {
      return { done: true, value: work() };
    } finally {
      this.#release(path);
    }
  }

  /** @returns undefined when the lock is ours now, else what holds its name */
  #acquire(path: string): TakenLock | undefined {
    if (this.#link(path, path)) return undefined;
    const { disk, alive, isOurs } = this.#environment;
    const snapshot = lockStateOf(disk, path);
    if (snapshot.kind === 'free') return this.#tryAgain(path);
    if (snapshot.kind === 'held' && snapshot.by.nonce === this.#token.nonce) return this.#reclaim(path, snapshot);
    if (snapshot.kind === 'held' && alive(snapshot.by) === 'dead')
      return this.#takeOver(
        path,
        snapshot.by.nonce,
        (now) => now.kind === 'held' && now.by.nonce === snapshot.by.nonce,
      );
    if (snapshot.kind === 'empty' && (isOurs || this.#foreign.isOld(path, snapshot)))
      return this.#breakForeign(path, snapshot);
    return snapshot;
  }

  #tryAgain(path: string): TakenLock | undefined {
    return this.#link(path, path) ? undefined : this.#stillTaken(path);
  }

  #stillTaken(path: string): TakenLock {
    const snapshot = lockStateOf(this.#environment.disk, path);
    return snapshot.kind === 'free' ? { kind: 'garbage', what: 'several processes in turn' } : snapshot;
  }

  /**
   * Our token is at the lock, but we do not hold it: an earlier release could not unlink it. The lock is still ours.
   */
  #reclaim(path: string, sight: TakenLock): TakenLock | undefined {
    const ino = this.#held.has(path) ? undefined : lookAt(this.#environment.disk, path)?.ino;
    if (ino === undefined) return sight;
    this.#held.set(path, ino);
    return undefined;
  }

  /**
   * Takes a lock from a holder that is known to be dead. The guard `L~X` makes exactly one waiter the winner. The guard
   * of a dead breaker is a lock like any other, and is taken over the same way.
   */
  #takeOver(path: string, holder: string, isUnchanged: (now: LockState) => boolean): TakenLock | undefined {
    const guard = guardOf(path, holder);
    if (this.#acquire(guard) !== undefined) return this.#stillTaken(path);
    try {
      if (!isUnchanged(lockStateOf(this.#environment.disk, path))) return this.#tryAgain(path);
      this.#replace(path);
      return undefined;
    } finally {
      this.#release(guard);
    }
  }

  /** Replaces what is at the lock's name by our token, in one rename. */
  #replace(path: string): void {
    const { disk, identity } = this.#environment;
    const fresh = tempPath(path, this.#token.nonce, identity);
    removeFile(disk, fresh);
    this.#link(fresh, path);
    try {
      onDisk('take over', path, () => disk.renameSync(fresh, path));
    } catch (error) {
      this.#held.delete(path);
      removeFile(disk, fresh);
      throw error;
    }
  }

  #breakForeign(path: string, empty: EmptyLock): TakenLock | undefined {
    const { ino, mtimeMs } = empty;
    const isUnchanged = (now: LockState): boolean => now.kind === 'empty' && now.ino === ino && now.mtimeMs === mtimeMs;
    const taken = this.#takeOver(path, foreignHolder(empty), isUnchanged);
    // Another breaker may be at work and may die: what was seen so far must still count then.
    if (taken !== undefined) return taken;
    this.#environment.onBroken(path);
    this.#foreign.forget(path);
    return undefined;
  }

  /** @param holds the path of the lock that this link makes ours */
  #link(path: string, holds: string): boolean {
    const ino = this.#token.link(path);
    if (ino !== undefined) this.#held.set(holds, ino);
    return ino !== undefined;
  }

  /**
   * Unlinks the lock if it is still what we linked: a foreign writer may have unlinked it meanwhile. It tries twice,
   * because a lock that its living owner forgot stops every process. If it remains, {@link #reclaim} gets it back.
   */
  #release(path: string): void {
    const ino = this.#held.get(path);
    this.#held.delete(path);
    if (ino === undefined) return;
    try {
      this.#unlink(path, ino);
    } catch {
      // A second failure is thrown.
      this.#unlink(path, ino);
    }
  }

  #unlink(path: string, ino: number): void {
    const { disk } = this.#environment;
    if (lookAt(disk, path)?.ino === ino) removeFile(disk, path);
  }

  /** Short waits block, longer ones let the event loop run: 0.05 ms growing to 2 ms, with jitter. */
  async #pause(tries: number): Promise<void> {
    const { clock, random } = this.#environment;
    const ms = Math.min(2, 0.05 * 1.5 ** Math.min(tries, 12)) * (0.5 + random());
    if (ms < 0.5) Atomics.wait(NEVER_NOTIFIED, 0, 0, ms);
    else await clock.sleep(ms);
  }
}
