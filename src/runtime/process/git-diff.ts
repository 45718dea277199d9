/** The diff of a working directory against its last commit, from git. */
import { UsageError } from '../../model/text/errors.ts';
import { LIMITS } from '../../policy/context-budget.ts';
import { git } from './git.ts';

type Diff = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly bytes: number };

/** No external diff, no text conversion, no look into submodules: their configuration names programs of its own. */
export const DIFF = ['diff', '--no-ext-diff', '--no-textconv', '--no-color', '--ignore-submodules=all'];

/**
 * @returns the diff, or its size in bytes if it is over the limit
 * @throws UsageError `USAGE` without a repository, or without git
 */
export async function gitDiff(cwd: string, signal: AbortSignal): Promise<Diff> {
  const where = { cwd, signal, keptBytes: LIMITS.diff };
  const head = await git(['rev-parse', '--verify', '--quiet', 'HEAD'], where);
  const against = head.code === 0 ? ['HEAD'] : ['--cached'];
  const { code, text, bytes, said } = await git([...DIFF, ...against, '--'], where);
  if (code !== 0)
    throw new UsageError('USAGE', `--include-diff needs a git repository in ${cwd}: ${said || 'git failed'}.`);
  return bytes > LIMITS.diff ? { ok: false, bytes } : { ok: true, text };
}
