/**
 * The common state of a team, as its lead moves it: what landed. It is a ref of the team's own repository. For a team in
 * a store it is what the board says, so that another machine can go on with it: the store has it before the ref moves.
 */
import type { Change } from '../../model/board/event.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import { freeRef } from '../../store/trees/vault.ts';
import { GitFailure } from '../process/git-tree.ts';
import type { GitWhere } from '../process/git.ts';
import { fetchCommit, shareCommit } from '../trees/shared-commits.ts';
import { VaultRefs } from '../trees/vault.ts';
import { commitOf, moveRef } from '../trees/vault-commits.ts';

/** Says something on the board. @returns whether the board took it */
type Say = (change: Change) => Promise<boolean>;

export class LandedState {
  readonly #store: TeamStore;
  readonly #ref: string;
  readonly #say: Say;

  constructor(store: TeamStore, say: Say) {
    this.#store = store;
    this.#ref = new VaultRefs(store).main;
    this.#say = say;
  }

  /**
   * Call it while no git of this lead writes.
   *
   * @param own git in the team's repository
   * @throws GitFailure; StoreError `ENGINE_UNREACHABLE`
   */
  async current(own: GitWhere): Promise<string> {
    const { board, paths, isShared } = this.#store;
    freeRef(paths, this.#ref);
    const here = await commitOf(this.#ref, own);
    if (!isShared) return required(here);
    const { common } = board.fold();
    if (common === undefined) {
      const first = required(here);
      await this.#share(first, own);
      return first;
    }
    await fetchCommit(this.#store, common, own);
    if (here !== common.commit) await moveRef(paths, this.#ref, { to: common.commit }, own);
    return common.commit;
  }

  /**
   * @returns false if another lead took over
   * @throws GitFailure; StoreError `ENGINE_UNREACHABLE`
   */
  async move({ from, to }: { readonly from: string; readonly to: string }, own: GitWhere): Promise<boolean> {
    const { paths, isShared } = this.#store;
    if (isShared && !(await this.#share(to, own))) return false;
    freeRef(paths, this.#ref);
    await moveRef(paths, this.#ref, { from, to }, own);
    return true;
  }

  async #share(commit: string, own: GitWhere): Promise<boolean> {
    const on = this.#store.board.fold().common;
    return this.#say({ type: 'common.shared', ...(await shareCommit(this.#store, { commit, on }, own)) });
  }
}

function required(commit: string | undefined): string {
  if (commit === undefined) throw new GitFailure('the team has no common state');
  return commit;
}
