/** An attempt in a tree of its member's own: begun on the common state, its change kept at the end. */
import type { ClaimedTask } from '../../model/board/task.ts';
import { AgentError, isTeamError } from '../../model/text/errors.ts';
import type { Name } from '../../model/text/names.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import { GitFailure } from '../process/git-tree.ts';
import { hasNoRoom } from '../process/retry-disk.ts';
import { MemberTree, type KeptChange } from './member-tree.ts';
import { SetupFailure, type TreeUse } from './tree-needs.ts';

/** Why an attempt could not begin. It goes back, unless it was so for several claims, one after the other. */
type TreeTrouble =
  | { readonly do: 'release'; readonly why: string }
  | { readonly do: 'fail'; readonly why: string; readonly text: string };

const MOST_FAILED = 3;

export class AttemptTree {
  readonly #tree: Pick<MemberTree, 'begin' | 'keep'>;
  /** Claims in a row that could not begin. */
  #failed = 0;

  constructor(tree: Pick<MemberTree, 'begin' | 'keep'>) {
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

  /** A full disk is waited for; anything else that stays is a failure of the attempt. */
  async begin(task: ClaimedTask, use: TreeUse, signal: AbortSignal): Promise<TreeTrouble | undefined> {
    try {
      await this.#tree.begin(task, use, signal);
      this.#failed = 0;
      return undefined;
    } catch (error) {
      // Commands of the user's that fail do so again: the attempt says how.
      if (error instanceof SetupFailure && !signal.aborted)
        return { do: 'fail', why: `setup of its tree: ${error.message}`, text: error.output };
      if (!(error instanceof GitFailure) && !(error instanceof SetupFailure) && !isTeamError(error)) throw error;
      if (!signal.aborted && !hasNoRoom(error)) this.#failed += 1;
      const why = `its tree could not be made: ${error.message}`;
      return this.#failed >= MOST_FAILED ? { do: 'fail', why, text: '' } : { do: 'release', why };
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
