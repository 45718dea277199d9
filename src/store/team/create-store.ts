/**
 * Creates a team, inside the lock of its name: an exclusive `mkdir` reserves the name, everything is built beside it,
 * and one rename onto the empty reservation is the commit point. A crash before that leaves nothing that counts as a
 * team.
 */
import { randomBytes } from 'node:crypto';
import { statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { newId } from '../files/new-ids.ts';
import { codeOf, ConflictError, StoreError } from '../../model/text/errors.ts';
import type { Author, Body, ClaimMode, Profile } from '../../model/board/event.ts';
import { LEAD, type Name } from '../../model/text/names.ts';
import type { MemberConfig, TeamConfig } from '../../model/team/team-config.ts';
import { createBell } from '../mail/bell.ts';
import {
  DIRECTORY_MODE,
  isTaken,
  list,
  lookAt,
  onDisk,
  realDisk,
  removeFile,
  storeFailure,
  type Disk,
} from '../files/disk.ts';
import { createOnce, makeDirectory, syncDirectory } from '../files/file.ts';
import { userName } from '../files/owner.ts';
import { rootPaths, teamPaths, teamPathsAt, type RootPaths, type TeamPaths } from '../files/paths.ts';
import { pinDirectory, type PinnedDirectory } from '../files/pinned.ts';
import { removeEmpty, removeTree } from '../files/remove-tree.ts';
import { livenessOf } from '../../os/process-table.ts';
import { withName } from './name-lock.ts';
import { notInAStore, replicaOf } from '../replica/replica-root.ts';
import { isMoving } from '../replica/unfinished-moves.ts';
import { documentPath, type Documents } from '../replica/team-documents.ts';
import { archiveStamp, finishArchive, setAsideOrphan } from './team-list.ts';
import { TeamStore, type StoreOptions } from './team-store.ts';
import { keptPlace } from './work-place.ts';
import { sweepTemps, tempPath } from '../files/temp-files.ts';

export interface NewTeam {
  readonly name: Name;
  readonly profile: Profile;
  readonly claimMode: ClaimMode;
  readonly config: {
    readonly members: MemberConfig[];
    readonly cwd?: string | undefined;
    readonly plan_dir?: string | undefined;
    readonly env_pass?: string[] | undefined;
    readonly isolation?: 'trees' | undefined;
    readonly trees?: TeamConfig['trees'];
    readonly lend?: TeamConfig['lend'];
    readonly approvals?: TeamConfig['approvals'];
    readonly session_id?: string | undefined;
    readonly division?: NonNullable<TeamConfig['division']> | undefined;
    readonly requirement?: string;
    readonly pipeline?: Name;
    readonly subagents?: { kind: string }[];
  };
  /** The first changes of the board: members, the tasks of a plan. */
  readonly changes: readonly Exclude<Body, { type: 'batch' }>[];
}

/**
 * @throws ConflictError `TEAM_EXISTS`, `LOCK_TIMEOUT` if a process that creates or archives a team of this name does not
 *   go on; StoreError `NO_LINK`, `READ_ONLY`, `NO_SPACE`: then nothing is left behind
 */
export function createStore(root: string, team: NewTeam, options: StoreOptions): TeamStore {
  const { disk = realDisk, clock, lockTimeoutMs } = options;
  const at = rootPaths(root);
  requireOwnProject(at.root);
  for (const directory of [at.teams, at.tasks]) makeDirectory(disk, directory, { durable: true });
  // Remove what a crash left of an unfinished team or probe.
  for (const directory of [at.teams, at.tasks]) sweepTemps(disk, directory, livenessOf);
  probeFileSystem(disk, at.teams);
  if (replicaOf(disk, at.root) !== undefined) throw notInAStore('pipelines and refine loops make');
  const id = newId(clock.now());
  return withName(at.root, team.name, { disk, clock, lockTimeoutMs }, () => {
    const fill = (draft: TeamPaths): void => build(disk, draft, team, id, options);
    return new TeamStore(createInName(disk, at, { name: team.name, id, clock }, fill), options);
  });
}

/**
 * Makes the folder of a team whose log the relay writes; a team that a crash left unfinished is made anew.
 *
 * @throws those of {@link createStore}
 */
export function makeReplica(
  root: string,
  { name, documents }: { readonly name: Name; readonly documents: Documents },
  { disk = realDisk, clock, lockTimeoutMs }: StoreOptions,
): void {
  const at = rootPaths(root);
  for (const directory of [at.teams, at.tasks]) sweepTemps(disk, directory, livenessOf);
  probeFileSystem(disk, at.teams);
  withName(at.root, name, { disk, clock, lockTimeoutMs }, () =>
    createInName(disk, at, { name, clock, id: newId(clock.now()) }, (draft) => fillFolder(disk, draft, '', documents)),
  );
}

/** Makes the files of a team that comes from elsewhere, without mail. */
export function fillFolder(disk: Disk, draft: TeamPaths, log: string, documents: Documents): void {
  makeDirectories(disk, draft, []);
  createBell(disk, draft.inbox(LEAD).bell);
  const files = [...documents].map(([name, text]) => [documentPath(draft, name), text] as const);
  for (const [path, text] of [[draft.log, log] as const, ...files])
    if (path !== undefined) createOnce(disk, path, text, randomBytes(4).toString('hex'));
}

interface Creation {
  readonly name: Name;
  readonly id: string;
  readonly clock: StoreOptions['clock'];
}

function createInName(
  disk: Disk,
  at: RootPaths,
  { name, id, clock }: Creation,
  fill: (draft: TeamPaths) => void,
): TeamPaths {
  const paths = teamPaths(at.root, name);
  if (isMoving(disk, at.root, name)) throw beingMoved(name);
  // A delete that a crash interrupted is finished first: then its name is free.
  finishArchive(disk, paths, archiveStamp(clock.now()));
  const reserved = reserve(disk, paths);
  const [folder, board] = [tempPath(join(at.teams, '.new'), id), tempPath(join(at.tasks, '.new'), id)];
  const draft = teamPathsAt(at.root, name, folder, board);
  try {
    fill(draft);
    requireReserved(reserved, paths);
    setAsideOrphan(disk, at, paths, clock.now());
    requireReserved(reserved, paths);
    onDisk('create', paths.board, () => disk.renameSync(draft.board, paths.board));
    // After a power loss a folder without its board would block the name for ever, so the board must be durable first.
    syncDirectory(disk, at.tasks);
    requireReserved(reserved, paths);
    onDisk('create', paths.folder, () => disk.renameSync(draft.folder, paths.folder));
    syncDirectory(disk, at.teams);
  } catch (error) {
    removeTree(disk, draft.folder);
    removeTree(disk, draft.board);
    if (reserved.isThere()) removeEmpty(disk, paths.folder);
    throw error;
  } finally {
    reserved.close();
  }
  return paths;
}

/**
 * With `sudo` in one's own project, the team would be root's, and the person could not use it. In `.teams` of another
 * user, root's files would be in that user's way for good.
 *
 * @throws StoreError `UNTRUSTED`
 */
export function requireOwnProject(root: string): void {
  const { teams } = rootPaths(root);
  const owner = statSync(teams, { throwIfNoEntry: false })?.uid ?? 0;
  if (process.getuid?.() === 0 && owner !== 0) {
    const user = userName(owner);
    const cure = `use \`sudo -u ${user} teams …\`, or \`chown\` it if it is yours now`;
    throw new StoreError('UNTRUSTED', `${teams} belongs to ${user}: ${cure}.`, { path: teams });
  }
  const person = Number(process.env['SUDO_UID'] ?? '0');
  if (process.getuid?.() !== 0 || person === 0 || statSync(root, { throwIfNoEntry: false })?.uid !== person) return;
  const name = userName(person);
  throw new StoreError(
    'UNTRUSTED',
    `The project ${root} belongs to ${name}, who could not use a team of root's: leave \`sudo\` out, or use \`sudo -u ${name} teams …\`.`,
    { path: root },
  );
}

/** Makes the empty folder that the team will replace. An existing one was left by a process that died. */
function reserve(disk: Disk, paths: TeamPaths): PinnedDirectory {
  makeReservation(disk, paths);
  try {
    return pinDirectory(disk, paths.folder);
  } catch (error) {
    removeEmpty(disk, paths.folder);
    throw error;
  }
}

function makeReservation(disk: Disk, paths: TeamPaths): void {
  for (let again = false; ; again = true) {
    try {
      disk.mkdirSync(paths.folder, { mode: DIRECTORY_MODE });
      return;
    } catch (error) {
      if (!isTaken(error)) throw storeFailure('create the team folder', paths.folder, error);
      const isLeft = lookAt(disk, paths.folder)?.isDirectory() === true && list(disk, paths.folder).length === 0;
      if (again || !isLeft) throw teamExists(paths);
      removeEmpty(disk, paths.folder);
    }
  }
}

/** A program of the version before this one does not know the lock and may have made a team here meanwhile. */
function requireReserved(reserved: PinnedDirectory, paths: TeamPaths): void {
  if (!reserved.isThere()) throw teamExists(paths);
}

const beingMoved = (name: Name): ConflictError =>
  new ConflictError(
    'TEAM_EXISTS',
    `A team ${name} is being moved between this folder and a store; choose another name, or say \`teams migrate ${name}\` again.`,
  );

const teamExists = ({ name, folder }: TeamPaths): ConflictError =>
  new ConflictError(
    'TEAM_EXISTS',
    `Team ${name} exists already in ${folder}; choose another name, or \`teams delete ${name}\`.`,
  );

function build(disk: Disk, paths: TeamPaths, team: NewTeam, id: string, options: StoreOptions): void {
  makeDirectories(disk, paths, team.profile === 'pipeline' ? Object.values(paths.session) : []);
  createBell(disk, paths.inbox(LEAD).bell);
  for (const change of team.changes)
    if (change.type === 'member.joined') createBell(disk, paths.inbox(change.name).bell);
  const store = new TeamStore(paths, { ...options, disk, create: true });
  try {
    const author: Author = { person: LEAD, epoch: 0 };
    const opened: Body = { type: 'team.opened', profile: team.profile, claim: team.claimMode };
    must(store.board.appendNow(author, () => ({ type: 'log.opened', team: id, name: team.name })));
    must(store.board.appendNow(author, () => ({ type: 'batch', changes: [opened, ...team.changes] })));
    const created_at = options.clock.now() / 1000;
    const { members, cwd, plan_dir, ...rest } = team.config;
    store.config.write({
      version: 1,
      name: team.name,
      created_at,
      profile: team.profile,
      ...rest,
      cwd: keptPlace(disk, paths.root, cwd),
      plan_dir: plan_dir === undefined ? undefined : (keptPlace(disk, paths.root, plan_dir) ?? '.'),
      places: 'relative',
      epoch: 0,
      members,
    });
    store.events.append({
      type: 'team.created',
      text: `profile ${team.profile}, ${members.length} ${members.length === 1 ? 'member' : 'members'}`,
    });
  } finally {
    store.locks.close();
    store.board.close();
    store.events.close();
    store.pinned.close();
  }
}

function makeDirectories(disk: Disk, paths: TeamPaths, more: readonly string[]): void {
  const { folder, board, tokens, locks, processes, logs, results, mail } = paths;
  for (const directory of [folder, board, tokens, locks, processes, logs, results, mail, ...more])
    makeDirectory(disk, directory);
}

function must({ outcome }: ReturnType<TeamStore['board']['appendNow']>): void {
  if (!outcome.ok) throw new Error(`A new team's log was refused: ${outcome.why}`);
}

/** File systems on which `link`, `rename` and `O_APPEND` are reliable on one host, by `statfs` type. */
const LOCAL = new Map([
  [0xef53, 'ext4'],
  [0x58465342, 'xfs'],
  [0x9123683e, 'btrfs'],
  [0x01021994, 'tmpfs'],
  [0x794c7630, 'overlay'],
  [0x2fc12fc1, 'zfs'],
  [0x1a, 'apfs'],
]);

/** @throws StoreError `NO_LINK`, `READ_ONLY`, `NO_SPACE` when a directory cannot hold a team */
export function probeFileSystem(disk: Disk, directory: string): void {
  const type = statfsSync(directory).type;
  if (process.platform === 'linux' && !LOCAL.has(type))
    throw noLink(
      directory,
      `its file system (type 0x${type.toString(16)}) is not one of ${[...LOCAL.values()].join(', ')}`,
    );
  const [from, to] = [tempPath(join(directory, '.probe'), 'from'), tempPath(join(directory, '.probe'), 'to')];
  try {
    removeFile(disk, to);
    disk.closeSync(disk.openSync(from, 'w', 0o600));
    disk.linkSync(from, to);
  } catch (error) {
    const errno = codeOf(error) ?? 'unknown';
    throw ['ENOSPC', 'EACCES', 'EROFS', 'EDQUOT'].includes(errno)
      ? storeFailure('write to', directory, error)
      : noLink(directory, errno);
  } finally {
    removeFile(disk, from);
    removeFile(disk, to);
  }
}

const noLink = (path: string, why: string): StoreError =>
  new StoreError(
    'NO_LINK',
    `${path} cannot hold a team: hard links are needed there (${why}); use --root with a local directory.`,
    { path },
  );
