/**
 * How the gates judged the states of a team, by tree: what was judged once is known, to a later lead too. Gates run in a
 * tree of the queue (docs/isolation.md).
 */
import { gateSchema, type Gate } from '../../model/run/run-state.ts';
import type { TeamEvent } from '../../model/team/team-event.ts';
import type { GateVerdict, LineEntry } from '../../policy/landing/queue.ts';
import { hashText } from '../../store/board/results.ts';
import { GitFailure } from '../process/git-tree.ts';
import { showCommit } from '../trees/tree-snapshot.ts';
import { inVault, VaultRefs } from '../trees/vault.ts';
import { commitOf, treeOf } from '../trees/vault-commits.ts';
import { lendTo, lentIn, setUp, SetupFailure, type TreeUse } from '../trees/tree-needs.ts';
import { treeUse } from './tree-commands.ts';
import { treePlace } from './tree-place.ts';
import { runGates, type GatedPlan, type GateSession } from './gates.ts';

interface Judged extends GateVerdict {
  readonly gates: readonly Gate[];
}

interface JudgedStatesSession extends GateSession {
  tell(event: Omit<TeamEvent, 'at'> & { type: string }): void;
}

export class JudgedStates {
  readonly #session: JudgedStatesSession;
  readonly #plan: GatedPlan;
  readonly #gatesHash: string;
  readonly #verdicts = new Map<string, Judged>();
  /** Whether what is lent is mounted for gates. */
  #isMounted: boolean | undefined;

  constructor(session: JudgedStatesSession, plan: GatedPlan) {
    this.#session = session;
    this.#plan = plan;
    const lent = lentIn(session.store);
    const { build, test, lint } = plan.gates;
    const judging = [build, test, lint, session.gates, ...(lent.length === 0 ? [] : [lent])];
    this.#gatesHash = hashText(JSON.stringify(judging));
  }

  /** By tree. Without gates, every state of the stack passes. */
  verdictsOf(stack: readonly LineEntry[]): ReadonlyMap<string, GateVerdict> {
    if (!this.#hasGates) for (const entry of stack) if (entry.kind === 'stacked') this.#learn(entry.tree, [], '');
    return this.#verdicts;
  }

  /** @returns why the setup of the tree in which gates run failed @throws GitFailure, StoreError */
  async makeReady(signal: AbortSignal): Promise<string | undefined> {
    if (!this.#hasGates) return undefined;
    await this.showMain(signal);
    await this.#lend(signal);
    const { store } = this.#session;
    try {
      await setUp(store, '.queue', async (commands) => (await this.#use(signal)).run(commands));
      return undefined;
    } catch (error) {
      if (error instanceof SetupFailure) return `the setup of the tree in which gates run failed: ${error.message}`;
      throw error;
    }
  }

  #use(signal: AbortSignal): Promise<TreeUse> {
    return treeUse(this.#session, '.queue', 'setup', signal);
  }

  /** The project may have more to lend than before. */
  async #lend(signal: AbortSignal): Promise<void> {
    const { store } = this.#session;
    if (lentIn(store).length === 0) return;
    this.#isMounted ??= (await this.#use(signal)).isMounted;
    await lendTo(store, '.queue', { isMounted: this.#isMounted }, signal);
  }

  get #hasGates(): boolean {
    const { build, test, lint } = this.#plan.gates;
    return build !== undefined || test !== undefined || lint !== undefined;
  }

  /** The gates on the common state; run again only if it was not judged yet. @throws GitFailure */
  async judgeMain(signal: AbortSignal): Promise<readonly Gate[]> {
    const { store, children } = this.#session;
    const main = await children.run((marker) =>
      commitOf(new VaultRefs(store).main, inVault(store.paths, { signal, marker })),
    );
    if (main === undefined) return [];
    const tree = await children.run((marker) => treeOf(main, inVault(store.paths, { signal, marker })));
    return this.#verdicts.get(tree)?.gates ?? this.judge(main, tree, signal);
  }

  /** Shows the common state in the tree of the queue. @throws GitFailure */
  async showMain(signal: AbortSignal): Promise<void> {
    const { store, children } = this.#session;
    await children.run(async (marker) => {
      const how = { signal, marker };
      const main = await commitOf(new VaultRefs(store).main, inVault(store.paths, how));
      if (main !== undefined) await showCommit(store, '.queue', main, how);
    });
  }

  /** Runs the gates on a state and keeps the verdict, by its tree. @throws GitFailure */
  async judge(commit: string, tree: string, signal: AbortSignal): Promise<readonly Gate[]> {
    const { store } = this.#session;
    if (!this.#hasGates) {
      this.#learn(tree, [], '');
      return [];
    }
    const { children, gates: settings, isolation, lend } = this.#session;
    await children.run((marker) => showCommit(store, '.queue', commit, { signal, marker }));
    await this.#lend(signal);
    const { cwd, shown } = treePlace(store, '.queue');
    const place = { store, children, gates: settings, isolation, lend, shown };
    const gates = await runGates(this.#plan, place, cwd, signal);
    // A gate that was ended with the lead says nothing.
    if (signal.aborted) throw new GitFailure('the gates were ended');
    const red = gates.filter(({ result }) => result === 'fail');
    const why = red.map(({ name, notes = '' }) => `gate ${name}: ${notes}`).join('; ');
    this.#learn(tree, gates, why);
    const text = why === '' ? 'green' : why;
    this.#session.tell({ type: 'landing.gated', tree, gates, gatesHash: this.#gatesHash, text });
    return gates;
  }

  #learn(tree: string, gates: readonly Gate[], why: string): void {
    const red = this.#verdicts.get(tree)?.red ?? 0;
    this.#verdicts.set(tree, { ok: why === '', red: why === '' ? red : red + 1, why, gates });
  }

  /** Reads verdicts of an earlier lead of this team, with the same gates. */
  recall(): void {
    for (const { event } of this.#session.store.events.read(0)) {
      if (event.type !== 'landing.gated' || event['gatesHash'] !== this.#gatesHash) continue;
      const gates = gateSchema.array().safeParse(event['gates']);
      const tree = event['tree'];
      if (gates.success && typeof tree === 'string')
        this.#learn(tree, gates.data, event.text === 'green' ? '' : (event.text ?? 'red'));
    }
  }
}
