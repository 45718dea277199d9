/** An attempt in a tree of its member's own: begun on the common state, its change kept at the end. */
import type { ClaimedTask } from '../../model/board/task.ts';
import { AgentError } from '../../model/text/errors.ts';
import type { Name } from '../../model/text/names.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import { GitFailure } from '../process/git-tree.ts';
import { MemberTree, type KeptChange } from './member-tree.ts';

export class AttemptTree {
  readonly #tree: MemberTree;

  private constructor(tree: MemberTree) {
    this.#tree = tree;
  }

  /** @throws AgentError `NO_ISOLATION` if the team has no trees yet, or git fails */
  static async open(store: TeamStore, name: Name): Promise<AttemptTree> {
    store.board.fold();
    const tree = new MemberTree(store, name);
    try {
      await tree.open(new AbortController().signal);
      return new AttemptTree(tree);
    } catch (error) {
      if (!(error instanceof GitFailure)) throw error;
      throw new AgentError('NO_ISOLATION', `${name} has no tree of its own: ${error.message}.`);
    }
  }

  /** @returns why it could not begin */
  async begin(task: ClaimedTask, signal: AbortSignal): Promise<string | undefined> {
    try {
      await this.#tree.begin(task, signal);
      return undefined;
    } catch (error) {
      if (error instanceof GitFailure) return `its tree could not be made: ${error.message}`;
      throw error;
    }
  }

  /** @returns why the change could not be kept; undefined if there is none */
  async keep(task: ClaimedTask, signal: AbortSignal): Promise<KeptChange | string | undefined> {
    try {
      return await this.#tree.keep(task, signal);
    } catch (error) {
      if (error instanceof GitFailure) return `its change could not be kept: ${error.message}`;
      throw error;
    }
  }
}
