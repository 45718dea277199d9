/**
 * Where a path of a workspace really is, and how to open it: from the root, one directory at a time, never through a
 * link. A directory that is swapped for a link between the check and the use therefore leads nowhere. Links inside the
 * workspace are resolved first, and count as their target.
 *
 * Without `/proc/self/fd` each step is checked by name: then a swap at exactly that moment is not noticed.
 */
import { closeSync, existsSync, lstatSync, mkdirSync, openSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { codeOf, StoreError, UsageError } from '../../model/text/errors.ts';
import { quoted } from '../../model/text/document-problem.ts';
import { O_DIRECTORY, O_NOFOLLOW, O_RDONLY, storeFailure } from '../files/disk.ts';

export interface ResolvedPath {
  /** The root of the workspace, without links. */
  readonly root: string;
  /** As requested, relative to the root. */
  readonly asked: string;
  /** Without links, relative to the root; empty for the root itself. */
  readonly path: string;
}

/**
 * @param given relative to the root, or absolute and below it
 * @throws UsageError `POLICY_DENIED` for a path that is, or leads, outside; `USAGE` for one that leads nowhere
 */
export function locate(root: string, given: string): ResolvedPath {
  const real = realOf(root, root);
  const asked = wayDown(root, given) ?? wayDown(real, given);
  if (asked === undefined) throw outside(given);
  const path = wayDown(real, realOf(join(real, asked), given));
  if (path === undefined) throw outside(given);
  return { root: real, asked, path };
}

const outside = (given: string): UsageError =>
  new UsageError('POLICY_DENIED', `${quoted(given)} is outside the workspace (rule: workspace only).`);

/** The relative path from a directory to something below it; undefined for everything else. */
function wayDown(from: string, to: string): string | undefined {
  const way = relative(from, resolve(from, to));
  return isAbsolute(way) || way.split('/')[0] === '..' ? undefined : way;
}

/** A path without links; the part that does not exist yet stays as it is. */
function realOf(path: string, given: string): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' && lstatSync(path, { throwIfNoEntry: false }) === undefined && dirname(path) !== path)
      return join(realOf(dirname(path), given), basename(path));
    throw noWay(given, code);
  }
}

function noWay(given: string, code: string | undefined): UsageError {
  const why =
    code === 'ENOENT'
      ? 'is a link that leads nowhere'
      : code === 'ENOTDIR'
        ? 'leads through a file as if it were a directory'
        : code === 'ENAMETOOLONG'
          ? 'has a name that is too long'
          : `cannot be looked at (${code ?? 'no code'})`;
  return new UsageError('USAGE', `${quoted(given)} ${why}.`);
}

/** An open directory, and the name under which its contents are reached. */
interface Held {
  readonly fd: number;
  readonly name: string;
}

const BY_DESCRIPTOR = existsSync('/proc/self/fd');

/**
 * Opens the directory that contains a place, and passes the name by which the place is reached from there. The name is
 * valid until `work` returns.
 *
 * @param make creates missing directories
 * @throws UsageError `USAGE` when a directory is missing; StoreError `CORRUPT` when a link came in between
 */
export function at<T>({ root, path }: ResolvedPath, { make }: { make: boolean }, work: (name: string) => T): T {
  const parts = path === '' ? [] : path.split('/');
  const last = parts.pop() ?? '.';
  return walk(root, parts, { path, make }, (name) => work(`${name}/${last}`));
}

/**
 * Opens a directory, and passes a name of it that is valid until `work` returns.
 * @throws as {@link at}
 */
export const inside = <T>({ root, path }: ResolvedPath, work: (name: string) => T): T =>
  walk(root, path === '' ? [] : path.split('/'), { path, make: false }, work);

function walk<T>(
  root: string,
  parts: readonly string[],
  { path, make }: { path: string; make: boolean },
  work: (name: string) => T,
): T {
  let held = hold(root, path);
  try {
    for (const part of parts) {
      const name = `${held.name}/${part}`;
      if (make) makeIfMissing(name, path);
      const inner = hold(name, path);
      closeSync(held.fd);
      held = inner;
    }
    return work(held.name);
  } finally {
    closeSync(held.fd);
  }
}

function hold(name: string, path: string): Held {
  try {
    const fd = openSync(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (BY_DESCRIPTOR) return { fd, name: `/proc/self/fd/${fd}` };
    if (realpathSync.native(name) === name) return { fd, name };
    closeSync(fd);
    throw swapped(path);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT') throw new UsageError('USAGE', `There is no ${quoted(path)}.`);
    if (code === 'ELOOP' || code === 'ENOTDIR') throw swapped(path);
    throw storeFailure('open the way to', path, error);
  }
}

const swapped = (path: string): StoreError =>
  new StoreError(
    'CORRUPT',
    `The way to ${quoted(path)} was changed while it was opened; nothing was done. Try again.`,
    { path },
  );

function makeIfMissing(name: string, path: string): void {
  try {
    mkdirSync(name);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw storeFailure('make a directory for', path, error);
  }
}
