/**
 * A directory held open for the life of its user. Inode numbers are reused at once, so only an open descriptor
 * distinguishes a team's directory from a new one in its place. Each write checks first.
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
  return {
    path,
    identity: folderIn(path, stat),
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
