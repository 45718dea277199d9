/**
 * The tree in which the lead's agent changes shared files. What it makes of the common state lands as a change of a
 * member does: kept, judged by the gates, and only then the common state. Nothing else may wait to land meanwhile.
 */
import { newId } from '../../store/files/new-ids.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import { treeChanges } from '../process/git-tree.ts';
import { nestedRepository, showCommit, snapshot } from '../trees/tree-snapshot.ts';
import { keepCommit } from '../trees/kept-objects.ts';
import { inTree, inVault, VaultRefs, type VaultGit } from '../trees/vault.ts';
import { commitTree, treeOf } from '../trees/vault-commits.ts';
import { lendTo, lentIn } from '../trees/tree-needs.ts';
import type { LandedState } from './landed-state.ts';
import type { JudgedStates } from './judged-states.ts';
import { treePlace, type TreePlace } from './tree-place.ts';

export class LeadTree {
  readonly #store: TeamStore;
  readonly #refs: VaultRefs;
  readonly #common: LandedState;
  readonly #main: string;

  private constructor(store: TeamStore, common: LandedState, main: string) {
    this.#store = store;
    this.#refs = new VaultRefs(store);
    this.#common = common;
    this.#main = main;
  }

  /** Shows the common state. @throws GitFailure */
  static async open(store: TeamStore, common: LandedState, how: VaultGit): Promise<LeadTree> {
    const main = await common.current(inVault(store.paths, how));
    await showCommit(store, '.lead', main, how);
    await lendTo(store, '.lead', { isMounted: true }, how.signal);
    return new LeadTree(store, common, main);
  }

  get place(): TreePlace {
    return treePlace(this.#store, '.lead');
  }

  /**
   * Lands what lies in the tree.
   *
   * @returns why it did not land; it is kept then
   * @throws GitFailure
   */
  async land(subject: string, states: JudgedStates, how: VaultGit): Promise<string | undefined> {
    const { paths, clock } = this.#store;
    const where = inTree(paths, '.lead', how);
    const tree = await snapshot(where, { lend: lentIn(this.#store) });
    if (tree === (await treeOf(this.#main, where))) return undefined;
    const inner = nestedRepository(await treeChanges(this.#main, tree, where));
    if (inner !== undefined) return `${inner} is a git repository of its own, which cannot land`;
    const commit = commitTree({ tree, parents: [this.#main], message: `${subject}\n\nTeams-Member: lead` }, where);
    const ref = this.#refs.ofLead(newId(clock.now()));
    await keepCommit(paths, { refs: [ref], commit, known: this.#main }, where);
    const gates = await states.judge(commit, tree, how.signal);
    const red = gates.filter(({ result }) => result === 'fail').map(({ name }) => name);
    if (red.length > 0)
      return `what the lead's agent changed is red (${red.join(', ')}) and did not land; it is ${ref}`;
    const isMoved = await this.#common.move({ from: this.#main, to: commit }, inVault(paths, how));
    return isMoved ? undefined : 'another lead took over';
  }
}
