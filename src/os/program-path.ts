/** Finds programs. */
import { accessSync, constants, existsSync, readlinkSync, realpathSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join, sep } from 'node:path';
import process from 'node:process';

/**
 * The path of a program: an absolute path itself, or the first executable of that name on `path`. Relative entries of
 * `path` are ignored: with them the working directory would choose the program.
 *
 * @param path a PATH variable
 * @returns undefined if no executable was found
 */
export const findProgram = (name: string, path: string): string | undefined =>
  isAbsolute(name)
    ? [name].find(isExecutable)
    : path
        .split(delimiter)
        .filter((directory) => isAbsolute(directory))
        .map((directory) => join(directory, name))
        .find(isExecutable);

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    // Missing or not executable for this user: the next directory may have it.
    return false;
  }
}

/** The path of bubblewrap; undefined if it is not installed, or this is not Linux. */
export const bubblewrap = (environment: Readonly<Record<string, string | undefined>>): string | undefined =>
  process.platform === 'linux' ? findProgram('bwrap', pathOutside(environment['PATH'] ?? '')) : undefined;

/**
 * The entries of `path` for a program that this runtime itself starts outside of an isolation, such as git: absolute, and
 * outside of the project, whose files a clone brings and members write. `npx` and `npm run` put the project's
 * `node_modules/.bin` in front.
 *
 * @param at a directory in the project
 */
export function pathOutside(path: string, at = process.cwd()): string {
  const key = `${at}\0${path}`;
  const known = outside.get(key);
  if (known !== undefined) return known;
  const around = projectsAround(at);
  const isOutside = (entry: string): boolean => !around.some((project) => leadsThrough(entry, project));
  const entries = path.split(delimiter).filter((entry) => isAbsolute(entry) && isOutside(entry));
  const found = entries.join(delimiter);
  outside.set(key, found);
  return found;
}

const outside = new Map<string, string>();
const projects = new Set<string>();

/** A project in which this process works, wherever it was started. */
export function nameProject(root: string): void {
  const project = projectAround(root);
  if (project === undefined || projects.has(project)) return;
  projects.add(project);
  outside.clear();
}

/** Those in which this process works, and the one around a directory in a project. */
export const projectsAround = (at: string): string[] =>
  [...projects, projectAround(at)].filter((project) => project !== undefined);

/**
 * The highest directory around that is a repository or has teams. The home directory is none: it holds the user's tools.
 * But of a project in which the home lies, members may write that, too.
 */
function projectAround(at: string): string | undefined {
  const { HOME = '' } = process.env;
  const home = isAbsolute(HOME) ? realPath(HOME) : undefined;
  const around: string[] = [];
  for (let place = realPath(at); place !== home && place !== dirname(place); place = dirname(place)) around.push(place);
  return around.findLast((place) => MARKS.some((name) => existsSync(join(place, name)))) ?? around[0];
}

const MARKS = ['.git', '.teams'];

/** As many as the kernel follows. */
const MOST_LINKS = 40;

/**
 * Whether a path is in a folder, or one of its links leads there. A link in the folder may lead elsewhere now and into it
 * at the next moment, so where the path ends says nothing.
 *
 * @param path absolute
 * @param folder without links
 */
export function leadsThrough(path: string, folder: string): boolean {
  const left = path.split(sep);
  let at: string = sep;
  for (let links = 0; left.length > 0;) {
    at = join(at, left.shift() ?? '');
    if (isBelow(folder, at)) return true;
    const to = linkAt(at);
    if (to === undefined) continue;
    links += 1;
    if (links > MOST_LINKS) return true;
    left.unshift(...to.split(sep));
    at = isAbsolute(to) ? sep : dirname(at);
  }
  return false;
}

function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    // No link, or nothing there.
    return undefined;
  }
}

const isBelow = (folder: string, path: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // It is missing, so it holds no program.
    return path;
  }
}
