/**
 * The files of a team's own git repository and of its members' trees (docs/isolation.md). The repository has its
 * objects from the project's and adds its own; its configuration is ours, and its attributes say that git changes no
 * byte of a file, runs no filter and asks no merge driver.
 */
import { copyFileSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { makeDirectoryPath } from '../../os/own-directory.ts';
import { codeOf, StoreError } from '../../model/text/errors.ts';
import { isDirectory, readUserFile } from '../user/user-file.ts';
import { DIRECTORY_MODE, FILE_MODE, isMissing, lookAt, onDisk, storeFailure, type Disk } from '../files/disk.ts';
import { readText, replaceFile } from '../files/file.ts';
import { newId } from '../files/new-ids.ts';
import type { TeamPaths, TreeOwner } from '../files/paths.ts';
import { removeTree } from '../files/remove-tree.ts';
import { noteSetup, wasSetUp } from './tree-needs.ts';

interface RepositoryFacts {
  /** Where the project's objects are: absolute. Absent if it has none. */
  readonly objects?: string;
  readonly format: 'sha1' | 'sha256';
  /** Settings of the project's repository that say how its file system is. */
  readonly settings: readonly (readonly [string, string])[];
  /** The project's own list of ignored files, if it has one. */
  readonly exclude: string;
}

/** Bytes stay as they are; what two changed is merged line by line, whatever the project's own drivers would do. */
const ATTRIBUTES = '* -text -filter -ident !working-tree-encoding !eol merge\n';

const configOf = ({ format, settings }: RepositoryFacts): string =>
  [
    '[core]',
    `\trepositoryformatversion = ${format === 'sha1' ? 0 : 1}`,
    '\tbare = true',
    '\tautocrlf = false',
    '\tsafecrlf = false',
    '\tfsync = committed',
    ...settings.map(([key, value]) => `\t${key} = ${value}`),
    ...(format === 'sha1' ? [] : ['[extensions]', `\tobjectFormat = ${format}`]),
    '[gc]',
    '\tauto = 0',
    '[uploadpack]',
    '\tallowAnySHA1InWant = true',
    '',
  ].join('\n');

/** Each line that {@link configOf} can write: no filter, no driver, no program, no other file. */
const OWN_LINE =
  /^(?:\[(?:core|extensions|gc|uploadpack)\]|\t(?:repositoryformatversion|bare|autocrlf|safecrlf|fsync|filemode|symlinks|ignorecase|precomposeunicode|objectFormat|auto|allowAnySHA1InWant) = [a-z0-9]+)?$/;

/**
 * Whether git would run with our configuration only. The repository lies where git ignores files, so that a pull can
 * overwrite them. True for one that does not exist yet.
 */
export function isVaultOurs(disk: Disk, { vault }: Pick<TeamPaths, 'vault'>): boolean {
  if (lookAt(disk, join(vault, 'commondir')) !== undefined) return false;
  return (readText(disk, join(vault, 'config')) ?? '').split('\n').every((line) => OWN_LINE.test(line));
}

export const hasVault = (disk: Disk, { vault }: TeamPaths): boolean => lookAt(disk, join(vault, 'HEAD')) !== undefined;

/** @throws StoreError */
export function makeVault({ vault, trees }: TeamPaths, facts: RepositoryFacts, now: number): void {
  onDisk('create', trees, () => makeDirectoryPath(trees, DIRECTORY_MODE));
  makeRepository(vault, facts, now);
}

/** Makes a repository at once: built beside its place, then renamed. @throws StoreError */
export function makeRepository(vault: string, facts: RepositoryFacts, now: number): void {
  const draft = `${vault}.${newId(now)}`;
  onDisk('create', vault, () => {
    for (const part of ['objects/info', 'refs', 'info', 'indexes', 'empty', BASE])
      makeDirectoryPath(join(draft, part), DIRECTORY_MODE);
    put(join(draft, 'HEAD'), 'ref: refs/heads/none\n');
    put(join(draft, 'config'), configOf(facts));
    if (facts.objects !== undefined) put(join(draft, 'objects/info/alternates'), alternatesOf(facts.objects));
    put(join(draft, 'info/exclude'), `${facts.exclude.trimEnd()}\n.teams/\n.tasks/\n`);
    put(join(draft, 'info/attributes'), ATTRIBUTES);
    renameSync(draft, vault);
  });
}

const BASE = 'base';

/** The second is empty but in an isolation, where the project's objects are shown there. */
const alternatesOf = (objects: string): string => `${objects}\n../${BASE}\n`;

/** Points the repository at the project's objects where they lie now: the project was moved or copied. */
export function renewVault(disk: Disk, { vault }: TeamPaths, objects: string): void {
  const path = join(vault, 'objects/info/alternates');
  const text = alternatesOf(objects);
  if (readText(disk, path) !== text) replaceFile(disk, path, text, newId(0).slice(-10));
}

/** What a tree's own repository stands on, and where it is shown in an isolation. */
export function behindTree(disk: Disk, { vault }: TeamPaths): { from: string; at: string }[] {
  const objects = join(vault, 'objects');
  const [project = ''] = (readText(disk, join(objects, 'info/alternates')) ?? '').split('\n');
  return [
    { from: objects, at: objects },
    ...(lookAt(disk, project)?.isDirectory() === true ? [{ from: project, at: join(vault, BASE) }] : []),
  ];
}

const put = (path: string, text: string): void => writeFileSync(path, text, { mode: FILE_MODE, flag: 'wx' });

/** Whether the repository itself has an object, as git writes it; it may also be in a pack. */
export const hasOwnObject = ({ vault }: Pick<TeamPaths, 'vault'>, object: string): boolean =>
  statSync(join(vault, 'objects', object.slice(0, 2), object.slice(2)), { throwIfNoEntry: false }) !== undefined;

/**
 * The commit of a ref that has a file of its own, and whose commit the repository itself has; undefined also where only
 * git can say.
 */
export function looseRef(paths: Pick<TeamPaths, 'vault'>, ref: string): string | undefined {
  if (!ref.startsWith('refs/')) return undefined;
  const path = join(paths.vault, ref);
  const text = statSync(path, { throwIfNoEntry: false })?.isFile() === true ? readFileSync(path, 'utf8') : '';
  const [commit] = /^(?:[0-9a-f]{40}|[0-9a-f]{64})(?=\n$)/.exec(text) ?? [];
  return commit !== undefined && hasOwnObject(paths, commit) ? commit : undefined;
}

const refsCopy = (vault: string): string => join(vault, 'refs.git');

/**
 * A repository with the same objects whose refs stay as they are now, for one reader at a time.
 *
 * @param refs lines of a commit and a name, sorted by name
 * @throws StoreError
 */
export function copyRefs({ vault }: Pick<TeamPaths, 'vault'>, refs: string): string {
  const at = refsCopy(vault);
  onDisk('create', at, () => {
    rmSync(at, { recursive: true, force: true });
    for (const part of ['objects/info', 'refs']) makeDirectoryPath(join(at, part), DIRECTORY_MODE);
    put(join(at, 'HEAD'), 'ref: refs/heads/none\n');
    copyFileSync(join(vault, 'config'), join(at, 'config'));
    put(join(at, 'objects/info/alternates'), `${join(vault, 'objects')}\n`);
    put(join(at, 'packed-refs'), `# pack-refs with: sorted \n${refs}\n`);
  });
  return at;
}

export const removeRefsCopy = ({ vault }: Pick<TeamPaths, 'vault'>): void =>
  rmSync(refsCopy(vault), { recursive: true, force: true });

/** Where objects are put together that are copied into the repository. */
export const bundlePath = ({ vault }: TeamPaths, commit: string): string => join(vault, `${commit}.bundle`);

export function removeBundle(path: string): void {
  for (const file of [path, `${path}.lock`]) rmSync(file, { force: true });
}

/** The files that the project's own list ignores, as trees ignore them. */
export const excludedIn = (disk: Disk, { vault }: Pick<TeamPaths, 'vault'>): string =>
  readText(disk, join(vault, 'info', 'exclude')) ?? '';

/** The exclude file of a repository; empty without one. */
export const excludeOf = (common: string): string => readUserFile(join(common, 'info', 'exclude')) ?? '';

export const hasTree = (disk: Disk, paths: TeamPaths, of: TreeOwner): boolean =>
  lookAt(disk, paths.tree(of))?.isDirectory() === true;

/**
 * Makes a tree ready for git: its folder is there, and no lock of a killed git is. Only one process works on a tree at a
 * time, so nobody else's lock is removed.
 *
 * @throws StoreError `TEAM_GONE`
 */
export function readyTree(paths: TeamPaths, of: TreeOwner): void {
  // A project that was moved away meanwhile is not made again where it was.
  if (!isDirectory(paths.folder))
    throw new StoreError('TEAM_GONE', `The directory ${paths.folder} was removed while the team was running.`, {
      path: paths.folder,
    });
  onDisk('create', paths.tree(of), () => {
    // Isolations cover both, and git keeps no empty folder.
    for (const folder of ['.teams', '.tasks']) makeDirectoryPath(join(paths.tree(of), folder), DIRECTORY_MODE);
    rmSync(`${paths.treeIndex(of)}.lock`, { force: true });
  });
}

/** The next look at a tree reads all its files. */
export const forgetIndex = (paths: TeamPaths, of: TreeOwner): void => rmSync(paths.treeIndex(of), { force: true });

/** Moves a tree away whose content git cannot keep, with its own repositories, and forgets its index. */
export function setTreeAside(disk: Disk, paths: TeamPaths, of: TreeOwner, when: string): string {
  const aside = paths.treeAside(of, when);
  onDisk('move', paths.tree(of), () => {
    renameSync(paths.tree(of), aside);
    forgetIndex(paths, of);
    // The next one is set up again; what this one started is taken down with it.
    if (wasSetUp(disk, paths, of)) noteSetup(disk, paths, of);
  });
  return aside;
}

/**
 * Gives a tree a repository of its own, so that git which its member runs there reaches neither the project's nor the
 * team's. Nothing of ours ever reads it. An existing one goes away, whatever the member made of it: it is never
 * written into. One with branches or stashes of the member's is moved beside the trees.
 */
export function makeOwnGit(
  disk: Disk,
  paths: TeamPaths,
  of: TreeOwner,
  head: { commit: string; sha256: boolean },
): void {
  const own = join(paths.tree(of), '.git');
  const draft = paths.treeAside(of, 'new');
  onDisk('create', own, () => {
    removeTree(disk, draft);
    for (const part of ['objects/info', 'refs/heads', 'info']) makeDirectoryPath(join(draft, part));
    put(join(draft, 'HEAD'), 'ref: refs/heads/work\n');
    put(join(draft, 'refs/heads/work'), `${head.commit}\n`);
    const kind = head.sha256
      ? '\trepositoryformatversion = 1\n[extensions]\n\tobjectFormat = sha256\n'
      : '\trepositoryformatversion = 0\n';
    put(join(draft, 'config'), `[core]\n${kind}[user]\n\tname = ${of}\n\temail = ${of}@localhost\n`);
    put(join(draft, 'objects/info/alternates'), `${join(paths.vault, 'objects')}\n`);
    put(join(draft, 'info/exclude'), excludedIn(disk, paths));
    copyFileSync(paths.treeIndex(of), join(draft, 'index'));
    for (
      let tries = 1;
      !exchange(disk, { own, draft, aside: paths.treeAside(of, `${newId(0).slice(-10)}.git`) });
      tries += 1
    )
      if (tries === MOST_EXCHANGES)
        throw new StoreError('IO', `A program makes ${own} again and again.`, { path: own });
  });
}

const MOST_EXCHANGES = 100;

/**
 * The member's program may be at work in the old one: it is moved away before it is looked at.
 *
 * @returns false if another one was made meanwhile
 */
function exchange(disk: Disk, { own, draft, aside }: { own: string; draft: string; aside: string }): boolean {
  try {
    if (lookAt(disk, own) !== undefined) renameSync(own, aside);
    if (!isUsed(disk, aside)) removeTree(disk, aside);
    renameSync(draft, own);
    return true;
  } catch (error) {
    if (['ENOENT', 'ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(codeOf(error) ?? '')) return false;
    throw error;
  }
}

/** Whether a member committed or stashed there, so that git keeps a log: the files are kept otherwise, the history only here. */
const isUsed = (disk: Disk, own: string): boolean => lookAt(disk, join(own, 'logs')) !== undefined;

/** Removes the lock of a ref that a killed git left; only one process writes the ref at a time, and it is this one. */
export const freeRef = ({ vault }: Pick<TeamPaths, 'vault'>, ref: string): void =>
  rmSync(join(vault, `${ref}.lock`), { force: true });

/** What is older belongs to no git that works: it holds a lock for milliseconds, and writes on what it has begun. */
const OLDEST_MS = 10_000;

/**
 * Removes locks of refs in a repository that the user's own git writes, too.
 *
 * @param folder of refs that are only ours
 */
export const freeOldRefs = (folder: string, now: number): void =>
  removeOld(folder, now, (name) => name.endsWith('.lock'));

/** Removes what a git left there that was killed or met a full disk. Nothing reads half an object; each try leaves one. */
export const removeHalves = ({ vault }: Pick<TeamPaths, 'vault'>, now: number): void =>
  removeOld(join(vault, 'objects'), now, (name) => basename(name).startsWith('tmp_'));

function removeOld(folder: string, now: number, isLeft: (name: string) => boolean): void {
  let names: string[] = [];
  try {
    names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  } catch (error) {
    if (!isMissing(error)) throw storeFailure('list', folder, error);
  }
  for (const path of names.filter(isLeft).map((name) => join(folder, name))) {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.isFile() === true && now - found.mtimeMs > OLDEST_MS) rmSync(path, { force: true });
  }
}
