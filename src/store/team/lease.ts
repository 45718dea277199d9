/**
 * A lease: the long-held, heart-beaten right to lead a team or to be a member's process. It only says whether to try;
 * the right to write comes from the log. Acquired inside the lock: an owner known alive refuses, one known dead is
 * replaced, and of an unknown one (a container's, say) proper-lockfile's staleness decides. Its directory's mtime is the
 * heartbeat.
 */
import { randomBytes } from 'node:crypto';
import type { lockSync as LockSync } from 'proper-lockfile';
import * as z from 'zod';
import { codeOf } from '../../model/text/errors.ts';
import type { Name } from '../../model/text/names.ts';
import { DIRECTORY_MODE, list, lookAt, onDisk, removeFile, storeFailure, type Disk } from '../files/disk.ts';
import { readText, replaceFile } from '../files/file.ts';
import type { Locks } from '../lock/lock.ts';
import type { TeamPaths } from '../files/paths.ts';
import { livenessOf, ownIdentity, type Liveness } from '../../os/process-table.ts';
import type { ProcessIdentity } from '../../os/process-identity.ts';

const HEARTBEAT_MS = 1_000;
export const LEASE_STALE_MS = 10_000;

const ownerSchema = z.object({
  pid: z.number().int().positive(),
  startTime: z.string(),
  bootId: z.string(),
  pidNamespace: z.string(),
  since: z.number(),
});
export type LeaseOwner = z.infer<typeof ownerSchema>;

export interface Lease {
  /** Gives it back, if it is still ours. */
  release(): Promise<void>;
}

export type LeaseAnswer = { held: true; lease: Lease } | { held: false; owner: LeaseOwner | undefined };

export interface LeaseEnvironment {
  readonly disk: Disk;
  readonly locks: Locks;
  readonly now: () => number;
  /** The lease was taken from us, and could not be had again. Never called after a release. */
  readonly onLost: (why?: Error) => void;
  /** Asked when the lease's directory was disturbed: does the log still say that it is ours? */
  readonly isOurs: () => boolean;
  readonly alive?: (who: ProcessIdentity) => Liveness;
}

/** Tries to become the holder. */
export async function takeLease(paths: TeamPaths, member: Name, environment: LeaseEnvironment): Promise<LeaseAnswer> {
  // It patches `process.emit` and `fs.close`, so it is loaded only where a lease is held.
  // A CommonJS package: bundled into an ES module it has no names but `default`.
  const {
    default: { lockSync },
  } = await import('proper-lockfile');
  return environment.locks.withLock(paths.leaseLock(member), (): LeaseAnswer => {
    const { disk, now } = environment;
    const { life, owner } = holderOf(paths, member, environment);
    if (life === 'alive') return { held: false, owner };
    if (life === 'dead') clear(disk, paths.lease(member));
    const hold = new Hold(lockSync, paths.lease(member), environment);
    if (!hold.take()) return { held: false, owner };
    const me: LeaseOwner = { ...ownIdentity(), since: now() };
    try {
      replaceFile(disk, paths.leaseOwner(member), JSON.stringify(me), randomBytes(4).toString('hex'), {
        durable: false,
      });
    } catch (error) {
      hold.release();
      throw error;
    }
    return { held: true, lease: { release: () => giveBack(paths, member, me, hold, environment) } };
  });
}

/** Who holds a lease, by its record; undefined when nobody does. */
export function leaseOwner(disk: Disk, paths: TeamPaths, member: Name): LeaseOwner | undefined {
  const text = readText(disk, paths.leaseOwner(member), 4096);
  const owner = ownerSchema.safeParse(text === undefined ? undefined : safeJson(text));
  return owner.success ? owner.data : undefined;
}

/** Wall time of the last heartbeat in milliseconds, for telling a change; undefined when nobody holds the lease. */
export const lastBeat = (disk: Disk, paths: TeamPaths, member: Name): number | undefined =>
  lookAt(disk, paths.lease(member))?.mtimeMs;

/** No record: nobody, or one who died before writing it. A record that cannot be read is of somebody unknown. */
function holderOf(
  paths: TeamPaths,
  member: Name,
  { disk, alive = livenessOf }: Pick<LeaseEnvironment, 'disk' | 'alive'>,
): { life: Liveness; owner: LeaseOwner | undefined } {
  const owner = leaseOwner(disk, paths, member);
  if (owner) return { life: alive(owner), owner };
  const life: Liveness = lookAt(disk, paths.leaseOwner(member)) ? 'unknown' : 'dead';
  return { life, owner };
}

/** proper-lockfile's part: the directory and its heartbeat. */
class Hold {
  readonly #lockSync: typeof LockSync;
  readonly #path: string;
  readonly #environment: LeaseEnvironment;
  #unlock: (() => void) | undefined;
  #isReleased = false;

  constructor(lockSync: typeof LockSync, path: string, environment: LeaseEnvironment) {
    this.#lockSync = lockSync;
    this.#path = path;
    this.#environment = environment;
  }

  /** @returns false when somebody else has it, whose heart beats */
  take(): boolean {
    const path = this.#path;
    const options = { lockfilePath: path, realpath: false, update: HEARTBEAT_MS, stale: LEASE_STALE_MS };
    try {
      this.#unlock = this.#lockSync(path, { ...options, onCompromised: () => this.#onDisturbed() });
      // It makes the directory as the umask says; this moves no heartbeat.
      this.#environment.disk.chmodSync(path, DIRECTORY_MODE);
      return true;
    } catch (error) {
      if (codeOf(error) === 'ELOCKED') return false;
      throw storeFailure('take the lease', path, error);
    }
  }

  /** Lets go without touching what stands there: it is another's by now, or gone. */
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

  /** Called from a timer, where a throw would end the process; also when a heartbeat was under way at the release. */
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

async function giveBack(paths: TeamPaths, member: Name, me: LeaseOwner, hold: Hold, environment: LeaseEnvironment) {
  const { disk, locks } = environment;
  if (!lookAt(disk, paths.folder)) {
    hold.forget();
    return;
  }
  await locks.withLock(paths.leaseLock(member), () => {
    const owner = leaseOwner(disk, paths, member);
    const isOurs = owner?.pid === me.pid && owner.startTime === me.startTime && owner.since === me.since;
    if (!isOurs) {
      hold.forget();
      return;
    }
    hold.release();
    removeFile(disk, paths.leaseOwner(member));
  });
}

/** Clears away what the dead left of their leases: of a member that is not started again nobody would take it over. */
export async function endDeadLeases(
  paths: TeamPaths,
  members: readonly Name[],
  environment: Pick<LeaseEnvironment, 'disk' | 'locks' | 'alive'>,
): Promise<void> {
  const { disk, locks } = environment;
  const left = members.filter((member) => lookAt(disk, paths.lease(member)) ?? lookAt(disk, paths.leaseOwner(member)));
  for (const member of left)
    await locks.withLock(paths.leaseLock(member), () => {
      if (holderOf(paths, member, environment).life !== 'dead') return;
      clear(disk, paths.lease(member));
      removeFile(disk, paths.leaseOwner(member));
    });
}

/** Removes a dead owner's directory, which is empty. */
function clear(disk: Disk, path: string): void {
  if (!lookAt(disk, path)?.isDirectory()) return;
  for (const file of list(disk, path)) removeFile(disk, `${path}/${file}`);
  onDisk('remove', path, () => disk.rmdirSync(path));
}

const safeJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    // A torn record names no owner.
    return undefined;
  }
};
