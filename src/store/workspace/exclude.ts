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

/** What git does not exclude yet; undefined outside a repository. */
export function missingExclusion(root: string): Exclusion | undefined {
  const directory = gitDirectory(rootPaths(root).root);
  if (directory === undefined) return undefined;
  const file = join(directory, 'info', 'exclude');
  const lines = new Set((readUserFile(file) ?? '').split(/\r?\n/).map((line) => line.trim()));
  const isThere = (entry: string): boolean => [entry, `/${entry}`, entry.slice(0, -1)].some((form) => lines.has(form));
  return { file, missing: ENTRIES.filter((entry) => !isThere(entry)) };
}

/** @returns the added entries */
export function excludeFromGit(root: string): readonly string[] {
  const exclusion = missingExclusion(root);
  if (exclusion === undefined || exclusion.missing.length === 0) return [];
  const before = readUserFile(exclusion.file) ?? '';
  const gap = before === '' || before.endsWith('\n') ? '' : '\n';
  appendUserFile(exclusion.file, `${gap}${exclusion.missing.join('\n')}\n`);
  return exclusion.missing;
}

/** The repository's common `.git`; a worktree's or submodule's `.git` is a file that points to its own. */
function gitDirectory(from: string): string | undefined {
  for (let at = from; ; at = dirname(at)) {
    const git = join(at, '.git');
    if (isDirectory(git)) return git;
    const pointed = isThere(git) ? /^gitdir: (.+)$/m.exec(readUserFile(git) ?? '')?.[1] : undefined;
    if (pointed !== undefined) return commonDirectory(resolve(at, pointed.trim()));
    if (dirname(at) === at) return undefined;
  }
}

function commonDirectory(git: string): string {
  const common = readUserFile(join(git, 'commondir'))?.trim();
  return common === undefined ? git : resolve(git, common);
}

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;
