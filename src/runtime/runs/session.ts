/**
 * A lead's session with a team: taking the lead, starting teammates together, the loop, the end. However it ends, every
 * process is stopped before anything is reported.
 */
import type { Config } from '../../model/config/config.ts';
import type { Name } from '../../model/text/names.ts';
import type { Prices } from '../../model/team/spending-sum.ts';
import type { RunState } from '../../model/run/run-state.ts';
import type { TeamEvent } from '../../model/team/team-event.ts';
import { defined } from '../../model/text/defined.ts';
import { isTeamError, type TeamError } from '../../model/text/errors.ts';
import { profiles } from '../../policy/profiles.ts';
import type { Lend } from '../../model/team/lend.ts';
import type { IsolationSetting } from '../../policy/sandbox/shell-isolation.ts';
import { CUT_OFF_AFTER_MS } from '../../policy/supervise/cut-off.ts';
import { IdSet } from '../../model/board/id-set.ts';
import type { Folded } from '../../store/board/fold-line.ts';
import { sweptDirectories } from '../../store/files/own-directories.ts';
import type { TeamPaths } from '../../store/files/paths.ts';
import { setAsideState } from '../../store/team/damaged-files.ts';
import { archiveStamp } from '../../store/team/team-list.ts';
import { readableConfig, stateIn } from '../../store/team/team-reader.ts';
import { openStore, type StoreOptions, type TeamStore } from '../../store/team/team-store.ts';
import type { LeadEnding, LeadOptions, LeadSpeaker } from '../lead/lead-options.ts';
import { closeAll } from '../lead/close-all.ts';
import { Lead } from '../lead/lead.ts';
import type { Spender } from '../budget/spender-ledgers.ts';
import type { PriceRules } from '../../policy/budget/estimate.ts';
import { awaitMembers } from '../lead/await-members.ts';
import { setLimits } from '../budget/limits.ts';
import { requireHeard, takeLead, type Leadership } from '../lead/leadership.ts';
import { RunStateFile, type RunFacts } from '../lead/run-state.ts';
import { shutDown, type ShutdownOptions } from '../lead/shutdown.ts';
import { requireHosts } from '../placement/required-hosts.ts';
import { startFailure } from '../lead/supervisor.ts';
import { ClockWatch, watchedTeam } from '../process/clock-watch.ts';
import { nameProject } from '../../os/program-path.ts';
import { Telemetry } from '../telemetry/telemetry.ts';
import type { LeadChildren } from '../lead/lead-children.ts';

export interface SessionOptions extends LeadOptions {
  readonly store: Omit<StoreOptions, 'onFolded'>;
  readonly takeover?: boolean;
  readonly shutdownTimeoutMs?: number | undefined;
  /** Larger untracked files are left out of the safety point; by default none. */
  readonly keptFileBytes?: number;
}

export class RunSession {
  readonly store: TeamStore;
  readonly speaker: LeadSpeaker;
  readonly #lead: Lead;
  readonly #leadership: Leadership;
  readonly #options: SessionOptions;
  readonly #telemetry: Telemetry | undefined;
  readonly #clocks: ClockWatch;
  readonly #state: RunStateFile;
  #isEnded = false;

  private constructor(
    store: TeamStore,
    leadership: Leadership,
    lead: Lead,
    options: SessionOptions,
    known: RunState | undefined,
  ) {
    this.store = store;
    this.speaker = leadership.speaker;
    this.#leadership = leadership;
    this.#lead = lead;
    this.#options = options;
    this.#telemetry = options.telemetry === 'otlp' ? new Telemetry(store, this.speaker.epoch) : undefined;
    this.#clocks = new ClockWatch(watchedTeam(store));
    this.#state = new RunStateFile({ store, epoch: this.speaker.epoch, memory: lead.memory }, known);
    lead.onRemembered = () => this.note({});
    lead.isStateForeign = () => this.#state.isForeign();
    const { cutOffAfterMs = CUT_OFF_AFTER_MS } = options;
    lead.requireHeard = () => requireHeard(leadership, store.paths.name, cutOffAfterMs);
    if (store.isShared) store.relay.waitFor(cutOffAfterMs);
  }

  /**
   * Takes the lead of a team.
   *
   * @throws ConflictError `LEAD_ALIVE`; StoreError `UNTRUSTED` for a folder that this user did not create
   */
  static async open(paths: TeamPaths, options: SessionOptions): Promise<RunSession> {
    nameProject(paths.root);
    const changed = new IdSet();
    const late: { folded: (folded: Folded) => void; lost: () => void } = { folded: () => {}, lost: () => {} };
    const store = openStore(paths, {
      ...options.store,
      keepsPast: true,
      onFolded: (folded) => late.folded(folded),
    });
    try {
      const viewsOffset = stateIn(store)?.viewsOffset ?? 0;
      late.folded = ({ outcome }) => {
        if (outcome.ok && store.board.offset > viewsOffset) for (const id of outcome.changed) changed.add(Number(id));
      };
      store.requireTrustedCommands();
      const leadership = await takeLead(store, { takeover: options.takeover ?? false, onLost: () => late.lost() });
      const damage = setAsideState(store, archiveStamp(store.clock.now()));
      if (damage !== undefined) store.events.append({ type: 'state.set_aside', text: damage });
      const state = store.state.readOwn();
      const lead = new Lead(
        store,
        leadership.speaker,
        {
          ...options,
          // Mail for a host that left waits until a host takes the team up again.
          readsMail: options.readsMail === true || state?.host !== undefined,
          ...defined({ quota: options.store.quota }),
        },
        state,
      );
      await setLimits(store, options.budget ?? [], options.prices);
      lead.learned([...changed].map(String), viewsOffset);
      for (const worker of state?.workers ?? []) lead.memory.recall(worker);
      late.folded = (folded) => lead.folded(folded);
      late.lost = () => lead.stop();
      return new RunSession(store, leadership, lead, options, state);
    } catch (error) {
      await store.close();
      throw error;
    }
  }

  /** Begins what takes time at the first start of a member, beside what is done before it. */
  prepare(): void {
    if (!this.store.isShared && this.startable().length > 0) this.#lead.supervisor.prepare();
  }

  /**
   * Starts teammates in parallel and waits until each is ready. If one does not start, the others are stopped.
   *
   * @throws AgentError `AGENT_CRASHED` naming the one that did not start; `NO_HOST` if no host takes it
   */
  async start(names: readonly Name[], signal?: AbortSignal): Promise<void> {
    const { supervisor, memory } = this.#lead;
    // A person may have asked for one, so that it starts already.
    const begun = names.filter((name) => this.isRunning(name));
    const fresh = names.filter((name) => !begun.includes(name) && supervisor.adopt(name) === undefined);
    const members = readableConfig(this.store)?.members ?? [];
    await requireHosts(
      this.store,
      members.filter(({ name, where }) => where !== undefined && fresh.includes(name)),
    );
    for (const name of fresh) memory.restarted(name);
    supervisor.start(fresh);
    const look = (name: Name) => supervisor.look(name);
    const failed = await awaitMembers([...begun, ...fresh], { look, clock: this.store.clock }, signal);
    if (failed === undefined) {
      await this.note({ status: 'active', phase: 'executing' });
      return;
    }
    const error = startFailure(failed);
    this.store.events.append({
      type: 'spawn.rolled_back',
      member: failed.name,
      text: failed.death ?? 'not ready in time',
    });
    await Promise.all(fresh.flatMap((name) => supervisor.processOf(name) ?? []).map((life) => supervisor.end(life)));
    for (const name of fresh) supervisor.forget(name);
    throw error;
  }

  /** Runs the loop until every task is final, nothing can go on, or `signal` aborts. */
  async run(signal?: AbortSignal): Promise<LeadEnding> {
    const stop = (): void => this.#lead.stop();
    signal?.addEventListener('abort', stop, { once: true });
    if (signal?.aborted === true) stop();
    try {
      return await this.#lead.run();
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  }

  /**
   * Joined members with an agent that are not quarantined. A member without an agent is started by a person or another
   * program.
   */
  startable(): Name[] {
    const config = this.store.config.readOwn();
    // The lead of a pipeline starts each role when there is work for it.
    const withAgent = config?.members.filter(({ agent, role_spec }) => agent !== undefined && role_spec === undefined);
    const joined = [...this.store.board.fold().members.values()].filter(({ state }) => state === 'joined');
    return joined
      .map(({ name }) => name)
      .filter((name) => !this.#lead.memory.of(name).quarantined)
      .filter((name) => withAgent?.some((member) => member.name === name));
  }

  /** Prices by model; they take precedence over the built-in ones. */
  get prices(): Prices {
    return this.#options.prices ?? {};
  }

  /** For agents that the lead runs by itself. */
  get spender(): Spender & PriceRules {
    const { name: member, incarnation: by } = this.speaker;
    const onError = (error: unknown): void => this.tell({ type: 'lead.troubled', text: String(error) });
    return {
      store: this.store,
      member,
      by,
      onError,
      prices: this.prices,
      allowUnpriced: this.#options.agents?.allowUnpriced,
    };
  }

  get isolation(): IsolationSetting {
    return this.#options.isolation ?? 'auto';
  }

  get lend(): Lend | undefined {
    return this.#options.lend;
  }

  /** Commands by gate; they take precedence over those that are detected in the project. */
  get gates(): Partial<Config['gates']> {
    return this.#options.gates ?? {};
  }

  /** The largest untracked file that the safety point keeps, in bytes. */
  get keptFileBytes(): number {
    return this.#options.keptFileBytes ?? Infinity;
  }

  /** For programs that the lead runs by itself. */
  get children(): LeadChildren {
    return this.#lead.supervisor.children;
  }

  /** Runs the user's hook for the end of the run. */
  finished(report: object): Promise<void> {
    return this.#lead.hooks.finished(report);
  }

  /** Mail for the model that leads (`readsMail`). */
  get mail(): Lead['mail'] {
    return this.#lead.mail;
  }

  /** Whether a process of this member runs. */
  isRunning(name: Name): boolean {
    const life = this.#lead.supervisor.look(name);
    return life !== undefined && life.death === undefined;
  }

  /** @param look asked while nobody works on a task: why a person must act before the run can go on */
  endsWhere(look: () => TeamError | undefined): void {
    this.#lead.cannotGoOn = look;
  }

  /** Ends the loop at its next iteration. */
  halt(): void {
    this.#lead.stop();
  }

  /** Takes over running processes, also workers that a person started. */
  adopt(names: readonly Name[]): void {
    for (const name of names) this.#lead.supervisor.adopt(name);
  }

  /** Records the state of the run in `state.json`. */
  async note(facts: Partial<RunFacts>): Promise<void> {
    const { views, noise } = this.#lead;
    this.#lead.sharedFiles = facts.sharedFiles ?? this.#lead.sharedFiles;
    await this.#state.note({ ...facts, ...defined({ viewsOffset: views.writtenTo }), noiseOffset: noise.told });
  }

  /** Takes up what the next note records. */
  know(facts: Partial<RunFacts>): void {
    this.#state.know(facts);
  }

  /** The state of the run; one that another program put in its place is put aside, and written anew. */
  state(): Promise<RunState | undefined> {
    return this.#state.read();
  }

  tell(event: Omit<TeamEvent, 'at'> & { type: string }): void {
    this.store.events.append(event);
  }

  /**
   * @returns the members that were stopped
   * @throws ConflictError `STILL_RUNNING` naming those that refuse
   */
  async shutDown(options: Partial<ShutdownOptions> = {}): Promise<Name[]> {
    const { profile } = this.store.board.board;
    const waitMs = this.#options.shutdownTimeoutMs ?? profiles[profile].shutdownWaitMs;
    try {
      return await shutDown(this.store, this.speaker, this.#lead, { waitMs, ...options });
    } catch (error) {
      this.#lead.stay();
      throw error;
    }
  }

  /** Gives up the lead and closes everything. Processes that still run are ended. Idempotent. */
  async close(): Promise<void> {
    if (this.#isEnded) return;
    this.#isEnded = true;
    await closeAll(
      () => this.#lead.subscribers.close(),
      () => this.#lead.hooks.close(),
      () => this.#lead.supervisor.close(),
      () => this.#lead.close(),
      () => this.#telemetry?.stop(),
      () => this.#giveUp(),
      () => this.#clocks.close(),
      () => this.store.close(),
    );
  }

  async #giveUp(): Promise<void> {
    const isOurs = this.#lead.leads();
    if (isOurs) this.store.roster.remove(this.speaker.name);
    await this.#leadership.lease.release();
    if (isOurs) this.#sweep();
  }

  /** Removes what members that were ended had begun to write. What cannot be removed now, the next lead removes. */
  #sweep(): void {
    try {
      this.store.locks.sweep(sweptDirectories(this.store.paths));
    } catch (error) {
      if (!isTeamError(error)) throw error;
    }
  }
}
