/**
 * Commits and refs of a team's own repository, written as git writes them: starting git takes longer than all of it.
 * What is not as written here, such as a packed object or a packed ref, is left to git.
 */
import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { deflateSync, inflateSync } from 'node:zlib';
import { makeDirectoryPath } from '../../os/own-directory.ts';
import {
  DIRECTORY_MODE,
  isMissing,
  isTaken,
  lookAt,
  O_CREAT,
  O_EXCL,
  O_NOFOLLOW,
  O_RDONLY,
  O_WRONLY,
  onDisk,
  removeFile,
  storeFailure,
  type Disk,
} from '../files/disk.ts';
import { openIfThere, readText, using, writeWhole } from '../files/file.ts';
import { newId } from '../files/new-ids.ts';
import type { TeamPaths } from '../files/paths.ts';

type Vault = Pick<TeamPaths, 'vault'>;

interface CommitFacts {
  readonly tree: string;
  readonly parents: readonly string[];
}

interface CommitWords extends CommitFacts {
  readonly message: string;
  /** `NAME <EMAIL>`. */
  readonly author: string;
  readonly committer: string;
  /** Seconds since 1970, and the zone in which they are shown. */
  readonly date: string;
}

/** A commit, or a file of a ref, is smaller. */
const MOST_BYTES = 1024 * 1024;

const OBJECT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

const objectPath = ({ vault }: Vault, object: string): string =>
  join(vault, 'objects', object.slice(0, 2), object.slice(2));

const nameOf = (bytes: Buffer, like: string): string =>
  createHash(like.length === 64 ? 'sha256' : 'sha1')
    .update(bytes)
    .digest('hex');

const makeFolder = (disk: Disk, folder: string): unknown =>
  onDisk('create', folder, () => makeDirectoryPath(folder, DIRECTORY_MODE, disk));

/**
 * Writes a commit; the same words are the same commit.
 *
 * @returns its name
 * @throws StoreError; Error (a bug) for a tree or a parent that is said otherwise than by the whole name of an object
 */
export function writeCommit(disk: Disk, vault: Vault, words: CommitWords): string {
  const { tree, parents, author, committer, date, message } = words;
  const unnamed = [tree, ...parents].find((object) => !OBJECT.test(object));
  if (unnamed !== undefined) throw new Error(`${unnamed} is no name of an object.`);
  const lines = [
    `tree ${tree}`,
    ...[...new Set(parents)].map((parent) => `parent ${parent}`),
    `author ${author} ${date}`,
    `committer ${committer} ${date}`,
    '',
    message.endsWith('\n') ? message : `${message}\n`,
  ];
  const body = Buffer.from(lines.join('\n'));
  const bytes = Buffer.concat([Buffer.from(`commit ${body.length}\0`), body]);
  const name = nameOf(bytes, tree);
  const path = objectPath(vault, name);
  if (lookAt(disk, path)?.isFile() === true) return name;
  makeFolder(disk, dirname(path));
  // Halves of git's have such names, and are removed alike.
  const draft = join(dirname(path), `tmp_obj_${newId(0).slice(-10)}`);
  const fd = onDisk('create', draft, () => disk.openSync(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o444));
  try {
    using(disk, fd, () => writeWhole(disk, fd, deflateSync(bytes), draft));
    onDisk('replace', path, () => disk.renameSync(draft, path));
  } catch (error) {
    removeFile(disk, draft);
    throw error;
  }
  return name;
}

/** @returns undefined where only git can say */
export function readCommit(disk: Disk, vault: Vault, commit: string): CommitFacts | undefined {
  const bytes = readLoose(disk, objectPath(vault, commit));
  if (bytes === undefined || nameOf(bytes, commit) !== commit) return undefined;
  const [head = ''] = bytes.toString('utf8', bytes.indexOf(0) + 1).split('\n\n');
  const [tree = '', ...rest] = head.split('\n');
  if (!bytes.toString('latin1', 0, 7).startsWith('commit ') || !tree.startsWith('tree ')) return undefined;
  const parents = rest.filter((line) => line.startsWith('parent ')).map((line) => line.slice('parent '.length));
  return { tree: tree.slice('tree '.length), parents };
}

function readLoose(disk: Disk, path: string): Buffer | undefined {
  try {
    const fd = openIfThere(disk, path, O_RDONLY);
    if (fd === undefined) return undefined;
    const packed = Buffer.alloc(MOST_BYTES);
    const size = using(disk, fd, () => disk.readSync(fd, packed, 0, MOST_BYTES, 0));
    return inflateSync(packed.subarray(0, size), { maxOutputLength: MOST_BYTES });
  } catch {
    return undefined;
  }
}

/**
 * Sets a ref that has a file of its own, or is new, under git's own lock.
 *
 * @param from where it must be now; without one it may be anywhere
 * @returns false if it is locked, elsewhere, or not of this kind: git says why
 * @throws StoreError
 */
export function setRef(
  disk: Disk,
  { vault }: Vault,
  ref: string,
  { from, to }: { readonly from?: string | undefined; readonly to: string },
): boolean {
  const path = join(vault, ref);
  const lock = `${path}.lock`;
  makeFolder(disk, dirname(path));
  const fd = lockRef(disk, lock);
  if (fd === undefined) return false;
  try {
    using(disk, fd, () => writeWhole(disk, fd, Buffer.from(`${to}\n`), lock));
    if (from !== undefined && readText(disk, path, MOST_BYTES) !== `${from}\n`) {
      removeFile(disk, lock);
      return false;
    }
    onDisk('replace', path, () => disk.renameSync(lock, path));
    return true;
  } catch (error) {
    removeFile(disk, lock);
    throw error;
  }
}

function lockRef(disk: Disk, lock: string): number | undefined {
  try {
    return disk.openSync(lock, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o644);
  } catch (error) {
    // Missing: a git that removes the last ref of a folder removes the folder.
    if (isTaken(error) || isMissing(error)) return undefined;
    throw storeFailure('create', lock, error);
  }
}
