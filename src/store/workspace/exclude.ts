/** Keeps our folders out of git: a local entry in `.git/info/exclude`, never a change to a file that is committed. */
import { lstatSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isDirectory, readUserFile } from '../user/user-file.ts';
import { appendUserFile, rewriteUserFile } from '../user/user-file-writer.ts';
import { UsageError } from '../../model/text/errors.ts';
import { rootPaths } from '../files/paths.ts';

/**
 * Folders of teams and what begins with a dot, but not the project's own files. The order counts, and `**` because the
 * project may be a folder of the repository or a worktree.
 */
const TEAMS = [
  '**/.teams/*/',
  '**/.teams/.*',
  ...['roles', 'pipelines', 'templates', 'skills'].map((shelf) => `!**/.teams/${shelf}/`),
];
const TASKS = '.tasks/';
/** What earlier versions wrote: it hides the project's own files, too. */
const EARLIER = '.teams/';
/** A person who wrote these wants nothing of `.teams` in git. */
const WHOLE = ['/.teams/', '.teams', '/.teams'];

interface Exclusion {
  readonly file: string;
  /** Entries that the file lacks, in their order. */
  readonly missing: readonly string[];
  /** Whether the file has the entry of an earlier version. */
  readonly isEarlier: boolean;
}

/** What git does not exclude yet; undefined outside a repository, also where `.git` names a folder that is missing. */
export function missingExclusion(root: string): Exclusion | undefined {
  const directory = gitDirectory(rootPaths(root).root);
  if (directory === undefined) return undefined;
  const file = join(directory, 'info', 'exclude');
  const lines = new Set(linesOf(readIfAllowed(file) ?? '').map((line) => line.trim()));
  const isEarlier = lines.has(EARLIER);
  const hasTeams = (!isEarlier && TEAMS.every((entry) => lines.has(entry))) || WHOLE.some((form) => lines.has(form));
  const tasks = [TASKS, '/.tasks/', '.tasks'].some((form) => lines.has(form)) ? [] : [TASKS];
  return { file, missing: [...(hasTeams ? [] : TEAMS), ...tasks], isEarlier };
}

interface Excluded {
  readonly isAdded: boolean;
  /** Why nothing was added: a repository that is stale, foreign or read-only. */
  readonly warning?: string | undefined;
}

/** Never throws for git's files: a team works without the entries. */
export function excludeFromGit(root: string): Excluded {
  try {
    const exclusion = missingExclusion(root);
    if (exclusion === undefined || exclusion.missing.length === 0) return { isAdded: false };
    const { file, missing, isEarlier } = exclusion;
    // An archive may bring a repository whose file leads anywhere.
    const link = [dirname(file), file].find(isLink);
    if (link !== undefined) throw new UsageError('USAGE', `${link} is a link, and is not followed.`);
    const present = readUserFile(file) ?? '';
    const before = isEarlier ? withoutEarlier(present) : present;
    const gap = before === '' || before.endsWith('\n') ? '' : '\n';
    const added = `${gap}${missing.join('\n')}\n`;
    // At once: between two writes git would see the folders of teams.
    if (isEarlier) rewriteUserFile(file, `${before}${added}`);
    else appendUserFile(file, added);
    return { isAdded: true };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return {
      isAdded: false,
      warning: `git does not ignore .teams/ and .tasks/ here. ${why} Or add both to .gitignore.`,
    };
  }
}

function withoutEarlier(text: string): string {
  const ours = new Set([EARLIER, ...TEAMS]);
  return linesOf(text)
    .filter((line) => !ours.has(line.trim()))
    .join('\n');
}

const linesOf = (text: string): string[] => text.split(/\r?\n/);

/** The repository's common `.git`; a worktree's or submodule's `.git` is a file that points to its own. */
function gitDirectory(from: string): string | undefined {
  for (let at = from; ; at = dirname(at)) {
    const git = join(at, '.git');
    // A folder without it is no repository, for git neither: a stub that something left.
    if (isDirectory(git) && isThere(join(git, 'HEAD'))) return git;
    const pointed = isThere(git) ? /^gitdir: (.+)$/m.exec(readIfAllowed(git) ?? '')?.[1] : undefined;
    if (pointed !== undefined) return commonDirectory(resolve(at, pointed.trim()));
    if (dirname(at) === at) return undefined;
  }
}

/** Undefined if it does not exist, as for a worktree whose repository is not mounted here: nothing is made for it. */
function commonDirectory(git: string): string | undefined {
  if (!isDirectory(git)) return undefined;
  const common = readIfAllowed(join(git, 'commondir'))?.trim();
  const directory = common === undefined ? git : resolve(git, common);
  return isDirectory(directory) ? directory : undefined;
}

/** Undefined also for a file that may not be read; adding to it then fails with the reason. */
function readIfAllowed(file: string): string | undefined {
  try {
    return readUserFile(file);
  } catch {
    return undefined;
  }
}

const isLink = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;
