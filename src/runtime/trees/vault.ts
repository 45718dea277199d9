/**
 * A team's own git repository (docs/isolation.md). What members made lies there under refs of the team: the common
 * state `main`, their attempts, what they left half done. Git works only with its configuration, never with one that a
 * member may write, and never in the project's checkout.
 */
import { join, resolve } from 'node:path';
import type { Name } from '../../model/text/names.ts';
import { isTeamError } from '../../model/text/errors.ts';
import { stateIn, type TeamReader } from '../../store/team/team-reader.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import {
  excludeOf,
  freeRef,
  hasVault,
  isVaultOurs,
  makeVault,
  removeHalves,
  renewVault,
} from '../../store/trees/vault.ts';
import { realDisk } from '../../store/files/disk.ts';
import type { TeamPaths, TreeOwner } from '../../store/files/paths.ts';
import { IDENTITY } from '../process/bring-commit.ts';
import { hasOneCase, repositoryAt, within, type KnownPlace, type Repository } from '../process/git-place.ts';
import { GitFailure, requireGit } from '../process/git-tree.ts';
import { git, type GitWhere } from '../process/git.ts';
import { keepCommit } from './kept-objects.ts';
import { commitOf, commitTree, treeOf } from './vault-commits.ts';
import { knownOf, refsOf } from '../process/safety-ref.ts';

/** How git is run for it. */
export type VaultGit = Pick<GitWhere, 'signal' | 'marker'>;

/**
 * Git in the team's repository; its working tree is empty, so no file of a member says how git merges.
 *
 * @throws GitFailure if its configuration is not ours any more
 */
export function inVault({ vault }: TeamPaths, how: VaultGit): GitWhere {
  requireOurs(vault);
  return {
    ...how,
    cwd: vault,
    isOurs: true,
    env: { ...IDENTITY, GIT_DIR: vault, GIT_WORK_TREE: join(vault, 'empty') },
  };
}

/**
 * Git that reads and writes the files of one tree.
 *
 * @throws GitFailure if the configuration of the team's repository is not ours any more
 */
export function inTree(paths: TeamPaths, of: TreeOwner, how: VaultGit): GitWhere {
  requireOurs(paths.vault);
  return {
    ...how,
    cwd: paths.tree(of),
    isOurs: true,
    tree: { tree: paths.tree(of), vault: paths.vault },
    env: { ...IDENTITY, GIT_DIR: paths.vault, GIT_WORK_TREE: paths.tree(of), GIT_INDEX_FILE: paths.treeIndex(of) },
  };
}

function requireOurs(vault: string): void {
  if (isVaultOurs(realDisk, { vault })) return;
  throw new GitFailure(
    `the configuration of ${vault} was changed by another program, and may name programs: restore it, or start the plan again with --fresh`,
  );
}

/**
 * For a verb that only looks, or works after the run: its project may have been moved or copied since. Where that cannot
 * be written, git says what is missing.
 */
export function vaultHere(store: Pick<TeamReader, 'disk' | 'paths' | 'state'>, how: VaultGit): GitWhere {
  const { disk, paths } = store;
  const { start } = stateIn(store) ?? {};
  const known = start && knownOf(store, start);
  try {
    if (known?.git) renewVault(disk, paths, resolve(known.top, known.git.objects));
  } catch (error) {
    if (!isTeamError(error)) throw error;
  }
  return inVault(paths, how);
}

/** The refs of a team, below `refs/teams/<team's ULID>/`. */
export class VaultRefs {
  readonly all: string;

  constructor({ board }: Pick<TeamReader, 'board'>) {
    this.all = refsOf(board.fold().team?.id ?? 'unknown');
  }

  /** The common state: what landed. */
  get main(): string {
    return `${this.all}main`;
  }

  /** The common state at the beginning: the project's files when the team first started. */
  get root(): string {
    return `${this.all}root`;
  }

  attempt(task: string, epoch: number): string {
    return `${this.all}attempts/${task}.${epoch}`;
  }

  get outputs(): string {
    return `${this.all}outputs/`;
  }

  outputsOf(task: string): string {
    return `${this.outputs}${task}.`;
  }

  /** The artifact of a task that git ignores. */
  output(task: string, epoch: number): string {
    return `${this.outputsOf(task)}${epoch}`;
  }

  /** What lay in a tree when its member began a claim, and was in no attempt. */
  left(member: Name, before: string): string {
    return `${this.all}left/${member}/before-${before}`;
  }

  /** What the lead's agent changed of shared files. */
  ofLead(id: string): string {
    return `${this.all}lead/${id}`;
  }

  /** The user's files before and after an apply. */
  applied(id: string, end: 'start' | 'end'): string {
    return `${this.all}applied/${id}/${end}`;
  }

  get branches(): string {
    return `${this.all}branches/`;
  }

  /** A branch as it was made. */
  branch(id: string): string {
    return `${this.branches}${id}`;
  }

  /** What a member's tree was last made to, or kept as. */
  at(of: TreeOwner): string {
    return `${this.all}trees/${of.startsWith('.') ? `of-the-lead/${of.slice(1)}` : `members/${of}`}`;
  }
}

/** Whether files of the last commit are in no object here. */
async function lacksFiles(where: GitWhere): Promise<boolean> {
  const head = await commitOf('HEAD', where);
  if (head === undefined) return false;
  const listed = await git(['rev-list', '--objects', '--no-object-names', '--missing=print', `${head}^{tree}`], where);
  return requireGit(listed, 'git rev-list')
    .split('\n')
    .some((line) => line.startsWith('?'));
}

/** What of a project trees cannot have; a clause. */
export async function repositoryMisfit(where: GitWhere, prefix: string): Promise<string | undefined> {
  if (prefix !== '') return 'the working directory is not the root of its repository';
  if (`${where.cwd}${where.env?.['GIT_OBJECT_DIRECTORY'] ?? ''}`.includes('\n'))
    return 'the path of the project has a line break, at which git ends a path in its lists';
  const partial = await git(
    ['config', '--get-regexp', String.raw`^(extensions\.partialclone|remote\..*\.promisor)$`],
    where,
  );
  if (partial.code === 0 && (await lacksFiles(where)))
    return 'the repository is a partial clone, and git would have to fetch files that are not here (`git sparse-checkout disable` does)';
  const filtered = await git(['ls-files', '-z', '--', ':/', ':(exclude,top,attr:!filter)'], where);
  const [file = ''] = requireGit(filtered, 'git ls-files').split('\0');
  return file === '' ? undefined : `a filter of git (such as LFS) stands between ${file} and its content`;
}

/** Settings that say how the project's file system is. */
const COPIED = '^core\\.(filemode|symlinks|ignorecase|precomposeunicode)$';

async function copiedSettings(
  repository: Repository,
  where: GitWhere,
): Promise<readonly (readonly [string, string])[]> {
  const { text } = await git(['config', '--null', '--type=bool', '--get-regexp', COPIED], where);
  const entries = text.split('\0').flatMap((entry): [string, string][] => {
    const [key = '', value = ''] = entry.split('\n');
    return key === '' ? [] : [[key.slice('core.'.length), value]];
  });
  // The last one counts.
  const settings = new Map(entries);
  if (settings.get('ignorecase') === 'true') settings.set('ignorecase', String(hasOneCase(repository)));
  return [...settings];
}

/**
 * Makes the repository if there is none, beginning at the safety point of the team.
 *
 * @param start the safety point, and the root of the working tree
 * @returns why the project can have none
 * @throws GitFailure
 */
export async function openVault(
  { paths, disk, clock, board }: TeamStore,
  { known, cwd, commit }: { readonly known: KnownPlace; readonly cwd: string; readonly commit: string },
  how: VaultGit,
): Promise<string | undefined> {
  const refs = new VaultRefs({ board });
  const own = inVault(paths, how);
  const repository = await repositoryAt({ ...how, cwd }, known);
  if (typeof repository === 'string') return repository;
  const objects = resolve(repository.top, repository.place.objects);
  if (hasVault(disk, paths)) {
    renewVault(disk, paths, objects);
    removeHalves(paths, clock.now());
    if ((await commitOf(refs.main, own)) !== undefined) return undefined;
  }
  const theirs = within(repository, how);
  const why = await repositoryMisfit(theirs, repository.prefix);
  if (why !== undefined) return why;
  if (!hasVault(disk, paths)) {
    const facts = {
      objects,
      format: commit.length === 64 ? ('sha256' as const) : ('sha1' as const),
      settings: await copiedSettings(repository, theirs),
      exclude: excludeOf(within(repository, how).env?.['GIT_COMMON_DIR'] ?? repository.top),
    };
    makeVault(paths, facts, clock.now());
  }
  // Without parents, so that a shallow repository is no different.
  const root = commitTree(
    {
      tree: await treeOf(commit, theirs),
      parents: [],
      message: `The project when team ${paths.name} began`,
      date: '0',
    },
    own,
  );
  for (const ref of [refs.root, refs.main]) freeRef(paths, ref);
  await keepCommit(paths, { refs: [refs.root], commit: root }, own);
  requireGit(await git(['update-ref', refs.main, root, ''], own), 'git update-ref');
  return undefined;
}
