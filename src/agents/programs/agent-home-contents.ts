/**
 * A program's separate configuration home: its contents at start. The user's login is there as a link to the original
 * file: so a renewed login is renewed everywhere, and a revoked one is revoked everywhere. A login that can also say what
 * its program runs is a copy.
 *
 * The program can change everything in its home, and a process of an earlier start may still run. So no link in it is
 * followed (`os/own-directory.ts`), and files are replaced.
 */
import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import process from 'node:process';
import { makeDirectoryPath, withinOwn } from '../../os/own-directory.ts';

interface HomeContents {
  /** Path below the home → directory and file of the user's own; only existing files are linked. */
  readonly links?: Readonly<Record<string, readonly [string, string]>>;
  /** The same, as copies, made anew: for a file that can also say what the program runs. */
  readonly copies?: Readonly<Record<string, readonly [string, string]>>;
  /** Path below the home → text. Never a secret. */
  readonly files?: Readonly<Record<string, string>>;
  /** The names directly in the home that stay; absent: all. Others are removed, and so are links. */
  readonly keeps?: RegExp;
}

/**
 * Prepares a home; other files in it stay, unless it says which.
 *
 * @param home a directory of the member's own directory, which exists
 * @returns the home
 */
export function prepareHome(home: string, { links = {}, copies = {}, files = {}, keeps }: HomeContents): string {
  makeDirectoryPath(dirname(home), 0o700);
  if (keeps !== undefined) withinOwn(home, '.', (at) => clear(at, keeps, new Set(Object.keys(links))));
  withinOwn(home, '.', () => {});
  for (const [path, [directory, file]] of Object.entries(links))
    withinOwn(home, dirname(path), (at) => link(join(at, basename(path)), join(directory, file), join(home, path)));
  for (const [path, [directory, file]] of Object.entries(copies))
    withinOwn(home, dirname(path), (at) => copy(join(at, basename(path)), join(directory, file)));
  for (const [path, text] of Object.entries(files))
    withinOwn(home, dirname(path), (at) => replace(join(at, basename(path)), text));
  return home;
}

/** @param links names of links that are judged later */
function clear(at: string, keeps: RegExp, links: ReadonlySet<string>): void {
  for (const entry of readdirSync(at, { withFileTypes: true }))
    if (!links.has(entry.name) && (entry.isSymbolicLink() || !keeps.test(entry.name)))
      rmSync(join(at, entry.name), { recursive: true, force: true });
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

/** With the time of the user's file: what the program renews is newer. */
function copy(path: string, from: string): void {
  rmSync(path, { recursive: true, force: true });
  const users = statSync(from, { throwIfNoEntry: false });
  if (users?.isFile() !== true) return;
  replace(path, readFileSync(from, 'utf8'));
  utimesSync(path, users.atime, users.mtime);
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
