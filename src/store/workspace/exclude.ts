/** Keeps our folders out of git: a local entry in `.git/info/exclude`, never a change to a file that is committed. */
import { lstatSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { appendUserFile, isDirectory, readUserFile } from '../user/user-file.ts';
import { rootPaths } from '../files/paths.ts';

const ENTRIES = ['.teams/', '.tasks/'];

interface Exclusion {
  readonly file: string;
  /** Entries that the file lacks. */
  readonly missing: readonly string[];
}

/** What git does not exclude yet; undefined outside a repository, also where `.git` names a folder that is missing. */
export function missingExclusion(root: string): Exclusion | undefined {
  const directory = gitDirectory(rootPaths(root).root);
  if (directory === undefined) return undefined;
  const file = join(directory, 'info', 'exclude');
  const lines = new Set((readIfAllowed(file) ?? '').split(/\r?\n/).map((line) => line.trim()));
  const isThere = (entry: string): boolean => [entry, `/${entry}`, entry.slice(0, -1)].some((form) => lines.has(form));
  return { file, missing: ENTRIES.filter((entry) => !isThere(entry)) };
}

interface Excluded {
  readonly added: readonly string[];
  /** Why nothing was added: a repository that is stale, foreign or read-only. */
  readonly warning?: string | undefined;
}

/** Never throws for git's files: a team works without the entries. */
export function excludeFromGit(root: string): Excluded {
  try {
    const exclusion = missingExclusion(root);
    if (exclusion === undefined || exclusion.missing.length === 0) return { added: [] };
    const before = readUserFile(exclusion.file) ?? '';
    const gap = before === '' || before.endsWith('\n') ? '' : '\n';
    appendUserFile(exclusion.file, `${gap}${exclusion.missing.join('\n')}\n`);
    return { added: exclusion.missing };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return {
      added: [],
      warning: `git does not ignore ${ENTRIES.join(' and ')} here. ${why} Or add both to .gitignore.`,
    };
  }
}

/** The repository's common `.git`; a worktree's or submodule's `.git` is a file that points to its own. */
function gitDirectory(from: string): string | undefined {
  for (let at = from; ; at = dirname(at)) {
    const git = join(at, '.git');
    if (isDirectory(git)) return git;
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

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;
