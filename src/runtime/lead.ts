/**
 * The lead's loop: look → judge → act. A look reads board, roster and mail; the policies say what follows; each act is
 * one idempotent effect. A crash between two acts is repaired by the next look, here or in the next lead.
 */
import type { Board } from '../model/board.ts';
import { ConflictError } from '../model/errors.ts';
import type { Message } from '../model/message.ts';
import { LEAD, type Name } from '../model/names.ts';
import { judge } from '../policy/judge.ts';
import type { Task } from '../model/task.ts';
import type { Limits, Sighting, Verdict } from '../policy/sighting.ts';
import { unblockedBy } from '../policy/unblocking.ts';
import * as wording from '../policy/wording.ts';
import type { Folded } from '../store/board.ts';
import { lookAt } from '../store/disk.ts';
import { lastBeat } from '../store/lease.ts';
import type { TeamStore } from '../store/team-store.ts';
import { watchFile } from '../store/watch.ts';
import { acts, type ActContext } from './acts.ts';
import { Mailroom } from './mailroom.ts';
import { sendMail } from './mail.ts';
import { Memory } from './memory.ts';
import { readableConfig } from './run-state.ts';
import { MOST_FAILURES_VARIABLE, type Speaker } from './speaker.ts';
import { Supervisor, type Life } from './supervisor.ts';
import { ViewKeeper } from './view-keeper.ts';

export interface LeadOptions {
  readonly limits: Limits;
  readonly monitorIntervalMs: number;
  /** Nobody is asked: what a failed blocker holds up is skipped, and a stuck board ends the run. */
  readonly unattended: boolean;
  /** A run ends when its board is done; a lead that serves a team stays until it is told to close. */
  readonly endsWhenDone: boolean;
  /** The first required task that fails ends the run. */
  readonly failFast?: boolean;
}

export type LeadSpeaker = Speaker & { kind: 'lead' };

/** Why the loop ended. `stuck` carries what is missing. */
export type Ending =
  | { readonly why: 'finished' }
  | { readonly why: 'stuck'; readonly what: string }
  | { readonly why: 'stopped' }
  /** Somebody asked for the end: `teams delete`, `teams cancel`. */
  | { readonly why: 'closing'; readonly force: boolean; readonly now: boolean };

/** The lead looks at least this often, whoever rings. */
const LOOK_MS = 1_000;
/** And at most this often: what happens in between is one look. */
const SETTLE_MS = 15;
const MAIL_GAP_MS = 100;
/** Mail that says again what the logs tell already. */
const ECHOES = new Set(['task_completed', 'task_failed', 'idle', 'shutdown_response']);

/** Counted in the lead's memory, and kept in the run's state. */
const OUTLIVING = new Set<Verdict['do']>(['restart', 'give up', 'pardon', 'quarantine']);

export class Lead {
  readonly memory: Memory;
  readonly supervisor: Supervisor;
  readonly views: ViewKeeper;
  /** Called after a decision that the next lead must know of. */
  onRemembered: () => Promise<void> = () => Promise.resolve();
  readonly #store: TeamStore;
  readonly #speaker: LeadSpeaker;
  readonly #options: LeadOptions;
  readonly #mailroom: Mailroom;
  readonly #responses = new Map<Name, { approve: boolean; text: string }>();
  readonly #watched: { check(): void; close(): void };
  #unblocked: { task: string; owner: Name; blocker: string; event: string }[] = [];
  /** What kind of agent each member has, by the config. */
  #kinds: ReadonlyMap<Name, string | undefined> = new Map();
  #wake: () => void = () => {};
  #isRung = false;
  #lastLook: number;
  #stop = false;
  #closing: { force: boolean; now: boolean } | undefined;

  constructor(store: TeamStore, speaker: LeadSpeaker, options: LeadOptions) {
    this.#store = store;
    this.#speaker = speaker;
    this.#options = options;
    this.memory = new Memory(store.clock);
    this.views = new ViewKeeper(store);
    const variables = { [MOST_FAILURES_VARIABLE]: String(options.limits.maxConsecutiveErrors) };
    this.supervisor = new Supervisor({ store, variables, onExit: (life) => this.#exited(life) });
    this.#lastLook = store.clock.monotonic();
    this.#mailroom = new Mailroom({
      store,
      member: LEAD,
      gapMs: MAIL_GAP_MS,
      isCurrent: () => this.#leads(),
      handle: (message) => Promise.resolve(this.#handle(message)),
      onLook: () => this.ring(),
      onTrouble: (error) => void store.events.append({ type: 'lead.troubled', text: String(error) }),
    });
    this.#watched = watchFile(store.disk, store.paths.log, () => this.ring());
  }

  /** Answers to the shutdown request so far. */
  get responses(): ReadonlyMap<Name, { approve: boolean; text: string }> {
    return this.#responses;
  }

  /** Told of each event as it is folded. */
  folded(folded: Folded): void {
    const { event, outcome } = folded;
    this.memory.folded(folded);
    if (!outcome.ok) return;
    this.views.changed(outcome.changed);
    if (outcome.changed.length === 0) return;
    for (const { task, owner, blocker } of unblockedBy(this.#store.board.board, outcome.changed))
      this.#unblocked.push({ task: task.id, owner, blocker: blocker.id, event: event.id });
  }

  /** What was folded before this lead took over is told already: restarted members look for themselves. */
  forgetHistory(): void {
    this.#unblocked = [];
  }

  ring(): void {
    this.#isRung = true;
    this.#wake();
  }

  /** Ends the loop at its next turn. */
  stop(): void {
    this.#stop = true;
    this.ring();
  }

  /** Looks, judges and acts until there is an end. @throws ConflictError `LEAD_ALIVE` when another lead took over */
  async run(): Promise<Ending> {
    for (;;) {
      if (this.#stop) return { why: 'stopped' };
      const sighting = this.look();
      if (this.#closing) return { why: 'closing', ...this.#closing };
      if (sighting.board.phase !== 'open') return { why: 'closing', force: false, now: false };
      const failed = this.#options.failFast === true ? firstFailure(sighting.board) : undefined;
      if (failed) return { why: 'stuck', what: `task #${failed.id} failed, and --fail-fast was asked for` };
      for (const verdict of judge(sighting, this.#options.limits)) {
        if (verdict.do === 'finish' && this.#options.endsWhenDone) return { why: 'finished' };
        if (verdict.do === 'stuck' && this.#options.endsWhenDone) return { why: 'stuck', what: verdict.why };
        if (verdict.do !== 'finish' && verdict.do !== 'stuck') await this.#act(verdict);
      }
      await this.#notify();
      this.views.flush();
      await this.#wait();
    }
  }

  /** What is true now, of the board and of each member. */
  look(): Sighting {
    const board = this.mustLead();
    const now = this.#store.clock.monotonic();
    const overslept = now - this.#lastLook > 2 * Math.max(this.#options.monitorIntervalMs, LOOK_MS);
    this.#lastLook = now;
    const members = [...board.members.values()]
      .filter((member) => member.state === 'joined')
      .flatMap(({ name }) => this.#glance(board, name) ?? []);
    return { board, members, overslept, unattended: this.#options.unattended };
  }

  async close(): Promise<void> {
    this.#watched.close();
    await this.#mailroom.close();
    if (this.leads()) this.views.flush({ now: true });
  }

  /**
   * Folds to the end and checks its own epoch: a lead that was replaced, or lost its team, acts no more.
   *
   * @throws ConflictError `LEAD_ALIVE`; StoreError `TEAM_GONE`
   */
  mustLead(): Board {
    this.#store.pinned.check();
    const board = this.#store.board.fold();
    if (this.#leads()) return board;
    throw new ConflictError(
      'LEAD_ALIVE',
      `Another lead took over team ${this.#store.paths.name} (epoch ${board.lead.epoch}); this one stops.`,
    );
  }

  /** Whether this is the team's lead still: one that lost its team, or its right to it, writes nothing more. */
  leads(): boolean {
    try {
      this.mustLead();
      return true;
    } catch {
      // Asked at the end only; whoever acts is told why not.
      return false;
    }
  }

  #glance(board: Board, name: Name) {
    const life = this.#lifeOf(name);
    const record = this.#store.roster.read(name);
    const byHand = record?.by_hand === true;
    if (life === undefined && !this.memory.of(name).givenUp && record === undefined) return undefined;
    const beat = lastBeat(this.#store.disk, this.#store.paths, name);
    const printed = lookAt(this.#store.disk, this.#store.paths.output(name))?.mtimeMs;
    return this.memory.sighting(name, {
      life,
      byHand,
      beat,
      printed,
      boundedByTimeout: board.busy.has(name) && (this.#runsCommands(name) || record?.note?.state === 'waiting'),
    });
  }

  /** The present life; where the one that we knew has ended, the one that a person may have started since. */
  #lifeOf(name: Name): Life | undefined {
    const known = this.supervisor.look(name);
    if (known && known.death === undefined) return known;
    const found = this.supervisor.adopt(name);
    if (found && known) this.memory.reborn(name);
    return found ?? known;
  }

  #runsCommands(name: Name): boolean {
    const config = this.#kinds.has(name) ? undefined : readableConfig(this.#store);
    if (config) this.#kinds = new Map(config.members.map((member) => [member.name, member.agent?.kind]));
    return this.#kinds.get(name) === 'exec';
  }

  async #act(verdict: Verdict): Promise<void> {
    this.mustLead();
    const context: ActContext = {
      store: this.#store,
      speaker: this.#speaker,
      memory: this.memory,
      supervisor: this.supervisor,
    };
    await acts(verdict, context);
    if (OUTLIVING.has(verdict.do)) await this.onRemembered();
  }

  /** UNBLOCKED mail, once a task: its id is made of the event that resolved the last blocker. */
  async #notify(): Promise<void> {
    for (const { task, owner, blocker, event } of this.#unblocked.splice(0)) {
      const { tasks } = this.#store.board.board;
      const by = tasks.get(blocker);
      if (!by || tasks.get(task)?.status !== 'pending') continue;
      const options = { kind: 'unblocked', task_id: task, id: `unblocked:${event}.${task}:${owner}` };
      await sendMail(this.#store, this.#speaker, owner, wording.unblocked(task, by), options).catch((error: unknown) =>
        this.#store.events.append({ type: 'message.failed', member: owner, text: String(error) }),
      );
    }
  }

  #handle(message: Message): boolean {
    const { events } = this.#store;
    const board = this.#store.board.fold();
    const sender = [...board.members.keys()].find((name) => name === message.sender);
    const text = message.content.slice(0, 2_000);
    const kind = message.kind ?? message.type;
    if (!ECHOES.has(kind))
      events.append({ type: 'message.received', ...(sender ? { member: sender } : {}), kind, text });
    if (message.sender === LEAD && message.recipient === LEAD) this.#ordered(message);
    if (sender === undefined) return true;
    if (message.type === 'shutdown_response')
      this.#responses.set(sender, { approve: message.data?.['approve'] !== false, text: message.content });
    if (message.kind === 'status') this.memory.of(sender).answered = true;
    else if (message.kind === undefined) this.memory.progressed(sender);
    return message.kind !== 'question' && message.kind !== 'plan_approval_request';
  }

  /** What a person says to the lead's own process through its inbox: to start a member, to end the team. */
  #ordered({ kind, data = {} }: Message): void {
    if (kind === 'close') this.#closing = { force: data['force'] === true, now: data['now'] === true };
    const name = [...this.#store.board.fold().members.keys()].find((member) => member === data['member']);
    if (kind === 'spawn' && name !== undefined && this.#store.board.board.members.get(name)?.state === 'joined')
      this.#spawn(name);
    this.ring();
  }

  #spawn(name: Name): void {
    const life = this.#lifeOf(name);
    if (life && life.death === undefined) return;
    Object.assign(this.memory.of(name), { givenUp: false, quarantined: false, restarts: 0, consecutiveFailures: 0 });
    this.memory.reborn(name);
    this.supervisor.start([name]);
  }

  /** Closing was refused by a member: the team goes on. */
  stay(): void {
    this.#closing = undefined;
    this.#responses.clear();
  }

  #exited(life: Life): void {
    this.#store.events.append({ type: 'member.exited', member: life.name, text: life.death ?? 'exit' });
    this.ring();
  }

  #leads(): boolean {
    const { lead } = this.#store.board.fold();
    return lead.epoch === this.#speaker.epoch && lead.incarnation === this.#speaker.incarnation;
  }

  async #wait(): Promise<void> {
    const { clock } = this.#store;
    await clock.sleep(SETTLE_MS);
    if (!this.#isRung && !this.#stop) {
      const woken = new AbortController();
      this.#wake = () => woken.abort();
      await clock.sleep(LOOK_MS, woken.signal);
      this.#wake = () => {};
    }
    this.#isRung = false;
    this.#watched.check();
  }
}

const firstFailure = (board: Board): Task | undefined =>
  [...board.tasks.values()].find((task) => task.status === 'failed' && task.required);
