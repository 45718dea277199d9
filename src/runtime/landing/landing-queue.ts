/**
 * The queue of a lead: look → judge → act, beside the loop that supervises. It merges what members submitted on top of
 * the common state, runs the gates on the result, moves the common state to exactly what they passed, and says on the
 * board what landed and what goes back (docs/isolation.md). A crash anywhere is mended by the next look: the ref is the
 * truth, the board follows it.
 */
import type { Change } from '../../model/board/event.ts';
import type { Name } from '../../model/text/names.ts';
import { isTeamError, type StoreError } from '../../model/text/errors.ts';
import type { Gate, LandingTrouble } from '../../model/run/run-state.ts';
import type { TeamEvent } from '../../model/team/team-event.ts';
import { MOST_NAMED_FILES, type LandingTask } from '../../model/board/task.ts';
import { landingTasks } from '../../model/board/listed-tasks.ts';
import { line, next, refusedChange, type LineEntry, type QueueStep } from '../../policy/landing/queue.ts';
import { authorOf, type Speaker } from '../team/authentication.ts';
import { publishOutcome } from '../team/task-service.ts';
import { GitFailure, requireGit } from '../process/git-tree.ts';
import { git, type GitWhere } from '../process/git.ts';
import { Waker } from '../process/waker.ts';
import { mergeTrees } from '../trees/merge.ts';
import { inVault, type VaultGit } from '../trees/vault.ts';
import { commitTree } from '../trees/vault-commits.ts';
import { attemptKey } from '../trees/member-tree.ts';
import { closeLanding } from './close-landing.ts';
import { LandedState } from './landed-state.ts';
import type { GatedPlan, GateSession } from './gates.ts';
import { JudgedStates } from './judged-states.ts';
import { LandingStack } from './landing-stack.ts';
import { LeadTree } from './lead-tree.ts';
import { ChangeFailure, LandingTroubles, requireTrouble } from './landing-troubles.ts';
import { ProjectMirror } from './project-mirror.ts';
import { treePlace, type TreePlace } from './tree-place.ts';

export interface LandingSession extends GateSession {
  readonly speaker: Speaker & { kind: 'lead' };
  tell(event: Omit<TeamEvent, 'at'> & { type: string }): void;
  /** Whether a process of this member runs. */
  isRunning(name: Name): boolean;
  note(facts: { landing: LandingTrouble | undefined }): Promise<void>;
}

export type LandingFilter = (task: LandingTask) => boolean;

/** Changes that are judged together, at the beginning and at most. */
const BATCH = 8;
const LARGEST_BATCH = 16;

/** An error that is neither of git nor of the disk is held as well: it must not end a lead whose members work. */
const asTrouble = (error: unknown): Error =>
  error instanceof GitFailure || isTeamError(error) ? error : new Error(`an error of teams itself: ${String(error)}`);

export class LandingQueue {
  readonly #session: LandingSession;
  readonly #states: JudgedStates;
  readonly #stack: LandingStack;
  readonly #common: LandedState;
  readonly #stop = new AbortController();
  readonly #waker: Waker;
  readonly #mirror: ProjectMirror;
  readonly #troubles: LandingTroubles;
  readonly #accepts: LandingFilter;
  #batch = BATCH;
  #running: Promise<void> = Promise.resolve();
  #closing: Promise<void> | undefined;

  /** @param accepts whether a change may come into the line */
  constructor(session: LandingSession, plan: GatedPlan, accepts: LandingFilter = () => true) {
    const { store } = session;
    this.#accepts = accepts;
    this.#session = session;
    this.#states = new JudgedStates(session, plan);
    this.#stack = new LandingStack(store, plan);
    this.#common = new LandedState(store, (change) => this.#say(change));
    this.#waker = new Waker(store, [store.paths.log], this.#stop.signal);
    this.#mirror = new ProjectMirror(store, (text) => session.tell({ type: 'landing.failed', text }));
    this.#troubles = new LandingTroubles(session);
  }

  /** Why nothing can land until a person acts; what members made is kept. */
  get held(): StoreError | undefined {
    return this.#troubles.held;
  }

  /**
   * Sets up the tree in which gates run, before anything starts: a setup that fails would fail each gate.
   *
   * @returns why that failed
   */
  async makeReady(signal: AbortSignal): Promise<string | undefined> {
    try {
      await this.#asLead((how) => this.#common.current(inVault(this.#session.store.paths, how)), signal);
      return await this.#states.makeReady(signal);
    } catch (error) {
      return requireTrouble(error).message;
    }
  }

  /** Goes on until it is closed. */
  start(): void {
    this.#states.recall();
    this.#running = this.#run();
  }

  /** Ends the present step; nothing lands any more. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /** Copies what is kept into the project's repository, once; call it when no member works any more. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.stop();
    this.#waker.close();
    await closeLanding(this.#session, this.#mirror);
  }

  /** The gates on the common state; run again only if it was not judged yet. */
  judgeMain(): Promise<readonly Gate[]> {
    return this.#states.judgeMain(this.#stop.signal);
  }

  /** A place with the common state, for programs that only read it; valid while nothing waits to land. */
  async readable(): Promise<TreePlace> {
    await this.#states.showMain(this.#stop.signal);
    return treePlace(this.#session.store, '.queue');
  }

  /**
   * Lets the lead's agent work on the common state, and lands what it made; call it while nothing waits to land.
   *
   * @param work returns why nothing of it may land
   * @returns why it did not land
   */
  async landOwn(subject: string, work: (place: TreePlace) => Promise<string | undefined>): Promise<string | undefined> {
    const { signal } = this.#stop;
    try {
      const tree = await this.#asLead((how) => LeadTree.open(this.#session.store, this.#common, how), signal);
      const why = await work(tree.place);
      return why ?? (await this.#asLead((how) => tree.land(subject, this.#states, how), signal));
    } catch (error) {
      if (!(error instanceof GitFailure)) throw error;
      return error.message;
    }
  }

  async #run(): Promise<void> {
    const { clock } = this.#session.store;
    const { signal } = this.#stop;
    const isOver = (): boolean => signal.aborted;
    while (!isOver()) {
      try {
        if (await this.#step(signal)) continue;
        await this.#asLead((how) => this.#mirror.renew(how), signal);
        await this.#troubles.passed();
        await this.#waker.wait();
      } catch (error) {
        if (isOver()) return;
        this.#stack.forget();
        await this.#meet(asTrouble(error), signal).catch(() => undefined);
        await clock.sleep(this.#troubles.pause, signal);
      }
    }
  }

  /** What lasts goes back if only one change has it; else a person must act. */
  async #meet(error: Error, signal: AbortSignal): Promise<void> {
    if (!(await this.#troubles.met(error))) return;
    try {
      if (error instanceof ChangeFailure) {
        await this.#asLead((how) => this.#requireSound(how), signal);
        const { task, message } = error;
        const why = `git fails on it: ${message}`;
        await this.#bounce(task, { cause: 'unreadable', why, files: task.result.files });
        await this.#troubles.passed();
        return;
      }
    } catch {
      // The common state fails as well.
    }
    this.#troubles.hold();
  }

  /** The common state is whole, can be merged and be written on. @throws GitFailure */
  async #requireSound(how: VaultGit): Promise<void> {
    const { paths, clock } = this.#session.store;
    const own = inVault(paths, how);
    const main = await this.#common.current(own);
    requireGit(await git(['rev-list', '--objects', '--no-object-names', '--quiet', main], own), 'git rev-list');
    const { tree } = await mergeTrees(main, main, own);
    const message = `The queue tries its repository at ${clock.now()}`;
    commitTree({ tree, parents: [main], message }, own);
  }

  /** @returns whether there was something to do */
  async #step(signal: AbortSignal): Promise<boolean> {
    const { store } = this.#session;
    const board = store.board.fold();
    if (board.lead.epoch !== this.#session.speaker.epoch || board.phase === 'paused') return false;
    if (landingTasks(board).length === 0) return false;
    return this.#asLead(async (how) => {
      const own = inVault(store.paths, how);
      const main = await this.#common.current(own);
      const landed = await this.#stack.landedIn(main, own);
      const mended = landingTasks(board).find((task) => landed.has(attemptKey(task)));
      if (mended !== undefined) {
        await this.#say({
          type: 'task.landed',
          task: mended.id,
          epoch: mended.claims,
          commit: landed.get(attemptKey(mended)) ?? main,
        });
        return true;
      }
      const refused = refusedChange(board);
      if (refused !== undefined) {
        const { task, why } = refused;
        await this.#bounce(task, { cause: 'review', why, files: task.result.files });
        return true;
      }
      const stack = await this.#stack.on(main, line(board, this.#batch).filter(this.#accepts), own);
      const isDone = await this.#act(next(stack, this.#states.verdictsOf(stack)), { main, stack, how, own }, signal);
      const failed = stack.find((entry) => entry.kind === 'failed');
      if (failed !== undefined && !isDone) throw new ChangeFailure(failed.task, failed.why);
      return isDone;
    }, signal);
  }

  async #act(
    step: QueueStep,
    { main, stack, how, own }: { main: string; stack: readonly LineEntry[]; how: VaultGit; own: GitWhere },
    signal: AbortSignal,
  ): Promise<boolean> {
    switch (step.do) {
      case 'wait':
        return false;
      case 'gate': {
        const { tree, commit } = step.upTo;
        const gates = await this.#states.judge(commit, tree, signal);
        const isGreen = gates.every(({ result }) => result !== 'fail');
        this.#batch = isGreen ? Math.min(LARGEST_BATCH, this.#batch * 2) : Math.max(1, Math.floor(this.#batch / 2));
        return true;
      }
      case 'land': {
        if (!(await this.#common.move({ from: main, to: step.upTo.commit }, own))) return true;
        const upTo = stack.slice(0, stack.indexOf(step.upTo) + 1);
        const landed = upTo.filter((entry) => entry.kind === 'stacked');
        this.#stack.moved(main, step.upTo.commit, landed);
        for (const { task, commit } of landed)
          await this.#say({ type: 'task.landed', task: task.id, epoch: task.claims, commit });
        await this.#troubles.passed();
        await this.#mirror.renew(how);
        return true;
      }
      case 'bounce':
        await this.#bounce(step.entry.task, step);
        return true;
    }
  }

  async #bounce(
    { id, claims }: LandingTask,
    { cause, why, files }: Pick<Extract<QueueStep, { do: 'bounce' }>, 'cause' | 'why' | 'files'>,
  ): Promise<void> {
    const [short, named] = [why.slice(0, 4_096), files.slice(0, MOST_NAMED_FILES)];
    await this.#say({ type: 'task.bounced', task: id, epoch: claims, cause, why: short, files: named });
  }

  /** @returns whether the board took it */
  async #say(change: Change): Promise<boolean> {
    const { store, speaker } = this.#session;
    const { outcome } = await store.board.append(authorOf(speaker), () => change);
    if (outcome.ok) await publishOutcome(store, outcome, speaker);
    else this.#session.tell({ type: 'lead.overtaken', text: outcome.why });
    return outcome.ok;
  }

  #asLead<T>(work: (how: VaultGit) => Promise<T>, signal: AbortSignal): Promise<T> {
    return this.#session.children.run((marker) => work({ signal, marker }));
  }
}
