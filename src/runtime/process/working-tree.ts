/**
 * A working tree as a git tree: tracked and untracked files as they are now, without ignored files, without our own
 * folders and without files over 2 GiB: a program makes one of terabytes in no time. It is built in a separate index. The
 * user's index is copied for its cached file data and is not changed.
 */
import { dirname, join, relative } from 'node:path';
import { copyEntry, entryAt, fileSize, MOST_FILE_BYTES, type TreeEntry } from '../../store/workspace/user-files.ts';
import { ownDirectories } from '../../store/workspace/project-walk.ts';
import { linkAt } from '../../store/workspace/sandbox-host.ts';
import { copyIfThere, quotedForGit, withScratch } from '../../store/files/scratch.ts';
import { hasOneCase, within, type Repository } from './git-place.ts';
import { BATCH, DIFF, excluding, isThere, requireGit, stubsBelow, withoutRepositories } from './git-tree.ts';
import { conversionsOf, keepContent, keepLineEnds } from './conversions.ts';
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

interface WorkingTrees extends Trees {
  /** Files that the user's index has and does not want on the disk, where they are not; `files` has them. */
  readonly absent: ReadonlySet<string>;
  /** Of files with a filter it has what the filter makes of them: in all they are too large to be kept. */
  readonly isFiltered: boolean;
}

const OWN_PATH = /(?:^|\/)\.(?:teams|tasks)\//;
const OURS = ['.teams', '.tasks'].map((folder) => `:(exclude,top,glob)**/${folder}/**`);

interface TreeChoice {
  /** Untracked files that are not looked at. */
  readonly leftOut?: readonly string[] | undefined;
  /** No untracked file is looked at. */
  readonly isTracked?: boolean;
}

const REPOSITORY = '160000';

/** Files outside of a sparse checkout are looked at, too. */
const EVERYWHERE = ['-c', 'core.sparseCheckout=false'];

/**
 * The files are kept as they are, also where the repository says that modes do not count, that line ends must not
 * change, or that two names that differ in case are one, on a disk where they are two.
 */
function asTheyAre(repository: Repository): string[] {
  const settings = ['core.fileMode=true', 'core.safecrlf=false', `core.ignoreCase=${String(hasOneCase(repository))}`];
  return [...EVERYWHERE, ...settings.flatMap((setting) => ['-c', setting])];
}

/**
 * @param use its `scratch` is a directory that is gone afterwards; the new objects are in it
 * @throws GitFailure
 */
export const withTrees = async <T>(
  repository: Repository,
  where: Omit<GitWhere, 'cwd'>,
  { leftOut = [], isTracked = false }: TreeChoice,
  use: (trees: WorkingTrees, scratch: string) => Promise<T>,
): Promise<T> =>
  withScratch(async (directory) => {
    const own = join(directory, 'index');
    // With its time: by it git knows which of its file data may be too old, and reads those files.
    copyIfThere(repository.index, own);
    const env = {
      ...where.env,
      GIT_OBJECT_DIRECTORY: directory,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: quotedForGit(repository.objects),
    };
    const at = within(repository, { ...where, env });
    const inOwn = { ...at, env: { ...at.env, GIT_INDEX_FILE: own } };
    const staged = await git(['write-tree'], inOwn);
    const unseen = [...leftOut, ...stubsBelow(repository.top), ...ownBelow(repository.top)].map(excluding);
    const before = await entriesOf(inOwn);
    const absent = await lookAtAll(repository.top, before, inOwn);
    const below = [...OURS, ...(await withoutRepositories(inOwn)), ...unseen];
    const others = isTracked ? [] : await untrackedFiles(repository.top, below, inOwn);
    const untracked = others.map(({ path }) => path);
    const conversions = await conversionsOf(repository, [...before.keys(), ...untracked], inOwn);
    const unread = new Set(leftOut);
    const isRead = (path: string): boolean => !unread.has(path) && !OWN_PATH.test(path);
    const known = new Map([...before].filter(([path, { mode }]) => mode !== REPOSITORY && isRead(path)));
    // First, because also to compare a file git runs its filter.
    const content =
      conversions.content && !isTracked
        ? await keepContent(repository.top, { known, untracked: untracked.filter(isRead) }, inOwn)
        : undefined;
    const large = await largeFiles(repository.top, { others, without: below }, inOwn);
    const without = [...below, ...large.map(({ path }) => excluding(path))];
    // Exit code 1: some file could not be added (unreadable, or a repository without a commit); the others were.
    const which = isTracked ? '-u' : '-A';
    const added = await git([...asTheyAre(repository), 'add', which, '--ignore-errors', '--', ':/', ...without], inOwn);
    if (added.code !== 0 && added.code !== 1) requireGit(added, 'git add');
    if (conversions.lineEnds) await keepLineEnds(without, inOwn);
    await readAgain(repository.top, { before, unconverted: content?.paths }, inOwn, directory);
    const files = requireGit(await git(['write-tree'], inOwn), 'git write-tree');
    return use(
      {
        staged: staged.code === 0 ? staged.text.trim() : undefined,
        files,
        large,
        absent,
        isFiltered: content?.isFiltered === true,
        where: at,
      },
      directory,
    );
  }, repository.top);

interface IndexEntry extends NonNullable<TreeEntry> {
  /** As `git ls-files -v` has it: small if the file counts as unchanged, `S` if it need not be on the disk. */
  readonly tag: string;
}

/** The entries of the index: path → mode and hash. */
async function entriesOf(where: GitWhere): Promise<Map<string, IndexEntry>> {
  const args = [...EVERYWHERE, 'ls-files', '--stage', '-v', '-z'];
  const listed = requireGit(await git(args, where), 'git ls-files').split('\0');
  return new Map(
    listed.flatMap((line): [string, IndexEntry][] => {
      const tab = line.indexOf('\t');
      const [tag = '', mode = '', hash = ''] = line.slice(0, tab).split(' ');
      return tab < 0 ? [] : [[line.slice(tab + 1), { tag, mode, hash }]];
    }),
  );
}

/**
 * The user may have told git not to look at a file (`assume-unchanged`, `skip-worktree`, a sparse checkout). A member can
 * change it nevertheless. What is not on the disk stays as the index has it: a sparse checkout does not delete.
 *
 * @returns what is not on the disk
 */
async function lookAtAll(top: string, entries: ReadonlyMap<string, IndexEntry>, where: GitWhere): Promise<Set<string>> {
  const assumed: string[] = [];
  const skipped: string[] = [];
  const absent = new Set<string>();
  const folders = new Map<string, boolean>();
  const slices = new TimeSlices();
  for (const [path, { tag }] of entries) {
    if (tag === 'H' || tag === 'M') continue;
    if (tag === tag.toLowerCase()) assumed.push(path);
    if (tag.toUpperCase() !== 'S') continue;
    await slices.pause();
    const folder = dirname(path);
    const isFolder = folders.get(folder) ?? isThere(join(top, folder));
    folders.set(folder, isFolder);
    if (isFolder && (isThere(join(top, path)) || linkAt(join(top, path)) !== undefined)) skipped.push(path);
    else absent.add(path);
  }
  for (const [option, paths] of [
    ['--no-assume-unchanged', assumed],
    ['--no-skip-worktree', skipped],
  ] as const) {
    const args = [...EVERYWHERE, 'update-index', option, '-z', '--stdin'];
    const stdin = paths.map((path) => `${path}\0`).join('');
    if (stdin !== '') requireGit(await git(args, { ...where, stdin }), 'git update-index');
  }
  return absent;
}

interface Read {
  /** The index as it was. */
  readonly before: ReadonlyMap<string, IndexEntry>;
  /** Files that git must not convert. */
  readonly unconverted: ReadonlySet<string> | undefined;
}

/**
 * A member may exchange a folder for a link at any moment, and git opens by name what it looked at before. So what it
 * read is compared with what is there without any link. What differs is put together from that, by a copy, with the
 * user's filters; what cannot be reached so is left out.
 */
async function readAgain(top: string, { before, unconverted }: Read, where: GitWhere, scratch: string): Promise<void> {
  const gone: string[] = [];
  const slices = new TimeSlices();
  for (const [path, { mode, hash }] of await entriesOf(where)) {
    if (mode === REPOSITORY || before.get(path)?.hash === hash) continue;
    await slices.pause();
    const present = entryAt(top, path, hash);
    if (present !== null && typeof present !== 'string' && present.hash === hash) continue;
    const copy = join(scratch, 'copy');
    const kind = copyEntry(top, path, copy);
    if (kind === undefined) gone.push(path);
    else await putCopy({ path, mode: kind, hash }, copy, unconverted?.has(path) === true, where);
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
  isUnconverted: boolean,
  where: GitWhere,
): Promise<void> {
  const { path, mode } = entry;
  const how = isUnconverted || mode === '120000' ? ['--no-filters'] : [`--path=${path}`];
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
  { others, without }: { readonly others: readonly SizedFile[]; readonly without: readonly string[] },
  where: GitWhere,
): Promise<ChangedFile[]> {
  const changed = await git([...CHANGED, '--', ':/', ...without], where);
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
