/**
 * Where git works for a directory, and the proof that it still works there. A program in the workspace may write
 * `.git`, its `commondir` or `core.worktree`, and our git would then read or write another repository of the user. So the
 * place is taken before members start, compared before each use, and given to git by name.
 */
import { relative, resolve } from 'node:path';
import type { GitPlace } from '../../model/run/run-state.ts';
import { borrowedObjects } from '../../store/workspace/repositories.ts';
import { entriesAt, linkAt, realPath } from '../../store/workspace/sandbox-host.ts';
import { realDisk } from '../../store/files/disk.ts';
import { folderRepository, hasFolderRepository, isFolderRepository } from '../../store/trees/folder-repository.ts';
import { isVaultOurs } from '../../store/trees/vault.ts';
import { missingExclusion } from '../../store/workspace/exclude.ts';
import { git, type GitWhere } from './git.ts';

export interface Repository {
  /** The root of its working tree. */
  readonly top: string;
  /** From there to the directory that was asked about: empty, or with a slash at its end. */
  readonly prefix: string;
  readonly index: string;
  readonly objects: string;
  readonly place: GitPlace;
}

/** A place that was taken before, and the root of the working tree at that time. */
export interface KnownPlace {
  readonly top: string;
  readonly git: GitPlace | undefined;
}

const PARTS = ['directory', 'common', 'objects', 'refs'] as const;
const PATHS = ['objects', 'refs', 'refs/teams', 'index'];
const ASKED = [
  ...['--show-toplevel', '--show-prefix', '--absolute-git-dir', '--git-common-dir'].map((one) => [one]),
  ...PATHS.map((part) => ['--git-path', part]),
];

/** Whether a directory lies in a repository of the user's, or teams have one behind it. */
export const hasRepository = (cwd: string): boolean =>
  missingExclusion(cwd) !== undefined || hasFolderRepository(realDisk, cwd);

/**
 * Whether two names that differ in case are one file on its disk. The configuration may say so of another disk, from
 * which the repository was copied.
 */
export const hasOneCase = ({ top, place }: Pick<Repository, 'top' | 'place'>): boolean =>
  entriesAt([resolve(top, place.common, 'hEAD')]).length > 0;

/** Whether the repository is ours, behind a folder without git. */
export const isBehindFolder = ({ place }: Pick<Repository, 'place'>): boolean => isFolderRepository(place.directory);

/**
 * Git in the repository behind a folder; elsewhere as it is.
 *
 * @returns why it is not used
 */
function inOwn(where: GitWhere, known: KnownPlace | undefined): GitWhere | string {
  const { cwd } = where;
  const isIn =
    known?.git === undefined
      ? hasFolderRepository(realDisk, cwd) && missingExclusion(cwd) === undefined
      : isFolderRepository(known.git.directory);
  if (!isIn) return where;
  const own = folderRepository(cwd);
  if (!isVaultOurs(realDisk, { vault: own }))
    return `the configuration of ${own} was changed by another program, and may name programs: restore it`;
  return { ...where, env: { ...where.env, GIT_DIR: own, GIT_WORK_TREE: cwd } };
}

/**
 * @param known the place at an earlier time
 * @returns the repository, or why there is none, or why it is not the one of that time
 */
export async function repositoryAt(where: GitWhere, known?: KnownPlace): Promise<Repository | string> {
  const asked = inOwn(where, known);
  if (typeof asked === 'string') return asked;
  const answer = await placesIn(asked);
  if (typeof answer === 'string') return answer;
  const [top = '', prefix = '', ...found] = answer;
  const [directory = '', common = '', objects = '', refs = '', own = '', index = ''] = found.map((path) =>
    resolve(where.cwd, path),
  );
  if (linkAt(own) !== undefined) return `${own} is a link`;
  const at = (path: string): string => kept(top, real(path));
  const place = {
    directory: at(directory),
    common: at(common),
    objects: at(objects),
    refs: at(refs),
    alternates: borrowedObjects(objects).map(at),
  };
  const changed = known?.git === undefined ? undefined : changeOf({ top, place }, { top: known.top, git: known.git });
  return changed ?? { top, prefix, index, objects, place };
}

/** @returns what git answers to each question of {@link ASKED}, or why it does not */
async function placesIn(where: GitWhere): Promise<string[] | string> {
  const all = await git(['rev-parse', ...ASKED.flat()], where);
  const lines = all.text.split('\n').slice(0, -1);
  if (all.code !== 0 || lines.length === 0) return all.said || 'no working tree';
  if (lines.length === ASKED.length) return lines;
  // A path has a line break: one answer of git is one path, to its last character.
  const answers: string[] = [];
  for (const question of ASKED) {
    const { code, text, said } = await git(['rev-parse', ...question], where);
    if (code !== 0) return said;
    answers.push(text.slice(0, -1));
  }
  return answers;
}

/** Git that cannot leave the repository, whatever is written into it meanwhile. */
export const within = ({ top, place }: Pick<Repository, 'top' | 'place'>, where: Omit<GitWhere, 'cwd'>): GitWhere => ({
  ...where,
  cwd: top,
  env: {
    GIT_OBJECT_DIRECTORY: resolve(top, place.objects),
    ...where.env,
    GIT_DIR: resolve(top, place.directory),
    GIT_COMMON_DIR: resolve(top, place.common),
    GIT_WORK_TREE: top,
  },
});

function changeOf(
  { top, place }: Pick<Repository, 'top' | 'place'>,
  known: Required<KnownPlace> & { git: GitPlace },
): string | undefined {
  const cure = 'it was changed since agents began; look at `.git`, and put it back';
  if (real(top) !== real(known.top)) return `git works in ${top} and not in ${known.top}: ${cure}`;
  const part = PARTS.find((one) => place[one] !== known.git[one]);
  if (part === undefined) return borrowedSince(place, known.git, top, cure);
  const [now, before] = [place[part], known.git[part]].map((path) => resolve(top, path));
  return `git uses ${now ?? ''} and not ${before ?? ''}: ${cure}`;
}

/** Objects of another repository are as good as its files: `HEAD` may name them. Fewer than before are no harm. */
function borrowedSince(place: GitPlace, known: GitPlace, top: string, cure: string): string | undefined {
  if (known.alternates === undefined) return undefined;
  const more = place.alternates?.find((one) => known.alternates?.includes(one) !== true);
  return more === undefined
    ? undefined
    : `git also reads the objects in ${resolve(top, more)}, by objects/info/alternates: ${cure}`;
}

/** A path as a safety point keeps it: relative to the root of the working tree if it lies there, `.` for the root. */
export const keptPath = (top: string, path: string): string => kept(real(top), real(path)) || '.';

/** Relative to the working tree if it lies there: a copied or moved project has its own. */
function kept(top: string, path: string): string {
  const inside = relative(top, path);
  return inside === '..' || inside.startsWith('../') || inside.startsWith('/') ? path : inside;
}

function real(path: string): string {
  try {
    return realPath(path);
  } catch {
    // Missing, such as `refs` where all are packed elsewhere.
    return path;
  }
}
