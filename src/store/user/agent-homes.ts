/**
 * The homes of members' programs, in the user's own state directory: a program runs what the configuration in its home
 * says, so a home lies where neither a pull nor a program that may change the project can write
 * (docs/decisions/047). Each team has one directory, called after the team's ULID and the inode of its folder: a copy
 * of a folder has homes of its own.
 */
import { dirname, join } from 'node:path';
import process from 'node:process';
import { makeDirectoryPath } from '../../os/own-directory.ts';
import type { Name } from '../../model/text/names.ts';
import { DIRECTORY_MODE, isMissing, list, lookAt, onDisk, type Disk } from '../files/disk.ts';
import { makeDirectory, readText, replaceFile } from '../files/file.ts';
import { removeTree } from '../files/remove-tree.ts';
import { keyPath } from './seal.ts';

/** The team of a home. */
export interface HousedTeam {
  /** Its ULID. */
  readonly id: string;
  /** Of its folder. */
  readonly inode: number;
  readonly root: string;
}

/** The member of a home, and the time of its start. */
export interface Housed {
  readonly member: Name;
  /** In milliseconds since 1970. */
  readonly now: number;
}

const homesAt = (): string => join(dirname(keyPath()), 'homes');

/** The file that says which root a team's homes belong to. No member's name begins with a dot. */
const ROOT = '.root';
const TEAM = /^[0-9A-HJKMNP-TV-Z]{26}-(\d+)$/;

/**
 * The directory of a member's home. Its parents are made; itself, it may be missing.
 *
 * @returns undefined if the team's ULID is none
 */
export function placeOfHome(disk: Disk, { id, inode, root }: HousedTeam, { member, now }: Housed): string | undefined {
  const [homes, team] = [homesAt(), `${id}-${inode}`];
  if (!TEAM.test(team)) return undefined;
  const place = join(homes, team);
  onDisk('create the directory', dirname(homes), () => makeDirectoryPath(dirname(homes), DIRECTORY_MODE, disk));
  for (const directory of [homes, place]) makeDirectory(disk, directory);
  recordRoot(disk, join(place, ROOT), realRoot(disk, root), now);
  return join(place, member);
}

/** Written again after a day: its age says when the homes were last used, and replacing a file takes a millisecond. */
function recordRoot(disk: Disk, record: string, root: string, now: number): void {
  const seen = lookAt(disk, record);
  const isNew = seen?.isFile() === true && Math.abs(now - seen.mtimeMs) < DAY_MS;
  if (isNew && readText(disk, record, 64 * 1024) === root) return;
  replaceFile(disk, record, root, `${process.pid}`, { durable: false });
}

const DAY_MS = 24 * 3_600_000;
const MONTH_MS = 30 * DAY_MS;

/**
 * Removes the homes of this root's teams that have no folder any more, and homes whose root is gone and that were not
 * used for a month: a root may be moved, and then its next start says where it is.
 *
 * @param inodes of the folders of the root's teams, archived ones included
 */
export function removeLostHomes(
  disk: Disk,
  { root, inodes, now }: { root: string; inodes: ReadonlySet<number>; now: number },
): void {
  const homes = homesAt();
  const here = realRoot(disk, root);
  for (const team of list(disk, homes)) {
    const inode = TEAM.exec(team)?.[1];
    const record = join(homes, team, ROOT);
    const used = lookAt(disk, record)?.mtimeMs;
    const theirs = readText(disk, record, 64 * 1024);
    if (inode === undefined || used === undefined || theirs === undefined) continue;
    const isLost =
      theirs === here ? !inodes.has(Number(inode)) : now - used > MONTH_MS && lookAt(disk, theirs) === undefined;
    if (isLost) removeTree(disk, join(homes, team));
  }
}

function realRoot(disk: Disk, root: string): string {
  try {
    return disk.realpathSync(root);
  } catch (error) {
    if (isMissing(error)) return root;
    throw error;
  }
}
