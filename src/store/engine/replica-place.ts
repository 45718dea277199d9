/** The folder of a replica: its mark, its one relay, and the folders of its teams. */
import { randomBytes } from 'node:crypto';
import { makeDirectoryPath } from '../../os/own-directory.ts';
import type { Clock } from '../../model/text/clock.ts';
import { ConflictError, UsageError } from '../../model/text/errors.ts';
import { isName } from '../../model/text/names.ts';
import { DIRECTORY_MODE, list, lookAt, onDisk, realDisk, removeFile } from '../files/disk.ts';
import { replaceFile } from '../files/file.ts';
import { folderAt } from '../files/folder-of.ts';
import { rootPaths, teamPaths } from '../files/paths.ts';
import { Locks } from '../lock/lock.ts';
import { makeReplica, requireOwnProject } from '../team/create-store.ts';
import { markReplica, replicaOf, requireUndiverged } from '../replica/replica-root.ts';
import { holdsEverywhere, type Documents } from '../replica/team-documents.ts';
import { isTeam } from '../team/team-store.ts';
import type { EngineTeam } from './engine-rows.ts';
import { Replica } from './replica.ts';

/**
 * Makes this process the relay of a replica.
 *
 * @param store its address without a password
 * @param options.isDiverged it is to be mended
 * @returns gives it back
 * @throws UsageError `USAGE` for a root with teams of its own, or of another store; ConflictError `REFUSED` if another
 *   relay serves it; StoreError `ENGINE_DIVERGED`
 */
export function holdReplica(root: string, store: string, clock: Clock, { isDiverged = false } = {}): () => void {
  const known = replicaOf(realDisk, root);
  const { teams, tokens, relay, relayLock } = rootPaths(root);
  if (known !== undefined && known !== store)
    throw new UsageError('USAGE', `${root} is the replica of ${known}, not of ${store}: use another --root.`);
  if (known === undefined && list(realDisk, teams).some(isName))
    throw new UsageError('USAGE', `${root} has teams of its own; a replica needs a --root of its own.`);
  if (!isDiverged) requireUndiverged(realDisk, rootPaths(root));
  onDisk('create the directory', root, () => makeDirectoryPath(root, DIRECTORY_MODE));
  requireOwnProject(rootPaths(root).root);
  if (known === undefined) markReplica(realDisk, root, store);
  const locks = new Locks(tokens, { disk: realDisk, clock, folder: folderAt(realDisk, teams), isOurs: true });
  locks.sweep([teams]);
  const holder = locks.tryTake(relayLock);
  if (holder !== undefined) {
    locks.close();
    throw new ConflictError('REFUSED', `Another process is the relay of ${root} already.`);
  }
  // That of a relay that was killed.
  removeFile(realDisk, relay);
  return () => {
    locks.giveBack(relayLock);
    locks.close();
  };
}

/** From now on nothing is written from this replica. */
export function noteDivergence(root: string, why: string): void {
  replaceFile(realDisk, rootPaths(root).diverged, `${why}\n`, randomBytes(4).toString('hex'));
}

export const hasDiverged = (root: string): boolean => lookAt(realDisk, rootPaths(root).diverged) !== undefined;

/** What was read here and is not in the store was put away. */
export const forgetDivergence = (root: string): void => removeFile(realDisk, rootPaths(root).diverged);

/** @param documents what is new here begins with */
export function openReplica(root: string, { id, name }: EngineTeam, documents: Documents, clock: Clock): Replica {
  const paths = teamPaths(root, name);
  const everywhere = new Map([...documents].filter(([document]) => holdsEverywhere(document)));
  if (!isTeam(realDisk, paths)) makeReplica(root, { name, documents: everywhere }, { clock });
  return replicaAt(root, { id, name });
}

/** The log of a team that is here. */
export function replicaAt(root: string, { id, name }: EngineTeam): Replica {
  const paths = teamPaths(root, name);
  return new Replica(realDisk, id, { what: `team ${name}`, path: paths.log });
}
