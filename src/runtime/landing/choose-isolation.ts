/**
 * Decides before a team is made whether its members get trees of their own: from what was asked, from the plan, and from
 * the project's repository (docs/isolation.md).
 */
import { isTeamError } from '../../model/text/errors.ts';
import {
  lacksSpace,
  lendRule,
  needsNoTrees,
  writersOf,
  type TreesSubject,
} from '../../policy/landing/isolation-choice.ts';
import { join, resolve } from 'node:path';
import { realClock } from '../../os/system-clock.ts';
import { lookAt, realDisk } from '../../store/files/disk.ts';
import { makeFolderRepository } from '../../store/trees/folder-repository.ts';
import { missingExclusion } from '../../store/workspace/exclude.ts';
import { freeBytesAt, sizeOfFiles } from '../../store/workspace/project-size.ts';
import { lendable } from '../../store/trees/tree-needs.ts';
import { repositoryAt, within } from '../process/git-place.ts';
import { GitFailure, requireGit } from '../process/git-tree.ts';
import { git, type GitWhere } from '../process/git.ts';
import { repositoryMisfit } from '../trees/vault.ts';
import { noIsolation } from './open-landing.ts';

/** What lies in a repository without a working tree. */
const BARE = ['HEAD', 'objects', 'refs'];
const NO_REPOSITORY = 'the working directory is in no git repository';

interface TreesWanted {
  readonly cwd: string;
  /** What holds `.teams`. */
  readonly root: string;
  /** What each tree borrows of the project. */
  readonly lend: readonly string[];
  /** Called with what a person should know. */
  readonly say?: ((text: string) => void) | undefined;
}

/**
 * @param asked `off` looks at nothing
 * @returns `trees`, or why the members share the project's files, where `auto` was asked for
 * @throws AgentError `NO_ISOLATION` where trees were asked for and are not possible
 */
export async function chooseIsolation(
  plan: Pick<TreesSubject, 'members'>,
  asked: 'auto' | 'trees',
  place: TreesWanted,
): Promise<{ readonly isolation: 'trees' } | { readonly why: string }> {
  const why =
    (asked === 'auto' ? needsNoTrees(plan) : undefined) ??
    (await placeMisfit(place, asked === 'auto' ? writersOf(plan) : undefined));
  if (why === undefined) return { isolation: 'trees' };
  if (asked === 'trees') throw noIsolation(why);
  return { why };
}

/** @param writers for which there must be enough space; undefined: that is not looked at */
async function placeMisfit(
  { cwd, root, lend, say = () => {} }: TreesWanted,
  writers: number | undefined,
): Promise<string | undefined> {
  if (missingExclusion(cwd) === undefined) {
    // Where nobody asked for it, a folder without git stays as it is.
    if (writers !== undefined) return NO_REPOSITORY;
    if (resolve(root) !== resolve(cwd))
      return `${NO_REPOSITORY}, and .teams is not in it but in ${root} (start there, or with \`--root .\`)`;
    if (BARE.every((name) => lookAt(realDisk, join(cwd, name)) !== undefined))
      return 'the working directory is a bare git repository, which has no files to change';
    makeFolderRepository(realDisk, cwd, realClock.now());
  }
  const { signal } = new AbortController();
  try {
    const repository = await repositoryAt({ cwd, signal });
    if (typeof repository === 'string') return repository;
    const where = within(repository, { signal });
    const why = (await repositoryMisfit(where, repository.prefix)) ?? (await lendMisfit(lend, where, say));
    if (why !== undefined || writers === undefined) return why;
    const listed = requireGit(await git(['ls-files', '-z', '--', ':/'], where), 'git ls-files').split('\0');
    const projectBytes = sizeOfFiles(repository.top, listed);
    return lacksSpace({ projectBytes, freeBytes: freeBytesAt(cwd), writers });
  } catch (error) {
    if (!(error instanceof GitFailure) && !isTeamError(error)) throw error;
    return error.message;
  }
}

/** What git knows is in each tree anyway, and what a rule protects is lent to nobody. */
async function lendMisfit(
  lend: readonly string[],
  where: GitWhere,
  say: (text: string) => void,
): Promise<string | undefined> {
  const guarded = lend.map((path) => ({ path, rule: lendRule(path) })).find(({ rule }) => rule !== undefined);
  if (guarded !== undefined) return `${guarded.path} cannot be lent to trees (rule: ${guarded.rule})`;
  for (const path of lend.filter((one) => lendable(where.cwd, [one]).length === 0))
    say(`No tree has ${path}: the project has none to lend (isolation.lend).`);
  for (const { path } of lendable(where.cwd, lend)) {
    const tracked = requireGit(await git(['ls-files', '-z', '--', `:(top,literal)${path}`], where), 'git ls-files');
    const { code, said } = await git(['check-ignore', '--quiet', '--no-index', '--', path], where);
    if (code !== 0 && code !== 1) return `${path} cannot be lent to trees: ${said}`;
    if (tracked !== '' || code === 1)
      return `git does not ignore ${path}, so each tree has it by itself; take it out of isolation.lend`;
  }
  return undefined;
}
