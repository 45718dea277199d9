/**
 * A teammate: one process, one agent, one loop (docs/specification.md R3.9).
 *
 *   started ─→ own unfinished task ─→ attempt ─→ again          (`policy/supervise/next-step.ts` decides the order)
 *           ─→ mail for the agent ─→ a turn ─→ again
 *           ─→ a ready task ─→ attempt ─→ again
 *           ─→ nothing, or a person must answer first ─→ waits: woken by the bell, or looks again within a second
 *   stopping: finishes its atomic step, starts nothing new, answers, exits
 */
import type { Message } from '../../model/team/message.ts';
import type { Board } from '../../model/board/board.ts';
import type { ClaimedTask, Task } from '../../model/board/task.ts';
import { nextStep, type Situation } from '../../policy/supervise/next-step.ts';
import { effectiveSandbox, type Permissions } from '../../policy/sandbox/effective-sandbox.ts';
import { reportAttempt, settleAttempt } from './settle-attempt.ts';
import { TaskAnswers } from '../agents/task-answers.ts';
import { Claims } from './task-claims.ts';
import { announceExit, type ExitReason } from './announce-exit.ts';
import { IdleWatch } from './idle-watch.ts';
import { hopsAfter } from '../team/send-mail.ts';
import { runMailTurn } from './mail-turn.ts';
import { Mailroom } from '../team/mailroom.ts';
import { TurnSetup } from './turn-setup.ts';
import { PlanGate } from './plan-gate.ts';
import { reply, type Replies } from './replies.ts';
import { refusalToStop } from './stop-question.ts';
import { reportUnusableRole } from './load-role.ts';
import { RoleWork } from './role-work.ts';
import { runAttempt, type TaskAttempt } from './runner.ts';
import { MemberSession } from '../team/member-session.ts';
import type { TeammateEnvironment } from './teammate-environment.ts';
import { mayGetTask } from '../../model/board/listed-tasks.ts';
import { isDirectory } from '../../store/team/work-place.ts';
import { retryWhenWritable } from '../process/retry-disk.ts';
import { CutOffWatch } from '../placement/cut-off-watch.ts';

export class Teammate {
  readonly #environment: TeammateEnvironment;
  readonly #session: MemberSession;
  readonly #claims: Claims;
  readonly #plans: PlanGate;
  readonly #answers: TaskAnswers;
  readonly #idleness: IdleWatch;
  readonly #cutOff: CutOffWatch;
  readonly #turnSetup: TurnSetup;
  readonly #mailroom: Mailroom;
  readonly #role: RoleWork | undefined;
  readonly #turn = new AbortController();
  #exitReason: ExitReason | undefined;
  #wake: () => void = () => {};
  #completed = 0;
  /** Whether it waits, and nothing that it waits for comes without a bell. */
  #mayRest = false;
  /** Whether it waits only for what the board and its inbox will say, and not for a time or for what lies elsewhere. */
  #waitsForBoard = false;
  /**
   * The present turn: the claim that it works on, none for one about mail; and what ends it when the claim is gone
   * (skipped, cancelled, given to another), or when the team's store is not heard.
   */
  #present: { readonly task: ClaimedTask | undefined; readonly lost: AbortController } | undefined;
  /** Whether the plan of its present task is approved, or needs no approval. */
  #isApproved = false;
  /** A request to stop about which its agent must be asked. */
  #stopRequest: Message | undefined;

  constructor(environment: TeammateEnvironment) {
    const { store, speaker, rate, mostFailures, asksBeforeStop: asksAgent, idleTimeoutMs: timeoutMs } = environment;
    this.#environment = environment;
    this.#session = new MemberSession(store, speaker, rate, () => this.stop('gone'));
    this.#claims = new Claims(this.#session, mostFailures);
    const onApproved = (): void => void (this.#isApproved = true);
    this.#plans = new PlanGate({
      session: this.#session,
      openPlanner: environment.openPlanner,
      onApproved,
      isLeaving: () => this.#exitReason !== undefined,
    });
    this.#answers = new TaskAnswers(this.#session);
    const exit = (): void => this.stop('idle');
    this.#idleness = new IdleWatch(this.#session, { timeoutMs, exit, hasCompleted: () => this.#completed > 0 });
    this.#cutOff = new CutOffWatch(environment.lease, store, environment.cutOffAfterMs);
    const { role } = environment;
    this.#role = role && 'fields' in role ? new RoleWork(this.#session, role, this.#turn.signal) : undefined;
    this.#turnSetup = new TurnSetup(this.#session, environment);
    const onShutdown = ({ now }: { now: boolean }): void => this.#finish('shutdown', now);
    const onAsked = (request: Message): void => {
      this.#stopRequest = request;
      this.#plans.abandon();
      this.#wake();
    };
    const replies: Replies = { session: this.#session, plans: this.#plans, asksAgent, onAsked, onShutdown };
    this.#mailroom = new Mailroom({
      store,
      member: speaker.name,
      isCurrent: () => this.#session.isCurrent(),
      handle: (message) => reply(message, replies),
      onLook: () => this.#look(),
      mayRest: () => this.#mayRest,
      hasNews: () => this.#hasNews(),
      onTrouble: (error) => this.#session.reportError(error),
    });
    environment.lease.onBeat(() => this.#mailroom.beat());
  }

  /** Works until there is a reason to exit, then closes all that it opened. */
  async run(): Promise<ExitReason> {
    try {
      await this.#mailroom.look();
      await this.#requireUsableRole();
      while (this.#exitReason === undefined)
        await retryWhenWritable(this.#environment.store, this.#turn.signal, () => this.#step());
      await announceExit(this.#session, this.#exitReason, this.#completed);
      return this.#exitReason;
    } finally {
      await this.#close();
    }
  }

  /** What it may do to files now: read only, until its plan is approved. */
  permissions(): Permissions {
    const { sandbox, planApproval = false } = this.#environment;
    return { sandbox, planPending: planApproval && !this.#isApproved };
  }

  /** Ends the present turn and exits; for signals. */
  stop(why: ExitReason): void {
    if (why === 'signal' || why === 'cut-off') this.#environment.store.relay.hurry();
    this.#finish(why, true);
  }

  /** Exits after the present step; `now` ends the turn, too. */
  #finish(why: ExitReason, now: boolean): void {
    this.#exitReason ??= why;
    if (now) this.#turn.abort();
    this.#plans.abandon();
    this.#wake();
  }

  async #step(): Promise<void> {
    const board = this.#session.store.board.fold();
    if (!this.#session.isCurrent(board)) {
      this.stop('replaced');
      return;
    }
    if (this.#stopRequest !== undefined) return this.#answerStop(this.#stopRequest);
    // Check before claiming: without an agent it can do no task.
    if (this.#turnSetup.slots.isEmpty) {
      this.#finish('unfit', false);
      return;
    }
    const { task: own, ready, ...situation } = this.#situation(board);
    switch (nextStep(situation)) {
      case 'go on':
        return own && this.#work(own);
      case 'read':
        return this.#answerMail();
      case 'claim':
        // Only claim it: the next step decides whether a person must answer about it first.
        if (ready) await this.#claims.claim();
        return;
      case 'wait':
        return this.#isDone(situation) ? this.#conclude() : this.#wait();
    }
  }

  /** @param board folded just now */
  #situation(
    board = this.#session.store.board.fold(),
  ): Situation & { readonly task: ClaimedTask | undefined; readonly ready: Task | undefined } {
    const task = this.#session.task(board);
    const ready = task || this.#role?.isOver ? undefined : this.#ready(board);
    return {
      isPaused: board.phase === 'paused' || this.#cutOff.isSilent,
      task,
      ready,
      own: task === undefined ? 'none' : this.#answers.isOpen(task, board) ? 'asked about' : 'workable',
      hasMail: this.#environment.answersMail && this.#mailroom.waiting.length > 0,
      hasReady: ready !== undefined,
    };
  }

  /** Without its working directory it could only fail. */
  #ready(board: Board): Task | undefined {
    const { cwd, store } = this.#environment;
    const ready = this.#claims.ready(board);
    return ready !== undefined && isDirectory(store.disk, cwd) ? ready : undefined;
  }

  async #work(task: ClaimedTask): Promise<void> {
    if (!(await this.#turnSetup.slots.assign(task))) return;
    const taken = this.#mailroom.forTurn();
    const mail = [...taken, ...this.#answers.about(task)];
    const isAsking = (): boolean => this.#answers.isAwaited(task);
    const base = this.#turnSetup.runner(mail, { mailroom: this.#mailroom, taken }, isAsking);
    const inner = this.#role?.carryOut ?? base.carryOut;
    const carryOut = this.#environment.planApproval === true ? this.#plans.before(inner) : inner;
    const runner = { ...base, carryOut };
    const lost = new AbortController();
    this.#present = { task, lost };
    const signal = AbortSignal.any([this.#turn.signal, lost.signal]);
    const done = await this.#turnOn(mail, () => runAttempt(task, mail, runner, signal));
    this.#present = undefined;
    this.#isApproved = false;
    if (done.verdict.do === 'release') {
      this.#claims.pause(task.id, done.verdict.retryAfterMs);
      this.#mailroom.putBack(taken);
    } else this.#mailroom.used(taken);
    await this.#report(done);
  }

  async #report(done: TaskAttempt): Promise<void> {
    if (!(await settleAttempt(this.#session, done)) || done.verdict.do === 'release') return;
    const isCompleted = done.verdict.do === 'complete';
    if (isCompleted) this.#completed += 1;
    this.#claims.ended(done.task, isCompleted);
    // A role reports all its work once, at its end: Phase 5-L sends nothing to the lead.
    await (this.#role ? this.#role.ended(done) : reportAttempt(this.#session, done));
  }

  /** A role exits when there is no task for it, it has paused none, and what it made has landed. */
  #isDone({ isPaused, own }: Situation): boolean {
    const role = this.#role;
    if (isPaused || role === undefined || own !== 'none' || role.isLanding) return false;
    return role.isOver || !this.#claims.isPausing;
  }

  async #conclude(): Promise<void> {
    await this.#role?.conclude();
    this.#finish('done', false);
  }

  /** A role whose file is unusable reports that, and stops. */
  async #requireUsableRole(): Promise<void> {
    const { role } = this.#environment;
    if (role === undefined || 'fields' in role) return;
    await reportUnusableRole(this.#session, role);
    this.#finish('done', false);
  }

  async #answerMail(): Promise<void> {
    const lost = new AbortController();
    this.#present = { task: undefined, lost };
    try {
      await runMailTurn({
        session: this.#session,
        turnSetup: this.#turnSetup,
        mailroom: this.#mailroom,
        signal: AbortSignal.any([this.#turn.signal, lost.signal]),
        sandbox: effectiveSandbox(this.permissions()),
        turnOn: (mail, turn) => this.#turnOn(mail, turn),
      });
    } finally {
      this.#present = undefined;
    }
  }

  /**
   * Runs a turn of the agent. What it sends during the turn counts as an answer to this mail, also from processes that
   * it starts.
   */
  async #turnOn<T>(mail: readonly Message[], turn: () => Promise<T>): Promise<T> {
    this.#session.hops(hopsAfter(mail));
    try {
      return await turn();
    } finally {
      this.#session.hops(undefined);
      this.#idleness.worked();
    }
  }

  /** Waits for the bell, a change on the board, or the idle timeout. */
  async #wait(): Promise<void> {
    while (this.#isWaiting()) {
      await new Promise<void>((resolve) => (this.#wake = resolve));
      if (this.#isWaiting()) await this.#idleness.look();
    }
  }

  /** Asks its agent whether it may stop. Its refusal opens the team again. */
  async #answerStop({ id, content }: Message): Promise<void> {
    const why = await refusalToStop(this.#turnSetup, this.#mailroom, content, this.#turn.signal);
    this.#stopRequest = undefined;
    if (why === undefined) this.#finish('shutdown', false);
    else await this.#session.tellLead(why, { type: 'shutdown_response', reply_to: id, data: { approve: false } });
  }

  #isWaiting(): boolean {
    this.#mayRest = false;
    this.#waitsForBoard = false;
    if (this.#exitReason !== undefined || this.#stopRequest !== undefined) return false;
    const situation = this.#situation();
    const isWaiting = nextStep(situation) === 'wait' && !this.#isDone(situation);
    this.#mayRest = isWaiting && !situation.isPaused && !this.#claims.isPausing;
    const { idleTimeoutMs, lease, store } = this.#environment;
    const isTimed = idleTimeoutMs !== undefined || lease.silentFor() > 0;
    this.#waitsForBoard = this.#mayRest && !isTimed && !mayGetTask(store.board.board, this.#session.name);
    return isWaiting;
  }

  #hasNews(): boolean {
    const { board, pinned } = this.#environment.store;
    return !this.#waitsForBoard || !pinned.isThere() || !board.isAtEnd();
  }

  #look(): void {
    const { store, asksBeforeStop } = this.#environment;
    try {
      store.pinned.check();
      const board = store.board.fold();
      const { phase } = board;
      if (phase === 'closed' || (phase === 'closing' && !asksBeforeStop)) this.#finish('closed', false);
      if (!this.#session.isCurrent(board)) this.stop('replaced');
      this.#plans.look(board);
      this.#stopIfLost(board);
      this.#cutOff.look({ endTurn: () => this.#endTurn(), end: () => this.stop('cut-off') });
    } catch (error) {
      this.#session.reportError(error);
    }
    if (this.#mailroom.waiting.length > 0) this.#turnSetup.notifyMail();
    this.#wake();
  }

  /** Ends the turn for a task that is no longer this member's; its processes end with the turn. */
  #stopIfLost(board: Board): void {
    if (this.#present?.task === undefined) return;
    const { task } = this.#present;
    const own = this.#session.task(board);
    if (own?.id !== task.id || own.claim.epoch !== task.claim.epoch) this.#endTurn();
  }

  /** @returns whether a turn went on until now */
  #endTurn(): boolean {
    if (this.#present === undefined || this.#present.lost.signal.aborted) return false;
    this.#present.lost.abort();
    this.#plans.abandon();
    return true;
  }

  async #close(): Promise<void> {
    const { lease, store } = this.#environment;
    await this.#mailroom.close();
    await this.#turnSetup.close();
    await this.#role?.close();
    await lease.release();
    await store.close();
  }
}
