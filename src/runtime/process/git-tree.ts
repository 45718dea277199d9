/**
 * A working tree as a git tree: tracked and untracked files as they are now, without ignored files and without our own
 * folders. It is built in a separate index. The user's index is copied for its cached file data and is not changed.
 */
import { join, relative } from 'node:path';
import process from 'node:process';
import { copyEntry, entryAt, type TreeEntry } from '../../store/workspace/user-files.ts';
import { recordsFolder, stubFiles } from '../../store/workspace/kept-stubs.ts';
import { stateDirectory } from '../../store/workspace/project-walk.ts';
import { copyIfThere, withScratch } from '../../store/files/scratch.ts';
import { lookAt, realDisk } from '../../store/files/disk.ts';
import { within, type Repository } from './git-place.ts';
import { git, type GitAnswer, type GitWhere } from './git.ts';
import { TimeSlices } from './time-slices.ts';

/** The present trees, and where git finds them. */
export interface Trees {
  /** The tree of what is staged; undefined in the middle of a merge. */
  readonly staged: string | undefined;
  readonly files: string;
  readonly where: GitWhere;
}

export class GitFailure extends Error {}

/** Git took longer than it may, of a very large file for example: it would again. */
export class LateGit extends GitFailure {}

export const requireGit = ({ code, text, said, isLate = false }: GitAnswer, what: string): string => {
  if (code !== 0) throw new (isLate ? LateGit : GitFailure)(`${what}: ${said || 'git failed'}`);
  return text.trim();
};

/** No external diff, no text conversion, no look into submodules: their configuration names programs of its own. */
export const DIFF = ['diff', '--no-ext-diff', '--no-textconv', '--no-color', '--ignore-submodules=all'];

const OURS = ['.teams', '.tasks'].map((folder) => `:(exclude,top,glob)**/${folder}/**`);

/** Untracked files over `most` bytes, relative to the root of the working tree, and the size of all untracked files. */
export async function untracked(
  repository: Repository,
  where: Omit<GitWhere, 'cwd'>,
  most: number,
): Promise<{ readonly large: string[]; readonly bytes: number }> {
  const at = within(repository, where);
  const ours = [...OURS, ...stateBelow(repository.top).map(excluding)];
  const listed = await git(['ls-files', '--others', '--exclude-standard', '-z', '--', ':/', ...ours], at);
  const files = requireGit(listed, 'git ls-files')
    .split('\0')
    .flatMap((path) => {
      const file = path === '' ? undefined : lookAt(realDisk, join(repository.top, path));
      return file?.isFile() === true ? [{ path, size: file.size }] : [];
    });
  const large = files.filter(({ size }) => size > most).map(({ path }) => path);
  return { large, bytes: files.reduce((sum, { size }) => sum + (size > most ? 0 : size), 0) };
}

interface TreeChoice {
  /** Untracked files that are not looked at. */
  readonly leftOut?: readonly string[] | undefined;
  /** No untracked file is looked at. */
  readonly isTracked?: boolean;
}

/** Files outside of a sparse checkout are looked at, too. */
const EVERYWHERE = ['-c', 'core.sparseCheckout=false'];

/**
 * @param use its `scratch` is a directory that is gone afterwards; the new objects are in it
 * @throws GitFailure
 */
export const withTrees = async <T>(
  repository: Repository,
  where: Omit<GitWhere, 'cwd'>,
  { leftOut = [], isTracked = false }: TreeChoice,
  use: (trees: Trees, scratch: string) => Promise<T>,
): Promise<T> =>
  withScratch(async (directory) => {
    const own = join(directory, 'index');
    // With its time: by it git knows which of its file data may be too old, and reads those files.
    copyIfThere(repository.index, own);
    const env = {
      ...where.env,
      GIT_OBJECT_DIRECTORY: directory,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: repository.objects,
    };
    const at = within(repository, { ...where, env });
    const inOwn = { ...at, env: { ...at.env, GIT_INDEX_FILE: own } };
    const staged = await git(['write-tree'], inOwn);
    const without = [
      ...OURS,
      ...(await withoutRepositories(inOwn)),
      ...[...leftOut, ...stubsBelow(repository.top), ...stateBelow(repository.top)].map(excluding),
    ];
    // Exit code 1: some file could not be added (unreadable, or a repository without a commit); the others were.
    const before = await entriesOf(inOwn);
    const which = isTracked ? '-u' : '-A';
    const added = await git([...EVERYWHERE, 'add', which, '--ignore-errors', '--', ':/', ...without], inOwn);
    if (added.code !== 0 && added.code !== 1) requireGit(added, 'git add');
    await keepLineEnds(inOwn);
    await readAgain(repository.top, before, inOwn, directory);
    const files = requireGit(await git(['write-tree'], inOwn), 'git write-tree');
    return use({ staged: staged.code === 0 ? staged.text.trim() : undefined, files, where: at }, directory);
  });

/** Files in one git command. */
const BATCH = 200;

/** Puts files whose line ends git converts (attributes, `core.autocrlf`) into the index byte for byte. */
async function keepLineEnds(where: GitWhere): Promise<void> {
  const convert = await git(['config', '--get', 'core.autocrlf'], where);
  const attributes = await git(['ls-files', '-z', '--', ':(top,glob)**/.gitattributes'], where);
  if (attributes.text === '' && !['true', 'input'].includes(convert.text.trim())) return;
  const listed = requireGit(await git(['ls-files', '--eol', '-z'], where), 'git ls-files').split('\0');
  const converted = listed.flatMap((line) => {
    const [info = '', path = ''] = line.split('\t');
    const [inIndex, inTree] = /^i\/(\S*) +w\/(\S*)/.exec(info)?.slice(1) ?? [];
    return inTree === '' || inIndex === inTree || path === '' ? [] : [path];
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

/** The entries of the index: path → mode and hash. */
async function entriesOf(where: GitWhere): Promise<Map<string, NonNullable<TreeEntry>>> {
  const listed = requireGit(await git(['ls-files', '--stage', '-z'], where), 'git ls-files').split('\0');
  return new Map(
    listed.flatMap((line): [string, NonNullable<TreeEntry>][] => {
      const tab = line.indexOf('\t');
      const [mode = '', hash = ''] = line.slice(0, tab).split(' ');
      return tab < 0 ? [] : [[line.slice(tab + 1), { mode, hash }]];
    }),
  );
}

/**
 * A member may exchange a folder for a link at any moment, and git opens by name what it looked at before. So what it
 * read is compared with what is there without any link. What differs is put together from that, by a copy, with the
 * user's filters; what cannot be reached so is left out.
 */
async function readAgain(
  top: string,
  before: ReadonlyMap<string, NonNullable<TreeEntry>>,
  where: GitWhere,
  scratch: string,
): Promise<void> {
  const gone: string[] = [];
  const slices = new TimeSlices();
  for (const [path, { mode, hash }] of await entriesOf(where)) {
    if (mode === '160000' || before.get(path)?.hash === hash) continue;
    await slices.pause();
    const present = entryAt(top, path, hash);
    if (present !== null && typeof present !== 'string' && present.hash === hash) continue;
    const copy = join(scratch, 'copy');
    const kind = copyEntry(top, path, copy);
    if (kind === undefined) gone.push(path);
    else await putCopy({ path, mode: kind, hash }, copy, where);
  }
  for (let at = 0; at < gone.length; at += BATCH) {
    const args = ['update-index', '--force-remove', '--', ...gone.slice(at, at + BATCH)];
    requireGit(await git(args, where), 'git update-index');
  }
}

/** @param entry as git has it */
async function putCopy(
  entry: { path: string; mode: string; hash: string },
  copy: string,
  where: GitWhere,
): Promise<void> {
  const { path, mode } = entry;
  const how = mode === '120000' ? ['--no-filters'] : [`--path=${path}`];
  const hash = requireGit(await git(['hash-object', '-w', ...how, '--', copy], where), 'git hash-object');
  if (hash === entry.hash) return;
  requireGit(await git(['update-index', '--add', '--cacheinfo', `${mode},${hash},${path}`], where), 'git update-index');
}

/** Empty files that isolations put there for their own time. */
export const stubsBelow = (top: string): string[] =>
  stubFiles(recordsFolder(process.env))
    .map((path) => relative(top, path))
    .filter((path) => !path.startsWith('..'));

/** The directory of our own files of the user, in a project that is the user's home. */
const stateBelow = (top: string): string[] =>
  [relative(top, stateDirectory())].filter((path) => path !== '' && !path.startsWith('..'));

const literally = (path: string): string => `:(top,literal)${path}`;

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

const excluding = (path: string): string => `:(exclude,top,literal)${path}`;

export interface TreeChange {
  /** Relative to the root of the working tree. */
  readonly path: string;
  readonly from: TreeEntry;
  readonly to: TreeEntry;
}

const DIRECTORY = '040000';
const REPOSITORY = '160000';

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

export interface ChangedFile {
  /** Relative to the root of the working tree. */
  readonly path: string;
  readonly change: 'added' | 'modified' | 'deleted';
}

const CHANGES: Readonly<Record<string, ChangedFile['change']>> = { A: 'added', D: 'deleted' };

/** @throws GitFailure */
export async function changedBetween(from: string, { files, where }: Trees): Promise<ChangedFile[]> {
  const diff = await git([...DIFF, '--name-status', '-z', '--no-renames', from, files], where);
  const words = requireGit(diff, 'git diff').split('\0');
  return words.flatMap((status, at): ChangedFile[] => {
    const path = words[at + 1];
    return at % 2 === 1 || path === undefined || path === '' ? [] : [{ path, change: CHANGES[status] ?? 'modified' }];
  });
}
