/**
 * The facts about a workspace's surroundings that isolation needs. Changes nothing except for directories of a
 * probe, which are removed at once.
 */
import {
  lstatSync,
  readdirSync,
  readlinkSync,
  readSync,
  realpathSync,
  rmdirSync,
  statSync,
  writeFileSync,
  rm,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { makeDirectoryPath } from '../../os/own-directory.ts';
import { onDisk } from '../files/disk.ts';
import { homeDirectory } from '../user/home.ts';
import { regularBytes, withRegular } from '../files/regular-file.ts';
import { temporaryDirectory } from '../files/scratch.ts';

/** An existing file or directory, without links. */
interface Entry {
  readonly path: string;
  readonly isDirectory: boolean;
  /** Device and inode, as `stat -c %d:%i` prints them. */
  readonly id: string;
}

/**
 * @returns undefined for what is missing, or may not be looked at: then no command of this user can look at it either
 */
function entryAt(path: string): Entry | undefined {
  try {
    const real = realpathSync.native(path);
    const found = statSync(real, { bigint: true });
    return { path: real, isDirectory: found.isDirectory(), id: `${found.dev}:${found.ino}` };
  } catch {
    return undefined;
  }
}

/** Those of some paths that exist. */
export const entriesAt = (paths: readonly string[]): Entry[] => paths.flatMap((path) => entryAt(path) ?? []);

/** The direct entries of a directory, by name. */
export const entriesIn = (directory: string): Map<string, Entry> =>
  new Map(
    readdirSync(directory).flatMap((name): [string, Entry][] => {
      const entry = entryAt(join(directory, name));
      return entry === undefined ? [] : [[name, entry]];
    }),
  );

/** A directory of this user's only, with those above it. */
export const ensureFolder = (path: string): void => makeDirectoryPath(path, 0o700);

export const realPath = (path: string): string => realpathSync.native(path);

export const homeOf = (environment: Readonly<Record<string, string | undefined>>): string => homeDirectory(environment);

/** The network namespace of this process, as the system names it. */
export const networkNamespace = (): string => readlinkSync('/proc/self/ns/net');

/** Makes an empty directory among the temporary files, and removes it after `use`. */
export async function withProbeDirectory<T>(use: (path: string) => Promise<T>): Promise<T> {
  const path = temporaryDirectory();
  try {
    return await use(path);
  } finally {
    rmdirSync(path);
  }
}

/** The names in a directory; none if it cannot be listed. */
export function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/** Where a symbolic link leads, as it is written; undefined if the path is no link. */
export function linkAt(path: string): string | undefined {
  try {
    // Mostly it is none, and a refused call costs ten times as much as a look.
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true ? readlinkSync(path) : undefined;
  } catch {
    return undefined;
  }
}

const FIRST_BYTES = 256;

/** The interpreter of a script: the words after `#!`. Empty for other files. */
export function interpreterOf(path: string): string[] {
  const bytes = Buffer.alloc(FIRST_BYTES);
  const beginning = withRegular(path, (file) => bytes.toString('latin1', 0, readSync(file, bytes))) ?? '';
  const [line = ''] = beginning.split('\n');
  return line.startsWith('#!') ? line.slice(2).trim().split(/\s+/) : [];
}

/** The text of a small file; undefined if it cannot be read. */
export function smallText(path: string): string | undefined {
  return regularBytes(path, 64 * 1024)?.toString('utf8');
}

/** A workspace, a home of a member, and a place with a key: for a try of the isolation. */
export interface TrialPlace {
  readonly root: string;
  readonly ownHome: string;
  /** `XDG_STATE_HOME`. */
  readonly state: string;
}

/** Makes a trial's directories among the temporary files, and removes them after `use`. */
export async function withTrialPlace<T>(keyBelow: string, use: (place: TrialPlace) => Promise<T>): Promise<T> {
  const base = realPath(temporaryDirectory());
  try {
    const place = { root: join(base, 'work'), ownHome: join(base, 'home'), state: join(base, 'state') };
    for (const path of [place.root, place.ownHome, dirname(join(place.state, keyBelow))])
      makeDirectoryPath(path, 0o700);
    const key = join(place.state, keyBelow);
    onDisk('write to', key, () => writeFileSync(key, '', { mode: 0o600 }));
    return await use(place);
  } finally {
    // Not rmSync: the one of Node 26 tells a lack of file descriptors without its code.
    await new Promise<void>((resolve, reject) => {
      rm(base, { recursive: true, force: true }, (error) => (error ? reject(error) : resolve()));
    });
  }
}
