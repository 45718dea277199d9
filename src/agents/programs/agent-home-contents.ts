/**
 * A program's separate configuration home: its contents at start. The user's login is there as a link to the original
 * file, never a copy: so a renewed login is renewed everywhere, and a revoked one is revoked everywhere.
 *
 * The program can change everything in its home, and a process of an earlier start may still run. So no link in it is
 * followed: each directory is opened without following links and used by its descriptor, and files are replaced.
 * Without `/proc/self/fd` each step is by name: then a swap at exactly that moment is not noticed.
 */
import {
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import process from 'node:process';

interface HomeContents {
  /** Path below the home → directory and file of the user's own; only existing files are linked. */
  readonly links?: Readonly<Record<string, readonly [string, string]>>;
  /** Path below the home → text. Never a secret. */
  readonly files?: Readonly<Record<string, string>>;
}

/**
 * Prepares a home; other files in it stay.
 *
 * @param home a directory of the member's own directory, which exists
 * @returns the home
 */
export function prepareHome(home: string, { links = {}, files = {} }: HomeContents): string {
  mkdirSync(dirname(home), { recursive: true, mode: 0o700 });
  within(home, '.', () => {});
  for (const [path, [directory, file]] of Object.entries(links))
    within(home, dirname(path), (at) => link(join(at, basename(path)), join(directory, file), join(home, path)));
  for (const [path, text] of Object.entries(files))
    within(home, dirname(path), (at) => replace(join(at, basename(path)), text));
  return home;
}

const BY_DESCRIPTOR = existsSync('/proc/self/fd');

/** Calls `use` with a path of the directory `below` the home; missing ones are made, and links replaced by directories. */
function within(home: string, below: string, use: (at: string) => void): void {
  const open: number[] = [];
  try {
    let at = dirname(home);
    for (const name of [basename(home), ...below.split('/').filter((part) => part !== '.')]) {
      at = join(at, name);
      const fd = openDirectory(at);
      open.push(fd);
      if (BY_DESCRIPTOR) at = `/proc/self/fd/${fd}`;
    }
    use(at);
  } finally {
    for (const fd of open) closeSync(fd);
  }
}

function openDirectory(path: string): number {
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === false) rmSync(path, { force: true });
  // An existing directory is no error here; a link would be one at the opening.
  mkdirSync(path, { recursive: true, mode: 0o700 });
  return openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
}

/** By renaming, so that neither a link nor another name of the file leads elsewhere. */
function replace(path: string, text: string): void {
  const temp = `${path}.${process.pid}.new`;
  rmSync(temp, { force: true });
  try {
    writeFileSync(temp, text, { mode: 0o600, flag: 'wx' });
    renameSync(temp, path);
  } finally {
    rmSync(temp, { force: true });
  }
}

/** @param name the same path by name: a login may be configured to lie in this home already */
function link(path: string, target: string, name: string): void {
  const isWanted = isAbsolute(target) && existsSync(target) && target !== name;
  if (targetOf(path) === (isWanted ? target : undefined)) return;
  // If the program made a newer login here, it stays; our own link is replaced, and what is older than the user's.
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (there?.isSymbolicLink() === false && !(isWanted && there.isFile() && there.mtimeMs < statSync(target).mtimeMs))
    return;
  rmSync(path, { force: true });
  if (isWanted) symlinkSync(target, path);
}

function targetOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    // There is no link.
    return undefined;
  }
}
