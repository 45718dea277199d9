/**
 * The changes of a refine loop whose backends have trees of their own (docs/isolation.md): each waits for the verdict of
 * its round. The winner lands, so that the next round begins with it; the others are kept below `left/`.
 */
import { AgentError } from '../../../model/text/errors.ts';
import type { LandingTask } from '../../../model/board/task.ts';
import type { Name } from '../../../model/text/names.ts';
import { openLanding } from '../../landing/open-landing.ts';
import type { LandingQueue } from '../../landing/landing-queue.ts';
import type { TreePlace } from '../../landing/tree-place.ts';
import { Waker } from '../../process/waker.ts';
import { Tasks } from '../../team/task-service.ts';
import { landedWork } from '../../trees/landed-work.ts';
import { shownTree } from '../../trees/shown-tree.ts';
import { keepCommit } from '../../trees/kept-objects.ts';
import { inVault, VaultRefs } from '../../trees/vault.ts';
import { changesSince } from '../../views/workspace-changes.ts';
import { keepStart } from '../safety-point.ts';
import type { RunSession } from '../session.ts';

/** The mark of a task whose change may land. */
const WINNER = '_winner';
const isWinner = ({ metadata }: LandingTask): boolean => metadata[WINNER] === true;

export class RoundLanding {
  readonly #session: RunSession;
  readonly #board: Tasks;
  readonly #queue: LandingQueue;

  private constructor(session: RunSession, queue: LandingQueue) {
    this.#session = session;
    this.#board = new Tasks(session.store, session.speaker);
    this.#queue = queue;
  }

  /** @throws AgentError `NO_ISOLATION` */
  static async open(session: RunSession, signal: AbortSignal): Promise<RoundLanding> {
    const unkept = await keepStart(session, signal);
    const queue = await openLanding(session, undefined, unkept, signal, isWinner);
    return new RoundLanding(session, queue);
  }

  placeOf(worker: Name): TreePlace {
    const { store } = this.#session;
    return { cwd: store.paths.tree(worker), shown: shownTree(store) };
  }

  /** @returns the change of a task, or all that landed; undefined for a task without a change */
  async changes(id: string | undefined, signal: AbortSignal): Promise<string | undefined> {
    const { store } = this.#session;
    const task = id === undefined ? undefined : this.#board.get(id);
    if (task !== undefined && task.status !== 'landing') return undefined;
    return (await changesSince(store, task, signal)).text;
  }

  /**
   * @param round the tasks of the round
   * @param winner the one whose change lands
   * @throws AgentError `NO_ISOLATION` if it does not land
   */
  async settle(round: readonly string[], winner: string | undefined, signal: AbortSignal): Promise<void> {
    for (const id of round) if (id !== winner) await this.#keepAway(id);
    if (winner === undefined || this.#board.get(winner).status !== 'landing') return;
    const { store } = this.#session;
    await this.#board.update(winner, { metadata: { [WINNER]: true } });
    const waker = new Waker(store, [store.paths.log], signal);
    try {
      while (this.#board.get(winner).status === 'landing') {
        const { held } = this.#queue;
        if (held !== undefined) throw held;
        if (signal.aborted) return;
        await waker.wait();
      }
    } finally {
      waker.close();
    }
    const { status } = this.#board.get(winner);
    if (status !== 'completed')
      throw new AgentError('NO_ISOLATION', `The change of the winner did not land: it is ${status}.`);
  }

  /** What is not taken is no change that waits: it is kept beside what else members left. */
  async #keepAway(id: string): Promise<void> {
    const task = this.#board.get(id);
    if (task.status !== 'landing') return;
    const { store, children } = this.#session;
    const { commit, base } = task.attempt;
    const ref = new VaultRefs(store).left(task.by.member, `verdict-${id}.${task.claims}`);
    await children.run((marker) => {
      const where = inVault(store.paths, { signal: new AbortController().signal, marker });
      return keepCommit(store.paths, { refs: [ref], commit, known: base }, where);
    });
    await this.#board.cancel(id, `another result was taken; its change is ${ref}`);
  }

  /** Nothing lands any more. */
  stop(): Promise<void> {
    return this.#queue.stop();
  }

  /** Copies what is kept into the project's repository; call it when no worker works any more. */
  close(): Promise<void> {
    return this.#queue.close();
  }

  /** Whether something landed that is not in the project's files. */
  async hasUnapplied(): Promise<boolean> {
    const work = await landedWork(this.#session.store, new AbortController().signal);
    return (work?.count ?? 0) > 0;
  }
}
