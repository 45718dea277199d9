/**
 * `Stage`: the real lead — its loop, policies, memory, board and mail on disk — over members that the test plays, in a
 * time that the test moves second by second. The test sets what the lead sees of processes (life, heartbeat, output);
 * acts of the lead on processes end here. Use it for supervision over hours in milliseconds (test/runtime/day.test.ts).
 *
 *     await stage.now(() => stage.dies('ada'));
 *     await stage.pass(30);
 *     expect(await stage.log()).toContain('…');
 */
import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { LEAD, type Name } from '../../src/model/text/names.ts';
import { eventLine } from '../../src/runtime/views/event-line.ts';
import { Lead } from '../../src/runtime/lead/lead.ts';
import type { LeadEnding, LeadOptions } from '../../src/runtime/lead/lead-options.ts';
import { sendMail } from '../../src/runtime/team/send-mail.ts';
import type { MemberProcess } from '../../src/runtime/placement/member-process.ts';
import { Supervisor, type SupervisorEnvironment } from '../../src/runtime/lead/supervisor.ts';
import { teamEvents } from '../../src/runtime/views/team-events.ts';
import { openSeal } from '../../src/store/user/seal.ts';
import { realDisk } from '../../src/store/files/disk.ts';
import { openStore, type TeamStore } from '../../src/store/team/team-store.ts';
import { FakeClock } from './clock.ts';
import { name } from './team.ts';
import { ToldTeam, type Cast } from './told-team.ts';

const SECOND = 1_000;
/** A pause of the loop that only collects simultaneous events takes no time here. */
const GATHERING_MS = 100;
/** Milliseconds of the event loop that an operation may take before the test counts as hung. */
const PATIENCE_MS = 20_000;

/** Moves only when the test moves it; a sleep that is longer than a moment lasts until then. */
class StageClock extends FakeClock {
  readonly #sleepers = new Map<() => void, number>();

  get hasSleeper(): boolean {
    return this.#sleepers.size > 0;
  }

  override async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (ms <= GATHERING_MS || signal?.aborted === true) {
      await setImmediate();
      return;
    }
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        this.#sleepers.delete(wake);
        resolve();
      };
      this.#sleepers.set(wake, this.monotonic() + ms);
      signal?.addEventListener('abort', wake, { once: true });
    });
  }

  override advance(ms: number): void {
    super.advance(ms);
    for (const [wake, due] of this.#sleepers) if (due <= this.monotonic()) wake();
  }
}

/** Starts and ends played processes only. */
class Players extends Supervisor {
  readonly played = new Map<Name, MemberProcess>();
  readonly #onExit: (life: MemberProcess) => void;

  constructor(environment: SupervisorEnvironment) {
    super(environment);
    this.#onExit = environment.onExit;
  }

  override processOf(member: Name): MemberProcess | undefined {
    return this.played.get(member);
  }

  override look(member: Name): MemberProcess | undefined {
    return this.played.get(member);
  }

  override adopt(): undefined {
    return undefined;
  }

  override start(names: readonly Name[]): void {
    for (const member of names)
      this.played.set(member, {
        where: 'here',
        name: member,
        mark: undefined,
        child: undefined,
        identity: undefined,
        death: undefined,
        isReady: false,
        over: undefined,
      });
  }

  override end(life: MemberProcess): Promise<void> {
    this.dies(life, 'signal SIGKILL');
    return Promise.resolve();
  }

  dies(life: MemberProcess, how: string): void {
    if (life.death !== undefined) return;
    life.death = how;
    this.#onExit(life);
  }
}

export class Stage {
  readonly clock = new StageClock();
  readonly told: ToldTeam;
  readonly lead: Lead;
  /** Members whose new processes end at their start, with this reason. */
  readonly crashing = new Map<string, string>();
  /** Members whose processes are stopped. */
  readonly frozen = new Set<string>();
  readonly #players: Players;
  ending: LeadEnding | undefined;
  #error: Error | undefined;
  readonly #store: TeamStore;
  #isClosed = false;

  /** @param tell writes the board at the start of the play */
  constructor(cast: Cast, options: Partial<LeadOptions>, tell: (told: ToldTeam) => void) {
    this.told = new ToldTeam(cast, { clock: this.clock, profile: 'forge', claimMode: 'assigned' });
    this.told.led();
    tell(this.told);
    const { clock, told } = this;
    const { epoch, incarnation } = told.store.board.fold().lead;
    const late: { lead?: Lead } = {};
    const seal = openSeal(realDisk, `${told.root}/key`);
    const store = openStore(told.store.paths, {
      clock,
      seal,
      durable: false,
      keepsPast: true,
      onFolded: (folded) => late.lead?.folded(folded),
    });
    let players: Players | undefined;
    this.lead = new Lead(
      store,
      { kind: 'lead', name: LEAD, epoch, incarnation: incarnation ?? '' },
      {
        limits: { watchdogWarningMs: 300_000, watchdogReassignMs: 600_000, maxConsecutiveErrors: 3, maxAgents: 5 },
        monitorIntervalMs: 30_000,
        unattended: true,
        endsWhenDone: true,
        ...options,
      },
      undefined,
      (environment) => (players = new Players(environment)),
    );
    if (players === undefined) throw new Error('The lead has no supervisor.');
    this.#players = players;
    store.board.fold();
    this.lead.learned(store.board.board.tasks.keys(), 0);
    late.lead = this.lead;
    this.#store = store;
    onTestFinished(() => this.close());
  }

  /** Ends the lead; idempotent. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.lead.stop();
    for (const member of this.#players.played.keys()) rmSync(this.#store.paths.lease(member), { recursive: true });
    await this.lead.close();
    await this.#store.close();
  }

  /** Every member runs, and the lead looks for the first time. */
  async begin(): Promise<void> {
    const names = [...this.told.store.board.fold().members.keys()];
    this.#players.start(names);
    for (const member of names) this.#ready(member);
    this.#beat();
    this.lead.run().then(
      (ending) => (this.ending = ending),
      (error: unknown) => (this.#error = error instanceof Error ? error : new Error(String(error))),
    );
    await this.#parked();
  }

  /** Something happens now, and the lead looks. */
  async now(happens: (told: ToldTeam) => unknown): Promise<void> {
    happens(this.told);
    this.lead.ring();
    await this.#parked();
  }

  /** Moves the time, a step at a time; in seconds. */
  async pass(seconds: number, step = 5): Promise<void> {
    for (let gone = 0; gone < seconds && this.ending === undefined; gone += step) {
      this.clock.advance(step * SECOND);
      this.#beat();
      await this.#parked();
      if (this.#startUp()) await this.now(() => {});
    }
  }

  /** Moves the time to a point counted from the beginning: `01:30`. */
  async until(time: string): Promise<void> {
    const [minutes = 0, seconds = 0] = time.split(':').map(Number);
    await this.pass(minutes * 60 + seconds - this.clock.monotonic() / SECOND);
  }

  /** The host sleeps: time passes, and no process runs. */
  async sleep(seconds: number): Promise<void> {
    this.clock.advance(seconds * SECOND);
    this.#beat();
    await this.#parked();
  }

  isOver(): boolean {
    return this.ending !== undefined;
  }

  isAlive(member: string): boolean {
    const life = this.#players.processOf(name(member));
    return life?.isReady === true && life.death === undefined;
  }

  dies(member: string, how = 'signal SIGKILL'): void {
    const life = this.#players.processOf(name(member));
    if (life) this.#players.dies(life, how);
  }

  /** Its agent prints something. */
  prints(member: string): void {
    const path = this.told.store.paths.output(name(member));
    writeFileSync(path, '.', { flag: 'a' });
    const at = this.clock.now() / SECOND;
    utimesSync(path, at, at);
  }

  /** Its process answers a status check; the lead has read the answer afterwards. */
  async answers(member: string, text: string): Promise<void> {
    const { store } = this.told;
    const before = this.#received();
    const incarnation = store.board.fold().members.get(name(member))?.incarnation ?? '';
    const speaker = { kind: 'member', name: name(member), incarnation } as const;
    await sendMail(store, speaker, LEAD, text, { kind: 'status' });
    await this.#untilSo(() => this.#received() > before);
    await this.now(() => {});
  }

  /** All events since the beginning, from the team's own stream: `05:00 worker-1 lead.decided …`. */
  async log(): Promise<string[]> {
    const lines: string[] = [];
    for await (const event of teamEvents(this.told.store)) {
      const at = Date.parse(event.at) - Date.UTC(2026, 0, 1);
      const [minutes, seconds] = [Math.floor(at / 60_000), Math.floor(at / SECOND) % 60];
      const time = [minutes, seconds].map((part) => String(part).padStart(2, '0')).join(':');
      lines.push(`${time} ${event.member ?? '-'} ${eventLine(event)}`);
    }
    return lines;
  }

  /**
   * A started process becomes ready, or ends if it must.
   * @returns whether there was any
   */
  #startUp(): boolean {
    const started = [...this.#players.played.values()].filter(({ isReady, death }) => !isReady && death === undefined);
    for (const life of started) {
      const how = this.crashing.get(life.name);
      if (how === undefined) this.#ready(life.name);
      else this.#players.dies(life, how);
    }
    return started.length > 0;
  }

  #ready(member: Name): void {
    const life = this.#players.processOf(member);
    if (life) life.isReady = true;
    mkdirSync(this.told.store.paths.lease(member), { recursive: true });
    this.told.started(member);
  }

  #beat(): void {
    const at = this.clock.now() / SECOND;
    for (const { name: member } of this.#players.played.values())
      if (this.isAlive(member) && !this.frozen.has(member)) utimesSync(this.told.store.paths.lease(member), at, at);
  }

  #received(): number {
    return [...this.told.store.events.read()].filter(({ event }) => event.type === 'message.received').length;
  }

  /** Waits until the lead has looked and acted and waits again, or its loop has ended. */
  async #parked(): Promise<void> {
    await this.#untilSo(() => this.clock.hasSleeper || this.ending !== undefined || this.#error !== undefined);
    if (this.#error !== undefined) throw this.#error;
  }

  async #untilSo(holds: () => boolean): Promise<void> {
    const late = AbortSignal.timeout(PATIENCE_MS);
    while (!holds()) {
      if (late.aborted) throw new Error('The lead does not come to rest.');
      await setImmediate();
    }
  }
}
