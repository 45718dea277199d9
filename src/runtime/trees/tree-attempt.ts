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

/** What became of the change of an attempt; `release`: the work lies in the tree, and its next claim keeps it. */
type Keeping =
  { readonly do: 'submit'; readonly change: KeptChange } | { readonly do: 'fail' | 'release'; readonly why: string };

const MOST_FAILED = 3;
const LOOK_AGAIN_MS = 1_000;

type Told = Pick<TeamStore, 'clock' | 'events'>;

export class AttemptTree {
  readonly #tree: Pick<MemberTree, 'begin' | 'keep'>;
  readonly #told: Told;
  /** Claims in a row that could not begin. */
  #failed = 0;

  constructor(tree: Pick<MemberTree, 'begin' | 'keep'>, told: Told) {
    this.#tree = tree;
    this.#told = told;
  }

  /**
   * @param project where the project's files lie on this machine
   * @throws AgentError `NO_ISOLATION` if the team has no trees yet, or git fails
   */
  static async open(store: TeamStore, name: Name, project: string): Promise<AttemptTree> {
    store.board.fold();
    const tree = new MemberTree(store, name, project);
    try {
      await tree.open(new AbortController().signal);
      return new AttemptTree(tree, store);
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

  /**
   * A full disk is waited for: the work is done.
   *
   * @returns undefined if nothing changed
   */
  async keep(task: ClaimedTask, signal: AbortSignal): Promise<Keeping | undefined> {
    const { clock, events } = this.#told;
    for (let isTold = false; ;)
      try {
        const change = await this.#tree.keep(task, signal);
        return change && { do: 'submit', change };
      } catch (error) {
        if (!(error instanceof GitFailure) && !isTeamError(error)) throw error;
        const why = `its change could not be kept: ${error.message}`;
        if (signal.aborted) return { do: 'release', why };
        if (!hasNoRoom(error)) return { do: 'fail', why };
        // Where the disk has no room for an event either, the next try tells it.
        isTold ||= events.append({ type: 'disk.failed', task: task.id, text: why }) === undefined;
        await clock.sleep(LOOK_AGAIN_MS, signal);
      }
  }
}
