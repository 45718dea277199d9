/**
 * A teammate: one process, one agent, one loop (S3's work loop with v9's idle cycle).
 *
 * started ─→ own unfinished task or a ready one ─→ attempt ─→ again
 *         ─→ mail for the agent ─→ a turn ─→ again
 *         ─→ nothing ─→ idle: woken by the bell, or looks again within a second
 * stopping: finishes its atomic step, starts nothing new, answers, leaves
 */
import type { Agent } from '../agents/agent.ts';
import { openBlockers } from '../model/board.ts';
import type { Message } from '../model/message.ts';
import { LEAD } from '../model/names.ts';
import { shutdownAck, standingBy, stillBlocked, taskCompleted, taskFailed } from '../policy/wording.ts';
import { removeBell } from '../store/bell.ts';
import type { Lease } from '../store/lease.ts';
import type { TeamStore } from '../store/team-store.ts';
import { Claims } from './claims.ts';
import { Mailroom } from './mailroom.ts';
import { Output } from './output.ts';
import { PlanGate } from './plan-gate.ts';
import { turnPrompt } from './prompts.ts';
import { reply, type Replies } from './replies.ts';
import { attempt, converse, type Attempt, type RunnerEnvironment } from './runner.ts';
import { Self, type Claimed } from './self.ts';
import type { SendRate } from './send-rate.ts';
import type { Speaker } from './speaker.ts';
import { after } from './tasks.ts';
import { whenWritable } from './when-writable.ts';

export interface TeammateEnvironment {
  readonly store: TeamStore;
  readonly speaker: Speaker & { kind: 'member' };
  readonly lease: Lease;
  readonly agent: Agent;
  readonly runner: Omit<RunnerEnvironment, 'output' | 'call' | 'store' | 'speaker' | 'agent'>;
  readonly rate: SendRate;
  /** Whether mail alone makes a turn; an `exec` agent gets its mail with its next task. */
  readonly answersMail: boolean;
  /** Leaves after so many milliseconds without work; never, without it. */
  readonly idleTimeoutMs?: number;
  /** Says what it is going to do and waits for the lead before it does it. */
  readonly planApproval?: boolean;
  /** After so many failed attempts in a row it takes nothing new, and its lead quarantines it; without a lead it goes on. */
  readonly mostFailures?: number;
  /** An agent that refuses to stop, as long as it is not forced. */
  readonly refusesShutdown?: string;
}

export type Leaving = 'shutdown' | 'idle' | 'closed' | 'replaced' | 'signal' | 'gone';

/** An idle notice is sent when idleness has lasted this long: a short wait is none. */
const IDLE_NOTICE_MS = 1_000;
const BLOCKED_NOTICE_MS = 120_000;
/** Characters of a result that go into the report to the lead; the whole is in `results/`. */
const SUMMARY = 2_000;

export class Teammate {
  readonly #environment: TeammateEnvironment;
  readonly #self: Self;
  readonly #claims: Claims;
  readonly #plans: PlanGate;
  readonly #output: Output;
  readonly #mailroom: Mailroom;
  readonly #turn = new AbortController();
  readonly #toldBlocked = new Set<string>();
  #leaving: Leaving | undefined;
  #wake: () => void = () => {};
  #completed = 0;

  constructor(environment: TeammateEnvironment) {
    const { store, speaker, rate, mostFailures, refusesShutdown } = environment;
    this.#environment = environment;
    this.#self = new Self(store, speaker, rate, () => this.stop('gone'));
    this.#claims = new Claims(this.#self, mostFailures);
    this.#plans = new PlanGate(this.#self);
    this.#output = new Output(store, speaker.name);
    const onShutdown = ({ now }: { now: boolean }): void => this.#finish('shutdown', now);
    const replies: Replies = { self: this.#self, plans: this.#plans, refusesShutdown, onShutdown };
    this.#mailroom = new Mailroom({
      ...{ store, member: speaker.name },
      isCurrent: () => this.#self.isCurrent(),
      handle: (message) => reply(message, replies),
      onLook: () => this.#look(),
      onTrouble: (error) => this.#self.trouble(error),
    });
  }

  /** Works until there is a reason to leave; everything it opened is closed then. */
  async run(): Promise<Leaving> {
    try {
      await this.#mailroom.look();
      while (this.#leaving === undefined)
        await whenWritable(this.#environment.store, this.#turn.signal, () => this.#step());
      await this.#farewell(this.#leaving);
      return this.#leaving;
    } finally {
      await this.#close();
    }
  }

  /** Ends the present turn and leaves; for signals. */
  stop(why: Leaving): void {
    this.#finish(why, true);
  }

  /** Leaves after the present step; `now` ends the turn too. */
  #finish(why: Leaving, now: boolean): void {
    this.#leaving ??= why;
    if (now) this.#turn.abort();
    this.#plans.abandon();
    this.#wake();
  }

  async #step(): Promise<void> {
    const task = this.#claims.take();
    if (!this.#self.isCurrent()) {
      this.stop('replaced');
      return;
    }
    if (task) return this.#work(task);
    if (this.#hasMail()) return this.#answerMail();
    await this.#idle();
  }

  async #work(task: Claimed): Promise<void> {
    if (this.#environment.planApproval === true && !(await this.#plans.passes(task))) return;
    const mail = this.#mailroom.forTurn();
    const done = await attempt(task, mail, this.#runner(mail), this.#turn.signal);
    if (done.verdict.do === 'release') this.#claims.pause(task.id, done.verdict.retryAfterMs);
    else this.#mailroom.used(mail);
    await this.#report(done);
  }

  /** Tells the lead, under an id that the event gives: a repetition is told from it. */
  async #report({ task, verdict, written }: Attempt): Promise<void> {
    const { store, speaker } = this.#environment;
    if (written?.outcome.ok !== true) return;
    await after(store, written.outcome, speaker);
    if (verdict.do === 'release') {
      store.events.append({ type: 'task.given_back', member: speaker.name, task: task.id, text: verdict.why });
      return;
    }
    const isCompleted = verdict.do === 'complete';
    if (isCompleted) this.#completed += 1;
    this.#claims.ended(isCompleted);
    const kind = isCompleted ? 'task_completed' : 'task_failed';
    const text = isCompleted
      ? taskCompleted(task.id, verdict.text.trim().slice(-SUMMARY))
      : taskFailed(task.id, verdict.why);
    await this.#self.tell(text, { kind, task_id: task.id, id: `${kind}:${written.event.id}:${LEAD}` });
  }

  /** Several messages of one window are one turn. */
  async #answerMail(): Promise<void> {
    const mail = this.#mailroom.forTurn();
    const { agent, runner } = this.#environment;
    const { environment: env, cwd, sandbox } = runner;
    this.#output.begin(undefined);
    const turn = agent.turn({ prompt: turnPrompt(undefined, mail), env, cwd, sandbox, signal: this.#turn.signal });
    const end = await converse(turn, this.#runner(mail));
    this.#output.end();
    if (end.ended === 'aborted') return;
    this.#mailroom.used(mail);
    if (end.ended === 'failed')
      await this.#self.tell(`The agent failed at its mail: ${end.message}`, { kind: 'alert' });
  }

  /** Waits for the bell, a change on the board, or the end of patience. */
  async #idle(): Promise<void> {
    const { store, idleTimeoutMs = Number.POSITIVE_INFINITY } = this.#environment;
    const since = store.clock.monotonic();
    let isTold = this.#completed === 0;
    while (this.#isIdle()) {
      await new Promise<void>((resolve) => (this.#wake = resolve));
      if (!this.#isIdle()) return;
      const idleFor = store.clock.monotonic() - since;
      if (!isTold && idleFor >= IDLE_NOTICE_MS) {
        isTold = true;
        await this.#self.tell(standingBy(), { kind: 'idle' });
      }
      if (idleFor >= BLOCKED_NOTICE_MS) await this.#tellBlocked();
      if (idleFor >= idleTimeoutMs) this.stop('idle');
    }
  }

  #isIdle(): boolean {
    return this.#leaving === undefined && !this.#hasMail() && !this.#claims.isAny();
  }

  #hasMail(): boolean {
    return this.#environment.answersMail && this.#mailroom.waiting.length > 0;
  }

  /** An own task that stays blocked is told to the lead once. */
  async #tellBlocked(): Promise<void> {
    const board = this.#environment.store.board.fold();
    for (const task of board.tasks.values()) {
      if (task.owner !== this.#self.name || task.status !== 'pending' || this.#toldBlocked.has(task.id)) continue;
      this.#toldBlocked.add(task.id);
      await this.#self.tell(stillBlocked(task.id, openBlockers(board, task)), { kind: 'alert', task_id: task.id });
    }
  }

  #look(): void {
    const { store, refusesShutdown } = this.#environment;
    try {
      store.pinned.check();
      const { phase } = store.board.fold();
      if (phase === 'closed' || (phase === 'closing' && refusesShutdown === undefined)) this.#finish('closed', false);
      if (!this.#self.isCurrent()) this.stop('replaced');
    } catch (error) {
      this.#self.trouble(error);
    }
    this.#wake();
  }

  async #farewell(why: Leaving): Promise<void> {
    if (why === 'replaced' || why === 'gone') return;
    const { name } = this.#self;
    const own = this.#self.task();
    const released = { type: 'task.released', reason: 'released', why: `${name} stops` } as const;
    if (own) this.#self.write({ ...released, task: own.id, epoch: own.claim.epoch });
    if (why === 'idle') return this.#leave();
    if (why === 'signal') return;
    await this.#self.tell(shutdownAck(name, this.#completed, 0), {
      type: 'shutdown_response',
      data: { approve: true },
    });
  }

  /** Leaving is announced; without a bell nobody sends any more, and what comes late is refused by the board. */
  async #leave(): Promise<void> {
    const { store } = this.#environment;
    const { name } = this.#self;
    await this.#self.tell(`${name} had nothing to do and leaves.`, { kind: 'idle' });
    removeBell(store.disk, store.paths.inbox(name).bell);
    this.#self.write({ type: 'member.left', name, why: 'idle' });
  }

  /** @param mail of the turn: what the agent sends in it is an answer to it */
  #runner(mail: readonly Message[]): RunnerEnvironment {
    const { store, speaker, agent, runner } = this.#environment;
    const call: RunnerEnvironment['call'] = async (tool, input) => {
      // All that a team can do, of which a member needs nothing until its agent calls a tool.
      const { callTool } = await import('./team-tools.ts');
      return callTool(this.#self, mail, tool, input);
    };
    return { ...runner, store, speaker, agent, output: this.#output, call };
  }

  async #close(): Promise<void> {
    const { agent, lease, store } = this.#environment;
    await this.#mailroom.close();
    await agent.close();
    this.#output.close();
    await lease.release();
    await store.close();
  }
}
