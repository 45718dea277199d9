/**
 * A working tree as a git tree: tracked and untracked files as they are now, without ignored files, without our own
 * folders and without files over 2 GiB: a program makes one of terabytes in no time. It is built in a separate index. The
 * user's index is copied for its cached file data and is not changed.
 */
import { join, relative } from 'node:path';
import { copyEntry, entryAt, fileSize, MOST_FILE_BYTES, type TreeEntry } from '../../store/workspace/user-files.ts';
import { ownDirectories } from '../../store/workspace/project-walk.ts';
import { copyIfThere, withScratch } from '../../store/files/scratch.ts';
import { within, type Repository } from './git-place.ts';
import { DIFF, excluding, isNamed, requireGit, stubsBelow, withoutRepositories } from './git-tree.ts';
import { git, type GitWhere } from './git.ts';
import { TimeSlices } from './time-slices.ts';

/** The present trees, and where git finds them. */
export interface Trees {
  /** The tree of what is staged; undefined in the middle of a merge. */
  readonly staged: string | undefined;
  readonly files: string;
  /** Changed files that were not looked at since they are over 2 GiB: of tracked ones, `files` has what is staged. */
  readonly large: readonly ChangedFile[];
  readonly where: GitWhere;
}

const OURS = ['.teams', '.tasks'].map((folder) => `:(exclude,top,glob)**/${folder}/**`);

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
    const unseen = [...leftOut, ...stubsBelow(repository.top), ...ownBelow(repository.top)].map(excluding);
    const below = [...OURS, ...(await withoutRepositories(inOwn)), ...unseen];
    const large = await largeFiles(repository.top, { isTracked, without: below }, inOwn);
    const without = [...below, ...large.map(({ path }) => excluding(path))];
    // Exit code 1: some file could not be added (unreadable, or a repository without a commit); the others were.
    const before = await entriesOf(inOwn);
    const which = isTracked ? '-u' : '-A';
    const added = await git([...EVERYWHERE, 'add', which, '--ignore-errors', '--', ':/', ...without], inOwn);
    if (added.code !== 0 && added.code !== 1) requireGit(added, 'git add');
    await keepLineEnds(inOwn, without);
    await readAgain(repository.top, before, inOwn, directory);
    const files = requireGit(await git(['write-tree'], inOwn), 'git write-tree');
    return use({ staged: staged.code === 0 ? staged.text.trim() : undefined, files, large, where: at }, directory);
  }, repository.top);

/** Files in one git command. */
const BATCH = 200;

/**
 * Puts files whose line ends git converts (attributes, `core.autocrlf`) into the index byte for byte, but for those that
 * cannot be named to it.
 */
async function keepLineEnds(where: GitWhere, without: readonly string[]): Promise<void> {
  const convert = await git(['config', '--get', 'core.autocrlf'], where);
  const attributes = await git(['ls-files', '-z', '--', ':(top,glob)**/.gitattributes'], where);
  if (attributes.text === '' && !['true', 'input'].includes(convert.text.trim())) return;
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

interface SizedFile {
  readonly path: string;
  readonly size: number;
}

const sizesOf = (top: string, listed: string): SizedFile[] =>
  listed.split('\0').flatMap((path) => {
    const size = path === '' ? undefined : fileSize(join(top, path));
    return size === undefined ? [] : [{ path, size }];
  });

/**
 * Untracked files over `most` bytes, relative to the root of the working tree, and the size of all other untracked ones.
 *
 * @throws GitFailure
 */
export async function untracked(
  repository: Repository,
  where: Omit<GitWhere, 'cwd'>,
  most: number,
): Promise<{ readonly large: string[]; readonly bytes: number }> {
  const without = [...OURS, ...ownBelow(repository.top).map(excluding)];
  const files = await untrackedFiles(repository.top, without, within(repository, where));
  const large = files.filter(({ size }) => size > most).map(({ path }) => path);
  return { large, bytes: files.reduce((sum, { size }) => sum + (size > most ? 0 : size), 0) };
}

async function untrackedFiles(top: string, without: readonly string[], where: GitWhere): Promise<SizedFile[]> {
  const listed = await git(['ls-files', '--others', '--exclude-standard', '-z', '--', ':/', ...without], where);
  return sizesOf(top, requireGit(listed, 'git ls-files'));
}

/** Compares sizes and times, and reads no file whose size differs. */
const CHANGED = ['diff-files', '--name-only', '--no-renames', '--no-ext-diff', '--ignore-submodules=all', '-z'];

/** Changed files that git must not read. @throws GitFailure */
async function largeFiles(
  top: string,
  { isTracked, without }: { readonly isTracked: boolean; readonly without: readonly string[] },
  where: GitWhere,
): Promise<ChangedFile[]> {
  const changed = await git([...CHANGED, '--', ':/', ...without], where);
  const others = isTracked ? [] : await untrackedFiles(top, without, where);
  const modified = sizesOf(top, requireGit(changed, 'git diff-files'));
  const large = (files: readonly SizedFile[], change: ChangedFile['change']): ChangedFile[] =>
    files.flatMap(({ path, size }) => (size > MOST_FILE_BYTES ? [{ path, change }] : []));
  return [...large(modified, 'modified'), ...large(others, 'added')];
}

/** The directories of our own files of the user, in a project that is the user's home. */
const ownBelow = (top: string): string[] =>
  ownDirectories()
    .map((directory) => relative(top, directory))
    .filter((path) => path !== '' && !path.startsWith('..'));

const literally = (path: string): string => `:(top,literal)${path}`;

export interface ChangedFile {
  /** Relative to the root of the working tree. */
  readonly path: string;
  readonly change: 'added' | 'modified' | 'deleted';
}

const CHANGES: Readonly<Record<string, ChangedFile['change']>> = { A: 'added', D: 'deleted' };

/** @throws GitFailure */
export async function changedBetween(from: string, { files, large, where }: Trees): Promise<ChangedFile[]> {
  const diff = await git([...DIFF, '--name-status', '-z', '--no-renames', from, files], where);
  const words = requireGit(diff, 'git diff').split('\0');
  const unread = new Set(large.map(({ path }) => path));
  const changed = words.flatMap((status, at): ChangedFile[] => {
    const path = words[at + 1];
    if (at % 2 === 1 || path === undefined || path === '' || unread.has(path)) return [];
    return [{ path, change: CHANGES[status] ?? 'modified' }];
  });
  return [...changed, ...large];
}
