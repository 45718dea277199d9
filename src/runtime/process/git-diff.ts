/** The diff of a working directory against its last commit, from git. */
import { UsageError } from '../../model/text/errors.ts';
import { LIMITS } from '../../policy/context-budget.ts';
import { repositoryAt, within, type KnownPlace } from './git-place.ts';
import { git } from './git.ts';

type Diff = { readonly known: KnownPlace } & (
  { readonly ok: true; readonly text: string } | { readonly ok: false; readonly bytes: number }
);

/** No external diff, no text conversion, no look into submodules: their configuration names programs of its own. */
export const DIFF = ['diff', '--no-ext-diff', '--no-textconv', '--no-color', '--ignore-submodules=all'];

/**
 * @param before the repository of an earlier diff; another one is refused
 * @returns the diff, or its size in bytes if it is over the limit
 * @throws UsageError `USAGE` without a repository, or without git
 */
export async function gitDiff(cwd: string, signal: AbortSignal, before?: KnownPlace): Promise<Diff> {
  const repository = await repositoryAt({ cwd, signal }, before);
  if (typeof repository === 'string') throw needed(cwd, repository);
  const where = within(repository, { signal, keptBytes: LIMITS.diff }, cwd);
  const head = await git(['rev-parse', '--verify', '--quiet', 'HEAD'], where);
  const against = head.code === 0 ? ['HEAD'] : ['--cached'];
  const { code, text, bytes, said } = await git([...DIFF, ...against, '--'], where);
  if (code !== 0) throw needed(cwd, said || 'git failed');
  const known = { top: repository.top, git: repository.place };
  return bytes > LIMITS.diff ? { ok: false, bytes, known } : { ok: true, text, known };
}

const needed = (cwd: string, why: string): UsageError =>
  new UsageError('USAGE', `--include-diff needs a git repository in ${cwd}: ${why}.`);
