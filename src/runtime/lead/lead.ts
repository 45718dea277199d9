/**
 * The lead's loop: look → judge → act. A look reads board, roster and mail. The policies decide; each act is one
 * idempotent effect. After a crash between two acts the next look repairs the rest, in this lead or the next one.
 */
import type { Board } from '../../model/board/board.ts';
import { ConflictError, type TeamError } from '../../model/text/errors.ts';
import type { Name } from '../../model/text/names.ts';
import { judge } from '../../policy/supervise/judge.ts';
import type { RunState } from '../../model/run/run-state.ts';
import type { Sighting, Verdict } from '../../policy/sighting.ts';
import type { Folded } from '../../store/board/fold-line.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import { CheckpointKeeper } from '../process/checkpoint-keeper.ts';
import { carryOut, logDecision, type ActContext } from './act.ts';
import { MemberProbe } from './member-probe.ts';
import { LeadHooks } from '../hooks/lead-hooks.ts';
import { ownPlaces } from '../hooks/own-places.ts';
import { Subscribers } from '../hooks/subscribers.ts';
import { teammateVariables, type LeadEnding, type LeadOptions, type LeadSpeaker } from './lead-options.ts';
import { closeAll } from './close-all.ts';
import { LeadMail } from './lead-mail.ts';
import { LeadMemory } from './lead-memory.ts';
import { LoopEnd } from './loop-end.ts';
import { LookRecorder } from '../replay/look-recorder.ts';
import { Placements } from '../placement/placements.ts';
import { RoleReports } from './role-reports.ts';
import { NoiseWatch } from './watches/noise-watch.ts';
import { BudgetWatch } from '../budget/budget-watch.ts';
import { ChangedMembers } from './changed-members.ts';
import { StateWatch } from './watches/state-watch.ts';
import { TeamSight } from './watches/team-sight.ts';
import type { MemberProcess } from '../placement/member-process.ts';
import { Supervisor, type SupervisorEnvironment } from './supervisor.ts';
import { ViewKeeper } from './view-keeper.ts';
import { indexEvents } from '../process/event-indexing.ts';
import { hasNoRoom } from '../process/retry-disk.ts';
import { Waker } from '../process/waker.ts';

/**
 * The shortest time between two looks, in milliseconds; one look covers all that happened since. The waker sets the
 * longest time.
 */
const SETTLE_MS = 15;
/** Verdicts that change counters which the run's state keeps. */
const OUTLIVING = new Set<Verdict['do']>(['restart', 'abandon', 'resetRestarts', 'quarantine', 'lift']);

export class Lead {
  readonly memory: LeadMemory;
  readonly supervisor: Supervisor;
  readonly views: ViewKeeper;
  readonly hooks: LeadHooks;
  readonly subscribers: Subscribers;
  readonly noise: NoiseWatch;
  /** Patterns of the files that only the lead changes. */
  sharedFiles: readonly string[];
  /** Called after a decision that the next lead must know. */
  onRemembered: () => Promise<void> = () => Promise.resolve();
  /** Whether another program replaced the state of the run that this lead has written. */
  isStateForeign: () => boolean = () => false;
  /** Why a run cannot go on until a person acts; asked while nobody works on a task. */
  cannotGoOn: () => TeamError | undefined = () => undefined;
  /** Throws when the team's store was not heard for too long. */
  requireHeard: () => void = () => {};
  readonly #store: TeamStore;
  readonly #speaker: LeadSpeaker;
  readonly #options: LeadOptions;
  readonly #leadMail: LeadMail;
  readonly #roles: RoleReports | undefined;
  readonly #budget: BudgetWatch;
  readonly #changed: ChangedMembers;
  readonly #probe: MemberProbe;
  readonly #sight: TeamSight;
  readonly #waker: Waker;
  readonly #state: StateWatch;
  readonly #end: LoopEnd;
  readonly #looks: LookRecorder;
  readonly #checkpoints: CheckpointKeeper;
  #stop = false;
  /** What can be written before the end is written, as far as it can be. */
  #isAhead = false;
  /** Whether the last act found room on the disk. */
  #hasRoom = true;
  #loggedStuck: string | undefined;

  /**
   * @param known the state of the run that an earlier lead wrote
   * @param supervise creates the supervisor that starts and ends members' processes
   */
  constructor(
    store: TeamStore,
    speaker: LeadSpeaker,
    options: LeadOptions,
    known?: Pick<RunState, 'sharedFiles' | 'noiseOffset'>,
    supervise = (environment: SupervisorEnvironment): Supervisor => new Supervisor(environment),
  ) {
    this.#store = store;
    this.#speaker = speaker;
    this.#options = options;
    this.#budget = new BudgetWatch(store);
    this.noise = new NoiseWatch(store, known?.noiseOffset);
    this.sharedFiles = known?.sharedFiles ?? [];
    this.#looks = new LookRecorder(store, speaker.epoch, options.limits);
    this.memory = new LeadMemory(store.clock, store.board.past);
    this.views = new ViewKeeper(store);
    this.#state = new StateWatch({
      clock: store.clock,
      write: () => this.onRemembered(),
      isForeign: () => this.isStateForeign(),
    });
    this.supervisor = supervise({
      store,
      variables: teammateVariables(options),
      placements: new Placements(store),
      onExit: (life) => this.#exited(life),
    });
    this.#checkpoints = new CheckpointKeeper(() => checkpointed(store), store.clock);
    this.#probe = new MemberProbe(store, this.memory, this.supervisor, (one) => this.#budget.isWaiting(one));
    this.#changed = new ChangedMembers(
      { store, speaker, supervisor: this.supervisor, memory: this.memory },
      {
        lifeOf: (name) => this.#probe.lifeOf(name),
        onChanged: () => this.#probe.forgetAgents(),
      },
    );
    const { children } = this.supervisor;
    const places = ownPlaces(store, options);
    this.hooks = new LeadHooks({ store, speaker, children, places, hooks: options.hooks ?? {} });
    this.subscribers = new Subscribers({ store, children, places, commands: options.subscribers ?? {} });
    this.#roles = RoleReports.of(store);
    this.#sight = new TeamSight({ store, options, memory: this.memory, probe: this.#probe, roles: this.#roles });
    this.#leadMail = new LeadMail({
      store,
      speaker,
      memory: this.memory,
      leads: () => this.#leads(),
      readsMail: options.readsMail ?? false,
      sharedFiles: () => this.sharedFiles,
      onSpawn: (name) => this.#spawn(name),
      onIdle: (name) => this.hooks.idle(name),
      onReport: (from, message) => this.#roles?.heard(from, message),
      onNews: () => this.ring(),
    });
    this.#end = new LoopEnd({
      store,
      options,
      budget: this.#budget,
      closing: () => this.#leadMail.closing,
      cannotGoOn: () => this.cannotGoOn(),
    });
    const { log, elsewhere, hosts } = store.paths;
    this.#waker = new Waker(store, store.isShared ? [log, elsewhere, hosts] : [log]);
  }

  /** Answers to the shutdown request so far. */
  get responses(): LeadMail['responses'] {
    return this.#leadMail.responses;
  }

  /** Mail for the model that leads (`readsMail`). */
  get mail(): LeadMail['mail'] {
    return this.#leadMail.mail;
  }

  /** Called for each event as it is folded. */
  folded(folded: Folded): void {
    this.#state.changed();
    this.memory.folded(folded);
    if (folded.outcome.ok) this.views.changed(folded.outcome.changed);
    this.#leadMail.folded(folded);
  }

  /**
   * Takes up what the board says at the moment when this lead took over. From then on it is told each event.
   *
   * @param changed the tasks that changed since the views were written, as far as this process folded the log
   * @param viewsOffset how much of the log the views show
   */
  learned(changed: Iterable<string>, viewsOffset: number): void {
    this.views.begin(changed, this.#store.board.log.changedSince(viewsOffset));
    this.#leadMail.sendAgain(this.#store.board.past.unblocked.values());
  }

  ring(): void {
    this.#waker.ring();
  }

  /** Ends the loop at its next iteration. */
  stop(): void {
    this.#stop = true;
    this.ring();
  }

  /**
   * Looks, judges and acts until the loop ends.
   *
   * @throws ConflictError `LEAD_ALIVE` when another lead took over
   */
  async run(): Promise<LeadEnding> {
    for (;;) {
      if (this.#stop) return { why: 'stopped' };
      await this.#changed.look(this.requireLeadership());
      const sighting = this.#sight.look(this.requireLeadership());
      if (this.noise.look()) this.#state.changed();
      const ended = await this.#end.before(sighting);
      if (ended !== undefined) return ended;
      const folded = this.#store.board.offset;
      const verdicts = judge(sighting, this.#options.limits);
      this.#looks.record(sighting, verdicts, folded, Math.floor(this.#sight.lastLook));
      this.#logStuck(verdicts, sighting);
      for (const verdict of verdicts) {
        const ending = this.#end.insteadOf(verdict, sighting);
        if (ending !== undefined) return ending;
        if (verdict.do !== 'finish' && verdict.do !== 'stuck' && !(await this.#act(verdict, sighting))) break;
      }
      this.#leadMail.settle();
      this.hooks.waiting(sighting.board.open);
      await this.#leadMail.notify();
      if (this.views.flush()) this.#state.changed();
      await this.#state.keep();
      this.#checkpoints.keep();
      await this.#wait();
    }
  }

  /**
   * Writes a small part of what it would write at its end; called while members stop.
   *
   * @returns whether there may be more
   */
  finishAhead(): boolean {
    if (this.#isAhead || !this.leads()) return false;
    if (this.views.ahead()) return true;
    this.#isAhead = true;
    this.#checkpoints.ahead();
    return false;
  }

  async close(): Promise<void> {
    await closeAll(
      () => this.#waker.close(),
      () => this.#checkpoints.finish(),
      () => this.#looks.close(),
      () => this.#leadMail.close(),
      () => (this.leads() ? this.views.finish() : undefined),
    );
  }

  /**
   * Folds to the end of the log and checks its own epoch: a lead that was replaced, or whose team is gone, acts no
   * more. Nor does one that has not heard the team's store for so long that another may lead.
   *
   * @throws ConflictError `LEAD_ALIVE`; StoreError `TEAM_GONE`, `ENGINE_UNREACHABLE`
   */
  requireLeadership(): Board {
    this.#store.pinned.check();
    this.requireHeard();
    const board = this.#store.board.fold();
    if (this.#leads()) return board;
    throw new ConflictError(
      'LEAD_ALIVE',
      `Another lead took over team ${this.#store.paths.name} (epoch ${board.lead.epoch}); this one stops.`,
    );
  }

  /** Whether this process is still the team's lead. If not, it writes nothing more. */
  leads(): boolean {
    try {
      this.requireLeadership();
      return true;
    } catch {
      // Used only at the end; a caller that acts uses `requireLeadership`, which throws the reason.
      return false;
    }
  }

  /** Logs what is missing each time the reason changes, so that a lead that serves a team never waits in silence. */
  #logStuck(verdicts: readonly Verdict[], sighting: Sighting): void {
    const stuck = verdicts.find((verdict) => verdict.do === 'stuck');
    if (stuck !== undefined && stuck.why !== this.#loggedStuck) logDecision(this.#store, stuck, sighting);
    this.#loggedStuck = stuck?.why;
  }

  /** @returns false if the disk has no room: the next look judges anew what is left to do */
  async #act(verdict: Verdict, sighting: Sighting): Promise<boolean> {
    this.requireLeadership();
    const context: ActContext = {
      store: this.#store,
      speaker: this.#speaker,
      memory: this.memory,
      supervisor: this.supervisor,
      sighting,
      spare: this.#options.spare,
    };
    try {
      await carryOut(verdict, context);
      if (OUTLIVING.has(verdict.do)) await this.onRemembered();
      this.#hasRoom = true;
    } catch (error) {
      if (!(error instanceof Error) || !hasNoRoom(error)) throw error;
      if (this.#hasRoom) this.#store.events.append({ type: 'disk.failed', text: error.message });
      this.#hasRoom = false;
      this.#state.changed();
    }
    return this.#hasRoom;
  }

  #spawn(name: Name): void {
    const life = this.#probe.lifeOf(name);
    if (life && life.death === undefined) return;
    Object.assign(this.memory.of(name), { givenUp: false, quarantined: false, restarts: 0 });
    this.memory.forgive(name);
    this.memory.restarted(name);
    this.supervisor.start([name]);
  }

  /** A member refused to close: the team goes on. */
  stay(): void {
    this.#stop = false;
    this.#isAhead = false;
    this.#leadMail.stay();
  }

  #exited(life: MemberProcess): void {
    this.#store.events.append({ type: 'member.exited', member: life.name, text: life.death ?? 'exit' });
    // A role that exited with 0 has finished. It is not dead, and is started again when there is work for it.
    if (life.death === 'exit 0' && this.#roles?.has(life.name)) this.supervisor.forget(life.name);
    this.ring();
  }

  #leads(): boolean {
    const { lead } = this.#store.board.fold();
    return lead.epoch === this.#speaker.epoch && lead.incarnation === this.#speaker.incarnation;
  }

  async #wait(): Promise<void> {
    await this.#store.clock.sleep(SETTLE_MS);
    await this.#waker.wait();
  }
}

/** What saves others the reading of both logs, in steps. */
function* checkpointed(store: TeamStore): Generator<undefined> {
  yield* store.board.checkpointed();
  yield* indexEvents(store);
}
