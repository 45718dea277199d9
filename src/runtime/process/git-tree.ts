/** What differs between two git trees, and files of one; what of a working tree is in none, and what line ends it keeps. */
import { join, relative, resolve } from 'node:path';
import process from 'node:process';
import type { TreeEntry } from '../../store/workspace/user-files.ts';
import { entriesAt, homeOf, smallText } from '../../store/workspace/sandbox-host.ts';
import { recordsFolder, stubFiles } from '../../store/workspace/kept-stubs.ts';
import type { Repository } from './git-place.ts';
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

const literally = (path: string): string => `:(top,literal)${path}`;

/** Files in one git command. */
export const BATCH = 200;

/**
 * Puts files whose line ends git converts (attributes, `core.autocrlf`) into the index byte for byte, but for those that
 * cannot be named to it.
 */
export async function keepLineEnds(repository: Repository, without: readonly string[], where: GitWhere): Promise<void> {
  if (!(await mayConvert(repository, where))) return;
  const listed = requireGit(
    await git(['ls-files', '--eol', '-z', '--', ':/', ...without], where),
    'git ls-files',
  ).split('\0');
  const converted = listed.flatMap((line) => {
    const [info = '', path = ''] = line.split('\t');
    const [inIndex, inTree] = /^i\/(\S*) +w\/(\S*)/.exec(info)?.slice(1) ?? [];
    return inTree === '' || inIndex === inTree || path === '' || !isNamed(path) ? [] : [path];
  });
  for (let at = 0; at < converted.length; at += BATCH) {
    const paths = converted.slice(at, at + BATCH);
    const hashes = requireGit(
      await git(['hash-object', '-w', '--no-filters', '--', ...paths], where),
      'git hash-object',
    ).split('\n');
    const modes = requireGit(
      await git(['ls-files', '--stage', '-z', '--', ...paths.map(literally)], where),
      'git ls-files',
    );
    const modeOf = new Map(modes.split('\0').map((entry) => [entry.slice(entry.indexOf('\t') + 1), entry.slice(0, 6)]));
    const entries = paths.map((path, one) => `${modeOf.get(path) ?? '100644'},${hashes[one] ?? ''},${path}`);
    const added = await git(['update-index', ...entries.flatMap((entry) => ['--cacheinfo', entry])], where);
    requireGit(added, 'git update-index');
  }
}

export const isThere = (path: string): boolean => entriesAt([path]).length > 0;

/**
 * Whether attributes make git convert line ends: most only name what must not be converted, and then no file has to be
 * read. A macro that converts has one of these words in its own line.
 *
 * @param attributes the text of a file of attributes
 */
export const convertsLineEnds = (attributes: string): boolean =>
  /[^\S\n](?:text|eol|crlf|working-tree-encoding)(?:[=\s]|$)/.test(attributes);

/** Also a file that cannot be read, is too large, or is not on the disk: git knows it from the index. */
const mayHold = (file: string): boolean => convertsLineEnds(smallText(file) ?? ' text');

/** Git finds attributes in more places than the `.gitattributes` that it knows: the user may have ignored the first. */
async function mayConvert({ top, place }: Repository, where: GitWhere): Promise<boolean> {
  const asked = ['config', '--null', '--type=path', '--get-regexp', '^core\\.(autocrlf|attributesfile)$'];
  const told = (await git(asked, where)).text.split('\0').map((entry): [string, string] => {
    const [key = '', ...value] = entry.split('\n');
    return [key, value.join('\n')];
  });
  const settings = new Map(told);
  if (['true', 'input'].includes(settings.get('core.autocrlf') ?? '')) return true;
  const users = settings.get('core.attributesfile') ?? join(homeOf(process.env), '.config/git/attributes');
  const own = [join(top, '.gitattributes'), resolve(top, place.common, 'info/attributes')];
  if ([...own, users, '/etc/gitattributes'].some((file) => isThere(file) && mayHold(file))) return true;
  const inFolders = (await git(['ls-files', '-z', '--', ':(top,glob)**/.gitattributes'], where)).text.split('\0');
  return inFolders.some((path) => path !== '' && mayHold(join(top, path)));
}
