/** What differs between two git trees, and files of one; what of a working tree is in none. */
import { relative } from 'node:path';
import process from 'node:process';
import type { TreeEntry } from '../../store/workspace/user-files.ts';
import { entriesAt } from '../../store/workspace/sandbox-host.ts';
import { recordsFolder, stubFiles } from '../../store/workspace/kept-stubs.ts';
import { git, type GitAnswer, type GitWhere } from './git.ts';

export class GitFailure extends Error {}

/** Git took longer than it may, of a very large file for example: it would again. */
export class LateGit extends GitFailure {}

export const requireGit = ({ code, text, said, isLate = false }: GitAnswer, what: string): string => {
  if (code !== 0) throw new (isLate ? LateGit : GitFailure)(`${what}: ${said || 'git failed'}`);
  return text.trim();
};

/** No external diff, no text conversion, no look into submodules: their configuration names programs of its own. */
export const DIFF = ['diff', '--no-ext-diff', '--no-textconv', '--no-color', '--ignore-submodules=all'];

/** Empty files that isolations put there for their own time. */
export const stubsBelow = (top: string): string[] =>
  stubFiles(recordsFolder(process.env))
    .map((path) => relative(top, path))
    .filter((path) => !path.startsWith('..'));

/**
 * Pathspecs that leave out what the index has as another repository. To compare one, `git add` runs `git status` there,
 * without our settings and with its configuration, which may name programs.
 *
 * @throws GitFailure
 */
export async function withoutRepositories(where: GitWhere): Promise<string[]> {
  const entries = requireGit(await git(['ls-files', '--stage', '-z'], where), 'git ls-files').split('\0');
  return entries
    .filter((entry) => entry.startsWith('160000 '))
    .map((entry) => excluding(entry.slice(entry.indexOf('\t') + 1)));
}

/** A pathspec that leaves out one file or directory. */
export const excluding = (path: string): string => `:(exclude,top,literal)${path}`;

export interface TreeChange {
  /** Relative to the root of the working tree. */
  readonly path: string;
  readonly from: TreeEntry;
  readonly to: TreeEntry;
}

const DIRECTORY = '040000';
const REPOSITORY = '160000';

/** What git's answer has for bytes of a name that are no UTF-8. */
const UNKNOWN = '\uFFFD';

/**
 * Whether a path is sure to lead to its file: one that is no UTF-8 is read as that of another file, with U+FFFD in it. A
 * name that really has this character looks the same.
 */
export const isNamed = (path: string): boolean => !path.includes(UNKNOWN);

/** The files that differ between two trees. @throws GitFailure */
export async function treeChanges(from: string, to: string, where: GitWhere): Promise<TreeChange[]> {
  return (await everyChange(from, to, where)).files;
}

export interface EveryChange {
  /** The files that differ between two trees. */
  readonly files: TreeChange[];
  /** The names of the objects that the second has there: of files, and of the directories in which they lie. */
  readonly objects: readonly string[];
}

/** @throws GitFailure */
export async function everyChange(from: string, to: string, where: GitWhere): Promise<EveryChange> {
  const args = ['diff-tree', '-r', '-t', '--raw', '-z', '--no-renames', '--no-ext-diff', '--no-abbrev', from, to];
  const words = requireGit(await git(args, where), 'git diff-tree').split('\0');
  const objects: string[] = [];
  const files = words.flatMap((info, at): TreeChange[] => {
    const path = words[at + 1];
    if (at % 2 === 1 || path === undefined || path === '') return [];
    const [before = '', after = '', old = '', now = ''] = info.replace(/^:/, '').split(' ');
    const entry = (mode: string, hash: string): TreeEntry => (/^0+$/.test(mode) ? null : { mode, hash });
    const [was, is] = [entry(before, old), entry(after, now)];
    if (is !== null && is.hash !== was?.hash && is.mode !== REPOSITORY) objects.push(is.hash);
    const fileOf = (one: TreeEntry): TreeEntry => (one?.mode === DIRECTORY ? null : one);
    const change = { path, from: fileOf(was), to: fileOf(is) };
    return change.from === null && change.to === null ? [] : [change];
  });
  return { files, objects };
}

/** The largest file that is read from the repository, in bytes. */
const LARGEST = 2 ** 30;

/** @throws GitFailure */
export async function bytesOf({ hash }: NonNullable<TreeEntry>, where: GitWhere): Promise<Buffer> {
  const { code, data, bytes, said } = await git(['cat-file', 'blob', hash], { ...where, keptBytes: LARGEST });
  if (code !== 0 || bytes !== data.length) throw new GitFailure(`git cat-file: ${said || 'the file is too large'}`);
  return data;
}

export const literally = (path: string): string => `:(top,literal)${path}`;

/** Files in one git command. */
export const BATCH = 200;

export const isThere = (path: string): boolean => entriesAt([path]).length > 0;
