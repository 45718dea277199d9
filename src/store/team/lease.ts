/**
 * A lease: the long-held right, with a heartbeat, to lead a team or to be a member's process. It only says whether to
 * try; the right to write comes from the log. It is acquired inside the lock. An owner known to be alive refuses it,
 * and an owner known to be dead is replaced. For an unknown owner (in a container, say) the heartbeat decides.
 */
import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { plainIdentity, processIdentitySchema, type ProcessIdentity } from '../../model/agent/process-identity.ts';
import { folderIdentitySchema, isSameFolder, plainFolder } from '../../model/team/folder-identity.ts';
import {
  jsonOf,
  optional,
  plainNumber,
  plainObject,
  readBy,
  type DocumentForm,
} from '../../model/text/plain-fields.ts';
import type { Name } from '../../model/text/names.ts';
import { lookAt, removeFile, type Disk } from '../files/disk.ts';
import { readText, replaceFile } from '../files/file.ts';
import { folderAt, isElsewhere } from '../files/folder-of.ts';
import { clearLeaseDirectory, LeaseDirectory, type LeaseDirectoryEnvironment } from '../lock/lease-directory.ts';
import type { Locks } from '../lock/lock.ts';
import type { TeamPaths } from '../files/paths.ts';
import {
  holderIn,
  holderText,
  processesElsewhere,
  type LeaseHolder,
  type ProcessElsewhere,
} from '../replica/elsewhere.ts';
import type { RelayClient } from '../replica/relay-client.ts';
import { livenessOf, ownIdentity, type Liveness } from '../../os/process-table.ts';

const ownerSchema = processIdentitySchema.extend({
  since: z.number(),
  /** The folder that it serves; absent in leases of earlier versions. */
  folder: folderIdentitySchema.optional(),
});
export type LeaseOwner = z.infer<typeof ownerSchema>;
export const ownerForm: DocumentForm<LeaseOwner> = {
  schema: () => ownerSchema,
  plain: plainObject<LeaseOwner>({
    ...plainIdentity,
    since: plainNumber,
    folder: optional(plainFolder),
  }),
};

export interface Lease {
  /** Milliseconds since the store of the team has confirmed it; 0 for a team on files. */
  readonly silentFor: () => number;
  /** Calls `listener` at each heartbeat, also at one that fails, so that what else is due about as often needs no timer of its own. */
  readonly onBeat: (listener: () => void) => void;
  /** Gives the lease back, if it is still ours. */
  release(): Promise<void>;
}

type LeaseAnswer =
  { held: true; lease: Lease } | { held: false; owner: LeaseOwner | undefined; elsewhere?: LeaseHolder | undefined };

export interface LeaseEnvironment extends LeaseDirectoryEnvironment {
  readonly locks: Locks;
  readonly now: () => number;
  readonly alive?: (who: ProcessIdentity) => Liveness;
  /** Of a member's process: a lead starts again what a lead has started. */
  readonly startedBy?: 'lead' | 'person' | undefined;
  /** Of a team in a store, where another machine may have the lease. */
  readonly shared?: { readonly relay: () => Promise<RelayClient>; readonly monotonic: () => number } | undefined;
}

/**
 * Tries to become the holder: on this machine, and then in the store of the team if it has one.
 *
 * @throws StoreError `ENGINE_UNREACHABLE`, `ENGINE_DIVERGED`, `TEAM_GONE` for a team in a store
 */
export async function takeLease(paths: TeamPaths, member: Name, environment: LeaseEnvironment): Promise<LeaseAnswer> {
  const answer = await takeHere(paths, member, environment);
  const folder = folderAt(environment.disk, paths.folder);
  const { shared, onLost } = environment;
  if (!answer.held || shared === undefined || folder === undefined) return answer;
  try {
    const owner = holderText(folder, environment.now(), environment.startedBy);
    const { takeSharedLease } = await import('../replica/shared-lease.ts');
    const asked = { team: paths.name, name: member, owner };
    const { monotonic } = shared;
    const taken = await takeSharedLease(await shared.relay(), asked, { onLost, monotonic });
    if (typeof taken !== 'string') {
      const release = (): Promise<void> => taken.release().finally(() => answer.lease.release());
      return { held: true, lease: { ...answer.lease, silentFor: () => taken.silentFor(), release } };
    }
    await answer.lease.release();
    return { held: false, owner: undefined, elsewhere: holderIn(taken) };
  } catch (error) {
    await answer.lease.release();
    throw error;
  }
}

async function takeHere(paths: TeamPaths, member: Name, environment: LeaseEnvironment): Promise<LeaseAnswer> {
  const directory = await LeaseDirectory.at(paths.lease(member), environment);
  return environment.locks.withLock(paths.leaseLock(member), (): LeaseAnswer => {
    const { disk, now } = environment;
    const { life, owner } = holderOf(paths, member, environment);
    if (life === 'alive') return { held: false, owner };
    if (life === 'dead') clearLeaseDirectory(disk, paths.lease(member));
    if (!directory.take()) return { held: false, owner };
    const me: LeaseOwner = { ...ownIdentity(), since: now(), folder: folderAt(disk, paths.folder) };
    try {
      replaceFile(disk, paths.leaseOwner(member), JSON.stringify(me), randomBytes(4).toString('hex'), {
        durable: false,
      });
    } catch (error) {
      directory.release();
      throw error;
    }
    const release = (): Promise<void> => giveBack(paths, member, me, directory, environment);
    const onBeat = (listener: () => void): void => void (directory.onBeat = listener);
    return { held: true, lease: { silentFor: () => 0, onBeat, release } };
  });
}

/** Who has a lease: a process of this machine, or one of another machine that has it in the store. */
type SeenOwner = (LeaseOwner & { readonly where: 'here' }) | ProcessElsewhere;

/**
 * The holder of a lease; undefined when there is none. The holder of another folder's lease, which a copy of that folder
 * contains, is none.
 */
export function leaseOwner(disk: Disk, paths: TeamPaths, member: Name): SeenOwner | undefined {
  const owner = ownerHere(disk, paths, member);
  if (owner && livenessOf(owner) !== 'dead') return { where: 'here', ...owner };
  return processesElsewhere(disk, paths).get(member) ?? (owner && { where: 'here', ...owner });
}

function ownerHere(disk: Disk, paths: TeamPaths, member: Name): LeaseOwner | undefined {
  const owner = recordedOwner(disk, paths, member);
  return owner && isElsewhere(owner, folderAt(disk, paths.folder)) ? undefined : owner;
}

/** For messages: `pid 7`, or `pid 7 on MACHINE`. */
export const placeOf = (owner: SeenOwner): string =>
  owner.where === 'here' ? `pid ${owner.pid}` : `pid ${owner.pidThere} on ${owner.machine}`;

/** Whether the holder of a lease may live: one of another machine does until its lease in the store lapses. */
export const mayLive = (owner: SeenOwner | undefined): boolean =>
  owner !== undefined && (owner.where === 'elsewhere' || livenessOf(owner) !== 'dead');

/** What the lease's record says, also about another folder. */
export function recordedOwner(disk: Disk, paths: TeamPaths, member: Name): LeaseOwner | undefined {
  const text = readText(disk, paths.leaseOwner(member), 4096);
  if (text === undefined) return undefined;
  return readBy(ownerForm, jsonOf(text));
}

/** Wall time of the last heartbeat in milliseconds, only to notice a change; undefined when the lease is free. */
export const lastBeat = (disk: Disk, paths: TeamPaths, member: Name): number | undefined =>
  lookAt(disk, paths.lease(member))?.mtimeMs;

/** No record means: free, or the holder died before writing it. An unreadable record means an unknown holder. */
function holderOf(
  paths: TeamPaths,
  member: Name,
  { disk, alive = livenessOf }: Pick<LeaseEnvironment, 'disk' | 'alive'>,
): { life: Liveness; owner: LeaseOwner | undefined } {
  const owner = recordedOwner(disk, paths, member);
  if (owner && isElsewhere(owner, folderAt(disk, paths.folder))) return { life: 'dead', owner: undefined };
  if (owner) return { life: alive(owner), owner };
  const life: Liveness = lookAt(disk, paths.leaseOwner(member)) ? 'unknown' : 'dead';
  return { life, owner };
}

async function giveBack(
  paths: TeamPaths,
  member: Name,
  me: LeaseOwner,
  held: LeaseDirectory,
  environment: LeaseEnvironment,
) {
  const { disk, locks } = environment;
  const folder = folderAt(disk, paths.folder);
  // A folder that was moved may come back, and this process may live on: through its descriptor the lease is reached there.
  const isMoved = folder === undefined || (me.folder !== undefined && !isSameFolder(folder, me.folder));
  const giveUp = (): void => {
    const owner = recordedOwner(disk, paths, member);
    const isOurs = owner?.pid === me.pid && owner.startTime === me.startTime && owner.since === me.since;
    if (!isOurs || isMoved) held.forget();
    else held.release();
    if (!isOurs) return;
    clearLeaseDirectory(disk, paths.lease(member));
    removeFile(disk, paths.leaseOwner(member));
  };
  if (isMoved) giveUp();
  else await locks.withLock(paths.leaseLock(member), giveUp);
}

/**
 * Removes the leases of dead processes: for a member that is not started again, no successor would take the lease over.
 */
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
      clearLeaseDirectory(disk, paths.lease(member));
      removeFile(disk, paths.leaseOwner(member));
    });
}
