/**
 * The declared artifacts of tasks that git ignores: they are no part of a change, and would end with the tree. Each is
 * kept as a commit of its own, and put into the tree of a member that begins a task that waited for its task.
 */
import type { Board } from '../../model/board/board.ts';
import type { ClaimedTask } from '../../model/board/task.ts';
import type { Name } from '../../model/text/names.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import { freeRef } from '../../store/trees/vault.ts';
import {
  forgetOutputIndex,
  isInTree,
  isKeptOutput,
  MOST_OUTPUT_BYTES,
  pathInTree,
} from '../../store/trees/tree-needs.ts';
import { requireGit } from '../process/git-tree.ts';
import { git, type GitWhere } from '../process/git.ts';
import { keepCommit } from './kept-objects.ts';
import { inTree, VaultRefs, type VaultGit } from './vault.ts';
import { commitTree } from './vault-commits.ts';

export class TreeOutputs {
  readonly #store: TeamStore;
  readonly #member: Name;
  readonly #refs: VaultRefs;

  constructor(store: TeamStore, member: Name) {
    this.#store = store;
    this.#member = member;
    this.#refs = new VaultRefs(store);
  }

  /**
   * Keeps the artifact of a task, if the tree of its change does not have it.
   *
   * @param change what git knows of the member's files
   * @throws GitFailure, StoreError
   */
  async keep(task: ClaimedTask, change: string, how: VaultGit): Promise<void> {
    const { paths, events } = this.#store;
    const { artifact } = task.work;
    const path = artifact === undefined ? undefined : pathInTree(paths, this.#member, artifact);
    if (path === undefined) return;
    const where = this.#where(how);
    if ((await git(['cat-file', '-e', `${change}:${path}`], where)).code === 0) return;
    if (!isInTree(paths, this.#member, path)) return;
    const about = { member: this.#member, task: task.id, epoch: task.claim.epoch };
    if (!isKeptOutput(paths, this.#member, path)) {
      const text = `the artifact ${path} is not kept: git ignores it, and it is over ${MOST_OUTPUT_BYTES / 2 ** 20} MiB`;
      events.append({ type: 'tree.output_left', ...about, text });
      return;
    }
    const commit = await this.#commit(path, `${path} of task ${task.id}`, where);
    const ref = this.#refs.output(task.id, task.claim.epoch);
    freeRef(paths, ref);
    await keepCommit(paths, { refs: [ref], commit, known: this.#refs.root }, where);
    const only = this.#store.isShared ? ', and on this machine only' : '';
    const text = `the artifact ${path}, which git ignores, is in ${ref}${only}: git show ${ref}:${path}`;
    events.append({ type: 'tree.output_kept', ...about, text });
  }

  async #commit(path: string, message: string, where: GitWhere): Promise<string> {
    try {
      requireGit(await git(['read-tree', '--empty'], where), 'git read-tree');
      requireGit(await git(['add', '-f', '--', `:(top,literal)${path}`], where), 'git add');
      const tree = requireGit(await git(['write-tree'], where), 'git write-tree');
      return commitTree({ tree, parents: [], message }, where);
    } finally {
      forgetOutputIndex(this.#store.paths, this.#member);
    }
  }

  /**
   * Puts the artifacts of the tasks that this one waited for into its tree, where git ignores them.
   *
   * @throws GitFailure
   */
  async bring({ id }: ClaimedTask, how: VaultGit): Promise<void> {
    const before = waitedFor(this.#store.board.fold(), id);
    if (before.length === 0) return;
    const where = this.#where(how);
    const kept = await git(['for-each-ref', '--format=%(refname)', this.#refs.outputs], where);
    const refs = requireGit(kept, 'git for-each-ref').split('\n').filter(Boolean);
    for (const task of before) {
      const ref = refs
        .filter((one) => one.startsWith(this.#refs.outputsOf(task)))
        .sort(byEpoch)
        .at(-1);
      if (ref !== undefined) await this.#put(ref, where);
    }
  }

  /** By git, which follows no link of the tree. */
  async #put(ref: string, where: GitWhere): Promise<void> {
    const named = requireGit(await git(['ls-tree', '-r', '-z', '--name-only', ref], where), 'git ls-tree');
    try {
      requireGit(await git(['read-tree', ref], where), 'git read-tree');
      for (const path of named.split('\0').filter(Boolean)) {
        const { code } = await git(['check-ignore', '--quiet', '--no-index', '--', path], where);
        if (code === 0)
          requireGit(await git(['checkout-index', '--force', '--quiet', '--', path], where), 'git checkout-index');
      }
    } finally {
      forgetOutputIndex(this.#store.paths, this.#member);
    }
  }

  #where(how: VaultGit): GitWhere {
    const { paths } = this.#store;
    const where = inTree(paths, this.#member, how);
    return { ...where, env: { ...where.env, GIT_INDEX_FILE: paths.outputIndex(this.#member) } };
  }
}

/** The tasks that had to end before this one, the first ones first. */
function waitedFor({ tasks }: Board, id: string): string[] {
  const found = new Set<string>();
  const left = [...(tasks.get(id)?.blockedBy ?? [])];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (found.has(next)) continue;
    found.add(next);
    left.push(...(tasks.get(next)?.blockedBy ?? []));
  }
  return [...found].sort((a, b) => Number(a) - Number(b));
}

const epochOf = (ref: string): number => Number(ref.split('.').at(-1));
const byEpoch = (a: string, b: string): number => epochOf(a) - epochOf(b);
