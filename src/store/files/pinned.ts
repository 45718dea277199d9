/**
 * A directory held open for the life of its user. Inode numbers are reused at once, so only an open descriptor
 * distinguishes a team's directory from a new one in its place. Each write checks first; and where the system has
 * `/proc`, each file is reached through the descriptor, so that no directory that takes the place between the check
 * and the write gets a file of ours.
 */
import type { Stats } from 'node:fs';
import { isTeamError, StoreError } from '../../model/text/errors.ts';
import { userName } from './owner.ts';
import type { FolderIdentity } from '../../model/team/folder-identity.ts';
import { folderIn } from './folder-of.ts';
import { isMissing, lookAt, O_DIRECTORY, O_NOFOLLOW, O_RDONLY, storeFailure, type Disk } from './disk.ts';

export interface PinnedDirectory {
  readonly path: string;
  readonly identity: FolderIdentity;
  readonly given: Disk;
  /** The given disk; what is inside of this directory is reached through its descriptor until it is closed. */
  readonly disk: Disk;
  /** Whether the path still is this directory. */
  isThere(): boolean;
  /** @throws StoreError `TEAM_GONE` when the path is no longer this directory */
  check(): void;
  close(): void;
}

/** @throws StoreError `UNTRUSTED` for a directory into which another user may write, `TEAM_GONE` for a missing one */
export function pinDirectory(disk: Disk, path: string): PinnedDirectory {
  const fd = openDirectory(disk, path);
  const stat = disk.fstatSync(fd);
  const { dev, ino, uid, mode } = stat;
  let open = true;
  const untrusted = whyUntrusted(uid, mode);
  if (untrusted !== undefined) {
    disk.closeSync(fd);
    throw new StoreError('UNTRUSTED', `The team in ${path} ${untrusted}.`, { path });
  }
  const isIt = (now: Stats | undefined): boolean => now?.dev === dev && now.ino === ino;
  const [inside, byDescriptor] = [`${path}/`, `/proc/self/fd/${fd}/`];
  const isReachable = isIt(lookThrough(disk, byDescriptor));
  const place = (given: unknown): unknown =>
    open && isReachable && typeof given === 'string' && given.startsWith(inside)
      ? byDescriptor + given.slice(inside.length)
      : given;
  return {
    path,
    identity: folderIn(path, stat),
    given: disk,
    disk: placed(disk, place),
    isThere: () => isIt(lookAt(disk, path)),
    check() {
      const now = lookAt(disk, path);
      if (isIt(now)) return;
      throw new StoreError(
        'TEAM_GONE',
        `The directory ${path} was ${now ? 'replaced' : 'removed'} while the team was running.`,
        { path },
      );
    },
    close() {
      if (open) disk.closeSync(fd);
      open = false;
    },
  };
}

/** The calls of a disk; what else an object has that is used as one is no part of it. */
const callsOf = (disk: Disk): Disk => ({
  openSync: disk.openSync,
  closeSync: disk.closeSync,
  readSync: disk.readSync,
  writeSync: disk.writeSync,
  fstatSync: disk.fstatSync,
  lstatSync: disk.lstatSync,
  fsyncSync: disk.fsyncSync,
  fdatasyncSync: disk.fdatasyncSync,
  ftruncateSync: disk.ftruncateSync,
  futimesSync: disk.futimesSync,
  linkSync: disk.linkSync,
  renameSync: disk.renameSync,
  unlinkSync: disk.unlinkSync,
  mkdirSync: disk.mkdirSync,
  rmdirSync: disk.rmdirSync,
  readdirSync: disk.readdirSync,
  realpathSync: disk.realpathSync,
  chmodSync: disk.chmodSync,
  fchmodSync: disk.fchmodSync,
});

/** The calls with a path, and how many paths each has. */
const PATHS = [
  ['openSync', 1],
  ['lstatSync', 1],
  ['linkSync', 2],
  ['renameSync', 2],
  ['unlinkSync', 1],
  ['mkdirSync', 1],
  ['rmdirSync', 1],
  ['readdirSync', 1],
  ['realpathSync', 1],
  ['chmodSync', 1],
] as const;

/**
 * A disk whose calls are made once: each file call in a team goes through it, mostly before it is compiled.
 *
 * @param place gives the path that is used for a path
 */
function placed(disk: Disk, place: (path: unknown) => unknown): Disk {
  const inside = new Map<string, unknown>();
  for (const [call, paths] of PATHS) {
    const real = disk[call];
    // None has more than three arguments, and what is undefined is as if it were absent.
    inside.set(call, (path: unknown, second: unknown, third: unknown) => {
      const answer: unknown = Reflect.apply(real, undefined, [
        place(path),
        paths === 1 ? second : place(second),
        third,
      ]);
      return answer;
    });
  }
  return Object.assign(callsOf(disk), Object.fromEntries(inside));
}

/** What a descriptor's path leads to; undefined where there is no `/proc`. */
function lookThrough(disk: Disk, path: string): Stats | undefined {
  try {
    return disk.lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Why work in a team failed: if its folder was moved or replaced meanwhile, that is why. */
export function reasonOf(pinned: PinnedDirectory | undefined, error: unknown): Error {
  try {
    if (isTeamError(error) && error.code === 'IO') pinned?.check();
    return error instanceof Error ? error : new Error(String(error));
  } catch (gone) {
    return gone instanceof Error ? gone : new Error(String(gone));
  }
}

function openDirectory(disk: Disk, path: string): number {
  try {
    return disk.openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  } catch (error) {
    if (!isMissing(error)) throw storeFailure('open', path, error);
    throw new StoreError('TEAM_GONE', `The directory ${path} was removed.`, { path, cause: error });
  }
}

/**
 * Why another user may write into the directory; undefined when only this user may. That root may write everywhere does
 * not help: the owner could not open the files that root makes there.
 */
function whyUntrusted(uid: number, mode: number): string | undefined {
  const me = process.getuid?.();
  if (me !== undefined && uid !== me) {
    const name = userName(uid);
    return `belongs to ${name}: use \`sudo -u ${name} teams …\`, or \`chown\` it if it is yours now`;
  }
  return (mode & 0o022) === 0 ? undefined : 'may be written by other users; run `chmod go-w` on it';
}
