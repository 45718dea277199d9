/**
 * Decides before a team is made whether its members get trees of their own: from what was asked, from the plan, and from
 * the project's repository (docs/isolation.md).
 */
import { isTeamError } from '../../model/text/errors.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { lacksSpace, needsNoTrees, writersOf } from '../../policy/landing/isolation-choice.ts';
import { missingExclusion } from '../../store/workspace/exclude.ts';
import { freeBytesAt, sizeOfFiles } from '../../store/workspace/project-size.ts';
import { repositoryAt, within } from '../process/git-place.ts';
import { GitFailure, requireGit } from '../process/git-tree.ts';
import { git } from '../process/git.ts';
import { repositoryMisfit } from '../trees/vault.ts';
import { noIsolation } from './open-landing.ts';

const NO_REPOSITORY = 'the working directory is in no git repository';

/**
 * @param asked `off` looks at nothing
 * @returns `trees`, or why the members share the project's files, where `auto` was asked for
 * @throws AgentError `NO_ISOLATION` where trees were asked for and are not possible
 */
export async function chooseIsolation(
  plan: Plan,
  asked: 'auto' | 'trees',
  cwd: string,
): Promise<{ readonly isolation: 'trees' } | { readonly why: string }> {
  const why =
    (asked === 'auto' ? needsNoTrees(plan) : undefined) ??
    (await placeMisfit(cwd, asked === 'auto' ? writersOf(plan) : undefined));
  if (why === undefined) return { isolation: 'trees' };
  if (asked === 'trees') throw noIsolation(why);
  return { why };
}

/** @param writers for which there must be enough space; undefined: that is not looked at */
async function placeMisfit(cwd: string, writers: number | undefined): Promise<string | undefined> {
  if (missingExclusion(cwd) === undefined) return NO_REPOSITORY;
  const { signal } = new AbortController();
  try {
    const repository = await repositoryAt({ cwd, signal });
    if (typeof repository === 'string') return repository;
    const where = within(repository, { signal });
    const why = await repositoryMisfit(where, repository.prefix);
    if (why !== undefined || writers === undefined) return why;
    const listed = requireGit(await git(['ls-files', '-z', '--', ':/'], where), 'git ls-files').split('\0');
    const projectBytes = sizeOfFiles(repository.top, listed);
    return lacksSpace({ projectBytes, freeBytes: freeBytesAt(cwd), writers });
  } catch (error) {
    if (!(error instanceof GitFailure) && !isTeamError(error)) throw error;
    return error.message;
  }
}
