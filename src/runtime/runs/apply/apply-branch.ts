/**
 * Makes a branch of what landed: one commit a change, each merged again onto the user's HEAD with what it began from as
 * base. So edits of the user's that are not committed are in none of them; a change that needs one is refused. The branch
 * is made, never moved; commits are the user's, unsigned, and no hook runs (docs/isolation.md).
 */
import { ConflictError, UsageError } from '../../../model/text/errors.ts';
import type { Task } from '../../../model/board/task.ts';
import { safeLine, shownPath } from '../../../model/text/safe-text.ts';
import { newId } from '../../../store/files/new-ids.ts';
import { cwdOf, ownDocuments, stateIn, type TeamReader } from '../../../store/team/team-reader.ts';
import { mirror } from '../../landing/mirror.ts';
import { isBehindFolder, repositoryAt, within } from '../../process/git-place.ts';
import { GitFailure, requireGit } from '../../process/git-tree.ts';
import { git, type GitWhere } from '../../process/git.ts';
import { knownOf } from '../../process/safety-ref.ts';
import { triedAgain } from '../../process/try-again.ts';
import { changeOnTop } from '../../trees/change-on-top.ts';
import { keepCommit } from '../../trees/kept-objects.ts';
import { vaultHere, VaultRefs } from '../../trees/vault.ts';
import { commitOf, commitTree, treeOf } from '../../trees/vault-commits.ts';
import { attemptKey } from '../../trees/member-tree.ts';

interface MadeBranch {
  readonly name: string;
  readonly commit: string;
  /** Its commits, each with its subject. */
  readonly commits: readonly string[];
}

interface BranchChoice {
  readonly name: string;
  /** Only the change of this task. */
  readonly task?: Task | undefined;
  /** A branch that was made before from the same work is taken as it is: it may not have been pushed. */
  readonly mayExist?: boolean;
}

/** @throws UsageError `USAGE` for a team whose members wrote into the user's files */
export function requireTrees({ config, paths: { name } }: TeamReader, undone: string): void {
  if (config.read()?.isolation !== 'trees')
    throw new UsageError(
      'USAGE',
      `${undone}: the members of team ${name} have no trees of their own, they wrote into your files.`,
    );
}

/**
 * @throws UsageError `USAGE` for a name that git refuses, or without anything to bring; ConflictError `REFUSED` for a
 *   branch that exists, and naming the files of a change that does not fit to HEAD
 */
export async function makeBranch(reader: TeamReader, choice: BranchChoice, signal: AbortSignal): Promise<MadeBranch> {
  const store = ownDocuments(reader);
  const { name } = store.paths;
  const { start } = stateIn(store) ?? {};
  requireTrees(store, 'No branch was made');
  if (start === undefined) throw new UsageError('USAGE', `Nothing of team ${name} has landed: it was never run.`);
  try {
    const repository = await repositoryAt({ cwd: cwdOf(store), signal }, knownOf(store, start));
    if (typeof repository === 'string') throw new GitFailure(repository);
    if (isBehindFolder(repository)) throw new GitFailure('the working directory is in no git repository');
    return await triedAgain(() => branchIn(store, choice, within(repository, { signal }), signal));
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    throw new UsageError('USAGE', `No branch was made: ${error.message}.`);
  }
}

async function branchIn(
  store: TeamReader,
  { name, task, mayExist = false }: BranchChoice,
  theirs: GitWhere,
  signal: AbortSignal,
): Promise<MadeBranch> {
  const { paths } = store;
  const refs = new VaultRefs(store);
  const own = vaultHere(store, { signal });
  await requireNewBranch(name, { mayExist }, theirs);
  const head = await commitOf('HEAD', theirs);
  const empty = requireGit(await git(['hash-object', '-t', 'tree', '/dev/null'], own), 'git hash-object');
  const landed = await changesOf(refs, task, own);
  if (landed.length === 0)
    throw new UsageError('USAGE', `No branch was made: nothing of team ${paths.name} has landed.`);
  const who = await identity(theirs);
  const commits: string[] = [];
  let top = { commit: head, tree: head === undefined ? empty : await treeOf(head, theirs) };
  for (const change of landed) {
    const tree = await onTop(top.tree, change, own);
    if (Array.isArray(tree)) throw misfit(paths.name, change.subject, tree);
    if (tree === top.tree) continue;
    const parents = top.commit === undefined ? [] : [top.commit];
    const commit = commitTree({ tree, parents, message: messageOf(change) }, { ...own, env: { ...own.env, ...who } });
    top = { commit, tree };
    commits.push(change.subject);
  }
  if (top.commit === undefined || commits.length === 0)
    throw new UsageError('USAGE', `No branch was made: HEAD has all that landed in team ${paths.name}.`);
  const before = mayExist ? await commitOf(`refs/heads/${name}`, theirs) : undefined;
  if (before !== undefined) {
    if ((await treeOf(before, theirs)) !== top.tree || !(await isMadeHere(before, refs, own))) throw existing(name);
    return { name, commit: before, commits };
  }
  const ref = refs.branch(newId(store.clock.now()));
  await keepCommit(paths, { refs: [ref], commit: top.commit, known: head ?? refs.root }, own);
  const trouble = await mirror(store, refs.all, { signal });
  if (trouble !== undefined) throw new GitFailure(trouble);
  const made = await git(['update-ref', `refs/heads/${name}`, top.commit, ''], theirs);
  if (made.code !== 0) throw new GitFailure(`git update-ref: ${made.said}`);
  return { name, commit: top.commit, commits };
}

/** Whether a branch of this team began at this commit. */
async function isMadeHere(commit: string, refs: VaultRefs, own: GitWhere): Promise<boolean> {
  const listed = await git(['for-each-ref', '--format=%(objectname)', refs.branches], own);
  return requireGit(listed, 'git for-each-ref').split('\n').includes(commit);
}

const existing = (name: string): ConflictError =>
  new ConflictError('REFUSED', `Branch ${name} exists already, and is not moved; choose another name.`);

async function requireNewBranch(
  name: string,
  { mayExist }: { readonly mayExist: boolean },
  theirs: GitWhere,
): Promise<void> {
  const { code } = await git(['check-ref-format', '--branch', name], theirs);
  if (code !== 0) throw new UsageError('USAGE', `${JSON.stringify(name)} is no name of a branch.`);
  if (!mayExist && (await commitOf(`refs/heads/${name}`, theirs)) !== undefined) throw existing(name);
}

/** The user's name and address, as variables of git. @throws GitFailure without them */
async function identity(theirs: GitWhere): Promise<Record<string, string>> {
  const { code, text: said } = await git(['var', 'GIT_AUTHOR_IDENT'], theirs);
  if (code !== 0)
    throw new GitFailure('git does not know who you are: git config --global user.name NAME, and user.email ADDRESS');
  const [, name = '', email = ''] = /^(.*) <(.*)> \d+ [+-]\d+$/.exec(said.trim()) ?? [];
  return Object.fromEntries(
    ['AUTHOR', 'COMMITTER'].flatMap((as) => [
      [`GIT_${as}_NAME`, name],
      [`GIT_${as}_EMAIL`, email],
    ]),
  );
}

interface Change {
  /** The states before and after it. */
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly trailers: string;
  readonly member: string;
}

/** Ended by NUL, as each record is by `-z`: the one byte that no message of a commit has. */
const FIELDS = ['%H', '%P', '%s', '%(trailers:only,unfold)', '%(trailers:key=Teams-Member,valueonly)'];

/** Oldest first. */
async function changesOf(refs: VaultRefs, task: Task | undefined, own: GitWhere): Promise<Change[]> {
  const range = `${refs.root}..${refs.main}`;
  const args = ['log', '-z', '--first-parent', '--reverse', `--format=${FIELDS.join('%x00')}`, range];
  const words = requireGit(await git(args, own), 'git log').split('\0');
  const all: Change[] = [];
  for (let at = 0; at + FIELDS.length <= words.length; at += FIELDS.length) {
    const [to = '', parents = '', subject = '', trailers = '', member = ''] = words.slice(at, at + FIELDS.length);
    const [from = ''] = parents.split(' ');
    // Commits of earlier versions have the subject as the member wrote it.
    if (from !== '')
      all.push({ from, to, subject: safeLine(subject), trailers: trailers.trim(), member: member.trim() });
  }
  if (task === undefined) return all;
  const key = attemptKey(task);
  const its = all.filter(({ trailers }) => trailers.split('\n').includes(`Teams-Attempt: ${key}`));
  if (its.length === 0) throw new UsageError('USAGE', `No change of task #${task.id} has landed.`);
  return its;
}

/** The tree with a change on top, or the files that do not fit. */
async function onTop(top: string, change: Change, own: GitWhere): Promise<string | string[]> {
  const { tree, conflicts } = await changeOnTop(top, change, own);
  return conflicts.length > 0 ? [...conflicts] : tree;
}

const messageOf = ({ subject, trailers, member }: Change): string => {
  const by = member === '' || member === 'lead' ? [] : [`Co-authored-by: ${member} <${member}@teams.invalid>`];
  return [subject, '', trailers, ...by].join('\n');
};

const misfit = (team: string, subject: string, files: readonly string[]): ConflictError =>
  new ConflictError(
    'REFUSED',
    `No branch was made: ${JSON.stringify(subject)} of team ${team} does not fit to HEAD in ${files.map(shownPath).join(', ')}: it builds on edits of yours that are not committed, or HEAD changed the same place. Commit them first, or use \`teams apply\` without --branch.`,
  );
