/**
 * Where a team's agents work. A path inside of the project is kept relative to its root, so that a copied or moved
 * project works where it lies. Other paths are kept as they are.
 *
 * Earlier versions kept all paths absolute. Such a path that now lies outside of the root is read as a person expects:
 * in a copy it means the same place of the copy; in a moved project, where it does not exist any more, the same place of
 * the project now. (docs/decisions/029)
 */
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { StoreError } from '../../model/text/errors.ts';
import { LEAD, type Name } from '../../model/text/names.ts';
import type { TeamConfig } from '../../model/team/team-config.ts';
import { isMissing, lookAt, storeFailure, type Disk } from '../files/disk.ts';
import { readText } from '../files/file.ts';
import { teamPaths, type TeamPaths } from '../files/paths.ts';

/** How a path is kept: relative if it lies inside of the root; undefined for the root itself. */
export function keptPlace(disk: Disk, root: string, path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  const inside = relative(realPath(disk, root), realPath(disk, path));
  if (inside === '') return undefined;
  return isAbsolute(inside) || inside === '..' || inside.startsWith(`..${sep}`) ? path : inside;
}

/**
 * The directory that a kept path means.
 *
 * @param isRelative whether the config says that paths inside of the project are relative
 */
export function placeOf(disk: Disk, paths: TeamPaths, kept: string | undefined, isRelative: boolean): string {
  const { root } = paths;
  if (kept === undefined) return root;
  if (isRelative || !isAbsolute(kept) || isInside(root, kept)) return resolve(root, kept);
  const original = originalRoot(disk, paths, kept);
  if (original !== undefined) return join(root, relative(original, kept));
  return isDirectory(disk, kept) ? kept : sameEnd(disk, root, kept);
}

export const workPlaceOf = (
  disk: Disk,
  paths: TeamPaths,
  config: Pick<TeamConfig, 'cwd' | 'places'> | undefined,
): string => placeOf(disk, paths, config?.cwd, config?.places === 'relative');

/** The config as a member has it that works in a tree of its own. */
export const inOwnTree = (paths: TeamPaths, config: TeamConfig, member: Name): TeamConfig =>
  config.isolation === 'trees' && member !== LEAD ? { ...config, cwd: paths.tree(member), places: 'relative' } : config;

/** @returns the error for a working directory that does not exist */
export function missingWorkPlace(
  disk: Disk,
  paths: TeamPaths,
  config: Pick<TeamConfig, 'cwd' | 'places'> | undefined,
): StoreError | undefined {
  const path = workPlaceOf(disk, paths, config);
  if (isDirectory(disk, path)) return undefined;
  return new StoreError(
    'IO',
    `The working directory ${path} of team ${paths.name} does not exist: make it again, then run \`teams resume ${paths.name}\`.`,
    { path },
  );
}

/** @throws StoreError `IO` for a working directory that does not exist */
export function requireWorkPlace(...team: Parameters<typeof missingWorkPlace>): void {
  const missing = missingWorkPlace(...team);
  if (missing !== undefined) throw missing;
}

const isInside = (root: string, path: string): boolean => path === root || path.startsWith(`${root}${sep}`);

/** The project above `path` that has the same team, by the beginning of its log: this one is a copy of it. */
function originalRoot(disk: Disk, paths: TeamPaths, path: string): string | undefined {
  const log = firstLine(disk, paths.log);
  for (let at = path; log !== undefined && dirname(at) !== at; at = dirname(at))
    if (firstLine(disk, teamPaths(at, paths.name).log) === log) return at;
  return undefined;
}

/** The deepest directory of the root that has the end of the path. */
function sameEnd(disk: Disk, root: string, path: string): string {
  const parts = path.split(sep).filter(Boolean);
  const ends = parts.map((_, index) => join(root, ...parts.slice(index)));
  return ends.find((end) => isDirectory(disk, end)) ?? root;
}

function firstLine(disk: Disk, path: string): string | undefined {
  try {
    return readText(disk, path)?.split('\n', 1)[0];
  } catch {
    // Another user's file: it is no proof.
    return undefined;
  }
}

export function isDirectory(disk: Disk, path: string): boolean {
  const seen = lookAt(disk, path);
  const meant = seen?.isSymbolicLink() === true ? lookAt(disk, realPath(disk, path)) : seen;
  return meant?.isDirectory() ?? false;
}

function realPath(disk: Disk, path: string): string {
  try {
    return disk.realpathSync(path);
  } catch (error) {
    if (isMissing(error)) return path;
    throw storeFailure('look at', path, error);
  }
}
