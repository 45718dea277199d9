/**
 * A directory held open for the life of its user. Inode numbers are reused at once, so only an open descriptor
 * distinguishes a team's directory from a new one in its place. Each write checks first.
 */
import { StoreError } from '../../model/text/errors.ts';
import { userName } from './owner.ts';
import type { FolderIdentity } from '../../model/team/folder-identity.ts';
import { folderIn } from './folder-of.ts';
import { lookAt, O_DIRECTORY, O_NOFOLLOW, O_RDONLY, onDisk, type Disk } from './disk.ts';

export interface PinnedDirectory {
  readonly path: string;
  readonly identity: FolderIdentity;
  /** @throws StoreError `TEAM_GONE` when the path is no longer this directory */
  check(): void;
  close(): void;
}

export function pinDirectory(disk: Disk, path: string): PinnedDirectory {
  const fd = onDisk('open', path, () => disk.openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  const stat = disk.fstatSync(fd);
  const { dev, ino, uid, mode } = stat;
  let open = true;
  const untrusted = whyUntrusted(uid, mode);
  if (untrusted !== undefined) {
    disk.closeSync(fd);
    throw new StoreError('UNTRUSTED', `The team in ${path} ${untrusted}.`, { path });
  }
  return {
    path,
    identity: folderIn(path, stat),
    check() {
      const now = lookAt(disk, path);
      if (now?.dev === dev && now.ino === ino) return;
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
