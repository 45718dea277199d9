/** The diff of a working directory against its last commit, from git. */
import { UsageError } from '../../model/text/errors.ts';
import { LIMITS } from '../../policy/context-budget.ts';
import { repositoryAt, type KnownPlace, type Repository } from './git-place.ts';
import { DIFF, GitFailure, requireGit } from './git-tree.ts';
import { withTrees } from './working-tree.ts';
import { git, type GitAnswer } from './git.ts';

type Diff = { readonly known: KnownPlace } & (
  { readonly ok: true; readonly text: string } | { readonly ok: false; readonly bytes: number }
);

/**
 * @param before the repository of an earlier diff; another one is refused
 * @returns the diff, or its size in bytes if it is over the limit
 * @throws UsageError `USAGE` without a repository, or without git
 */
export async function gitDiff(cwd: string, signal: AbortSignal, before?: KnownPlace): Promise<Diff> {
  const repository = await repositoryAt({ cwd, signal }, before);
  if (typeof repository === 'string') throw needed(cwd, repository);
  const { code, text, bytes, said } = await differences(repository, signal).catch((error: unknown) => {
    throw error instanceof GitFailure ? needed(cwd, error.message) : error;
  });
  if (code !== 0) throw needed(cwd, said || 'git failed');
  const known = { top: repository.top, git: repository.place };
  return bytes > LIMITS.diff ? { ok: false, bytes, known } : { ok: true, text, known };
}

/** Of files that git knows: with the last commit; without one, what is staged. */
const differences = (repository: Repository, signal: AbortSignal): Promise<GitAnswer> =>
  withTrees(repository, { signal }, { isTracked: true }, async ({ staged, files, where }) => {
    const head = await git(['rev-parse', '--verify', '--quiet', 'HEAD'], where);
    const empty = (): Promise<GitAnswer> => git(['hash-object', '-t', 'tree', '/dev/null'], where);
    const [from, to] =
      head.code === 0 ? ['HEAD', files] : [requireGit(await empty(), 'git hash-object'), staged ?? files];
    return git([...DIFF, from, to, '--'], { ...where, keptBytes: LIMITS.diff });
  });

const needed = (cwd: string, why: string): UsageError =>
  new UsageError('USAGE', `--include-diff needs a git repository in ${cwd}: ${why}.`);
