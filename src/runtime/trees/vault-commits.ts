/** Commits and refs of a team's own repository: read and written without git where that can be, by git elsewhere. */
import { isTeamError } from '../../model/text/errors.ts';
import { realClock } from '../../os/system-clock.ts';
import { realDisk } from '../../store/files/disk.ts';
import type { TeamPaths } from '../../store/files/paths.ts';
import { readCommit, setRef, writeCommit } from '../../store/trees/vault-objects.ts';
import { looseRef } from '../../store/trees/vault.ts';
import { GitFailure, requireGit } from '../process/git-tree.ts';
import { git, type GitWhere } from '../process/git.ts';

/** @returns the commit of a ref; undefined if there is none */
export async function commitOf(ref: string, where: GitWhere): Promise<string | undefined> {
  const vault = vaultOf(where);
  const there = vault && looseRef(vault, ref);
  if (there !== undefined) return there;
  const { code, text } = await git(['rev-parse', '--verify', '--quiet', `${ref}^{commit}`], where);
  return code === 0 ? text.trim() : undefined;
}

/** Trees of commits that were looked at last; a commit's name says its tree. */
const trees = new Map<string, string>();
const MOST_TREES = 1_000;

function noteTree(commit: string, tree: string): string {
  if (trees.size >= MOST_TREES) trees.clear();
  trees.set(commit, tree);
  return tree;
}

/** A disk that fails is to the callers of git as one on which git fails. */
function asGit<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw isTeamError(error) ? new GitFailure(`${what}: ${error.message.replace(/\.$/, '')}`) : error;
  }
}

const vaultOf = ({ isOurs, env }: GitWhere): { vault: string } | undefined =>
  isOurs === true && env?.['GIT_DIR'] !== undefined ? { vault: env['GIT_DIR'] } : undefined;

function readTree(commit: string, where: GitWhere): string | undefined {
  const vault = vaultOf(where);
  return vault && readCommit(realDisk, vault, commit)?.tree;
}

/** @throws GitFailure */
export async function treeOf(commit: string, where: GitWhere): Promise<string> {
  const known = trees.get(commit) ?? readTree(commit, where);
  if (known !== undefined) return noteTree(commit, known);
  const tree = requireGit(await git(['rev-parse', '--verify', `${commit}^{tree}`], where), 'git rev-parse');
  return noteTree(commit, tree);
}

/** Whether a tree is known to be the one of a commit, without asking git. */
export const isKnownTree = (commit: string, tree: string): boolean => trees.get(commit) === tree;

interface NewCommit {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: string;
  /** Seconds since 1970: the same commit made again has the same name. */
  readonly date?: string | undefined;
}

/**
 * Commits a tree in the team's own repository.
 *
 * @throws GitFailure; Error (a bug) for another repository
 */
export function commitTree({ tree, parents, message, date }: NewCommit, where: GitWhere): string {
  const vault = vaultOf(where);
  if (vault === undefined) throw new Error('This is not the repository of a team.');
  const { env = {} } = where;
  const who = (as: string): string => `${env[`GIT_${as}_NAME`] ?? ''} <${env[`GIT_${as}_EMAIL`] ?? ''}>`;
  const words = {
    tree,
    parents,
    message,
    author: who('AUTHOR'),
    committer: who('COMMITTER'),
    date: date === undefined ? dateOf(realClock.now()) : `${date} +0000`,
  };
  const commit = asGit('commit', () => writeCommit(realDisk, vault, words));
  noteTree(commit, tree);
  return commit;
}

/** Of a moment, as git writes it: seconds since 1970 and the zone of this machine. */
function dateOf(now: number): string {
  const minutes = -new Date(now).getTimezoneOffset();
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  const zone = [hours, rest].map((part) => String(part).padStart(2, '0')).join('');
  return `${Math.floor(now / 1_000)} ${minutes < 0 ? '-' : '+'}${zone}`;
}

/**
 * Moves a ref of the team's own repository to a commit that is whole.
 *
 * @param move with where it must be now; without that it may be anywhere
 * @throws GitFailure
 */
export async function moveRef(
  paths: TeamPaths,
  ref: string,
  move: { readonly from?: string; readonly to: string },
  where: GitWhere,
): Promise<void> {
  if (asGit('ref', () => setRef(realDisk, paths, ref, move))) return;
  const from = move.from === undefined ? [] : [move.from];
  requireGit(await git(['update-ref', ref, move.to, ...from], where), 'git update-ref');
}
