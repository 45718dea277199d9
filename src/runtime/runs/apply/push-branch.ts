/**
 * Pushes a branch of what landed with the user's own git, and opens a pull request with the user's own `gh` or `glab`
 * (docs/isolation.md). Credentials, hooks and signing of pushes are the user's.
 */
import { ConflictError, UsageError } from '../../../model/text/errors.ts';
import { findProgram, pathOutside } from '../../../os/program-path.ts';
import { cwdOf, type TeamReader } from '../../../store/team/team-reader.ts';
import { quotedWord } from '../../process/git.ts';
import { requireTrees } from './apply-branch.ts';
import { runAsUser } from '../../process/user-program.ts';
import type { PullRequestText } from '../../views/pull-request-text.ts';

interface UserPlace {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

interface PushTarget {
  readonly remote: string;
  readonly url: string;
}

/**
 * @param asked the name of a remote; without one the remote of the present branch, `origin`, or the only one
 * @throws UsageError `USAGE` for a remote that the repository does not have, or for a team without trees
 */
export async function pushTarget(store: TeamReader, asked: string | undefined, place: UserPlace): Promise<PushTarget> {
  requireTrees(store, 'Nothing was pushed');
  const said = async (...args: string[]): Promise<string> =>
    (await runAsUser(['git', ...args], { ...place, cwd: cwdOf(store) }, place.signal)).out.trim();
  if ((await said('rev-parse', '--git-dir')) === '')
    throw new UsageError('USAGE', 'Nothing was pushed: the working directory is in no git repository.');
  const remotes = (await said('remote')).split('\n').filter(Boolean);
  const branch = await said('symbolic-ref', '--quiet', '--short', 'HEAD');
  const usual = branch === '' ? '' : await said('config', '--get', `branch.${branch}.remote`);
  const likely = [usual, 'origin', ...(remotes.length === 1 ? remotes : [])].find((one) => remotes.includes(one));
  const remote = asked ?? likely;
  if (remotes.length === 0)
    throw new UsageError(
      'USAGE',
      'Nothing was pushed: the repository has no remote; add one with `git remote add origin URL`.',
    );
  if (remote === undefined || !remotes.includes(remote))
    throw new UsageError(
      'USAGE',
      `Nothing was pushed: ${remote === undefined ? 'it is not clear which remote is meant' : `there is no remote ${JSON.stringify(remote)}`}; the repository has ${remotes.join(', ')}.`,
    );
  return { remote, url: await said('remote', 'get-url', '--push', remote) };
}

/** @throws ConflictError `REFUSED` with what git said; the branch stays here */
export async function pushBranch(
  store: TeamReader,
  { remote, branch }: { readonly remote: string; readonly branch: string },
  place: UserPlace,
): Promise<void> {
  const args = ['push', '--', remote, `refs/heads/${branch}:refs/heads/${branch}`];
  const { code, err } = await runAsUser(['git', ...args], { ...place, cwd: cwdOf(store) }, place.signal);
  if (code === 0) return;
  throw new ConflictError(
    'REFUSED',
    `Branch ${branch} was made and not pushed to ${remote}: ${reasonIn(err)}. \`git push ${remote} ${branch}\` tries it again.`,
  );
}

/** The line of git's that says why, or the last one. */
function reasonIn(text: string): string {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('hint:'));
  const why =
    lines.find((line) => /\[(?:remote )?rejected\]|^(?:fatal|remote: error|ERROR):/i.test(line)) ?? lines.at(-1);
  return (why ?? 'git failed').replace(/^(?:fatal|error): /, '').replace(/\.$/, '');
}

interface Opener {
  readonly program: 'gh' | 'glab';
  readonly argv: readonly string[];
}

/** How a pull request is opened; by the host of the remote, else by what is on PATH. */
export function openerFor(
  { url }: Pick<PushTarget, 'url'>,
  branch: string,
  { title, body }: PullRequestText,
  environment: UserPlace['environment'],
): Opener & { readonly isThere: boolean } {
  const there = (['gh', 'glab'] as const).filter(
    (program) => findProgram(program, pathOutside(environment['PATH'] ?? '')) !== undefined,
  );
  const isGitLab = /gitlab/i.test(url);
  const isGitHub = /github/i.test(url);
  const wanted = isGitLab ? 'glab' : isGitHub ? 'gh' : (there[0] ?? 'gh');
  const argv =
    wanted === 'gh'
      ? ['gh', 'pr', 'create', '--head', branch, '--title', title, '--body', body]
      : ['glab', 'mr', 'create', '--source-branch', branch, '--title', title, '--description', body, '--yes'];
  return { program: wanted, argv, isThere: there.includes(wanted) };
}

/** @returns the address that it printed; or why it was not opened */
export async function openPullRequest(
  store: TeamReader,
  { program, argv }: Opener,
  place: UserPlace,
): Promise<{ readonly url: string } | { readonly why: string }> {
  const { code, out, err } = await runAsUser(argv, { ...place, cwd: cwdOf(store) }, place.signal);
  if (code !== 0) return { why: `${program}: ${reasonIn(err)}` };
  return { url: /https?:\/\/\S+/.exec(out)?.[0] ?? out.trim() };
}

/** A command for a person to copy. */
export const shownCommand = (argv: readonly string[]): string => argv.map(quotedWord).join(' ');
