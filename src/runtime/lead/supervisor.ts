/**
 * Starts and ends teammates' processes. A start writes an intent to disk, registers a mark with the reaper, and then
 * forks. So a later lead can find what a dead lead started. Processes are ended by pid and start time, never by name.
 */
import process from 'node:process';
import { newId } from '../../store/files/new-ids.ts';
import { AgentError, isTeamError } from '../../model/text/errors.ts';
import type { Name } from '../../model/text/names.ts';
import { endDeadLeases } from '../../store/team/lease.ts';
import { identityOf, livenessOf } from '../../os/process-table.ts';
import { identityIn, isProven, newToken, tokenHash } from '../../store/team/roster.ts';
import { readableConfig } from '../../store/team/team-reader.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import type { Mark } from '../../model/agent/process-mark.ts';
import { marks } from '../../os/draw-marks.ts';
import { markedCommand, markEnvironment } from '../../os/mark-environment.ts';
import { reaperCommand, teammateCommand } from '../process/package.ts';
import { startReaper, type Reaper } from '../../os/reaper-handle.ts';
import { parseMark } from '../../os/reaper-message.ts';
import { JointSweep, sweep } from '../../os/sweep.ts';
import { LeadChildren } from './lead-children.ts';
import type { Placements } from '../placement/placements.ts';
import { PlacedProcesses } from '../placement/placed-processes.ts';
import type { LocalProcess, MemberProcess } from '../placement/member-process.ts';
import { recordedMarks } from './recorded-marks.ts';
import { endOf, spawnTeammate } from './spawn-teammate.ts';
import { ENV } from '../../model/text/environment.ts';

export interface SupervisorEnvironment {
  readonly store: TeamStore;
  /** Environment variables for each teammate's process. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Where members may run instead of here. */
  readonly placements?: Placements | undefined;
  /** Of a host: its name, and the directory in which its members work. */
  readonly host?: { readonly name: string; readonly cwd: string } | undefined;
  /** Called after each exit, when all that the process left running is swept. */
  readonly onExit: (life: MemberProcess) => void;
}

export class Supervisor {
  readonly #environment: SupervisorEnvironment;
  readonly #processes = new Map<Name, MemberProcess>();
  readonly #run: string;
  /** After the ends of members: at the end of a run all end at once. */
  readonly #sweeps = new JointSweep();
  /** Programs that the lead runs by itself. */
  readonly children: LeadChildren;
  /** Processes of other machines. */
  readonly #placed: PlacedProcesses;
  #reaper: Reaper | undefined;
  /** Until the reaper that was dismissed has ended. */
  #leaving: Promise<void> | undefined;
  #isClosed = false;
  /** No process is left of those that were started. */
  #isProven = false;
  /** All members stop; the proof follows. */
  isEnding = false;

  constructor(environment: SupervisorEnvironment) {
    const { store } = environment;
    this.#environment = environment;
    this.#run = newId(store.clock.now());
    this.#placed = new PlacedProcesses(environment, {
      current: (name) => (this.#isClosed ? undefined : this.#processes.get(name)),
      put: (life) => void this.#processes.set(life.name, life),
      start: (name) => this.start([name]),
      startHere: (name) => this.#startHere([name]),
      adoptHere: (name) => this.#adoptHere(name),
    });
    this.children = new LeadChildren({ store, run: this.#run, reaper: () => this.#openReaper() });
  }

  processOf(name: Name): MemberProcess | undefined {
    return this.#processes.get(name);
  }

  get processes(): readonly MemberProcess[] {
    return [...this.#processes.values()];
  }

  /**
   * Starts processes for members, all at once: on hosts that have free slots, else here. A start that fails at once counts
   * as a process that died.
   */
  start(names: readonly Name[]): void {
    this.#startHere(names.filter((name) => !this.#placed.place(name)));
  }

  /** Starts the reaper, which the first start of a member needs. */
  prepare(): void {
    this.#openReaper();
  }

  #startHere(names: readonly Name[]): void {
    if (names.length === 0) return;
    this.#openReaper();
    const { root } = this.#environment.store.paths;
    const drawn = marks.draw(names.length, this.#run, () => recordedMarks(root));
    names.forEach((name, index) => this.#start(name, drawn[index]));
  }

  /** Takes over a process that an earlier lead left alive, or a worker that a person started, on any machine. */
  adopt(name: Name): MemberProcess | undefined {
    const life = this.#adoptHere(name) ?? this.#placed.adopt(name);
    if (life) this.#processes.set(name, life);
    this.#isProven = false;
    return life;
  }

  #adoptHere(name: Name): LocalProcess | undefined {
    const { roster, pinned } = this.#environment.store;
    const record = roster.read(name);
    const identity = identityIn(record);
    if (!record || !identity || livenessOf(identity) !== 'alive') return undefined;
    if (!isProven(record, pinned.identity)) return undefined;
    return {
      where: 'here',
      name,
      mark: parseMark(record.mark),
      child: undefined,
      identity,
      death: undefined,
      isReady: true,
      over: undefined,
    };
  }

  /** Checks whether a process is ready or gone; for processes that are not our children by pid and start time. */
  look(name: Name): MemberProcess | undefined {
    const life = this.#processes.get(name);
    if (!life || life.death !== undefined) return life;
    if (life.where === 'elsewhere') return this.#placed.look(life);
    if (!life.isReady) this.#lookIfReady(life);
    if (life.child === undefined && life.identity && livenessOf(life.identity) === 'dead')
      life.over ??= this.#died(life, 'gone');
    return life;
  }

  /** Sends a signal to a member's process, if the pid is still that process; to one elsewhere none. */
  signal(life: MemberProcess, signal: NodeJS.Signals): void {
    if (
      life.where === 'elsewhere' ||
      life.death !== undefined ||
      !life.identity ||
      livenessOf(life.identity) !== 'alive'
    )
      return;
    try {
      process.kill(life.identity.pid, signal);
    } catch {
      // It ended between the check and the signal.
    }
  }

  /**
   * Ends a process and all that it started, in any session; resolves when nothing is left. One elsewhere is ended by its
   * host, if it has one, and else goes on: the board refuses what it does with a claim that has ended.
   */
  async end(life: MemberProcess): Promise<void> {
    if (life.where === 'elsewhere') {
      life.isEnded = true;
      await this.#placed.displace(life);
      return;
    }
    this.signal(life, 'SIGKILL');
    const { clean } = await sweep(life.mark ? [life.mark] : [], life.identity ? [life.identity] : []);
    if (clean) await life.over;
  }

  /** Forgets a member whose process ended in order. */
  forget(name: Name): void {
    this.#processes.delete(name);
  }

  /**
   * The last check: no process with a mark of this run is left. Then the reaper is dismissed. Without a proof the reaper
   * ends what is left: a lead that may open no more files can read no process, and the reaper has files of its own.
   */
  async prove(): Promise<void> {
    this.#isClosed = true;
    try {
      if (!this.#isProven) await this.#sweepAll();
    } finally {
      const reaper = this.#reaper;
      this.#reaper = undefined;
      const before = this.#leaving;
      if (reaper) this.#leaving = (this.#isProven ? reaper.done() : reaper.endAll()).then(() => before);
    }
  }

  async #sweepAll(): Promise<void> {
    const local = this.#local;
    const carried = local.flatMap((life) => life.mark ?? []);
    const known = local.flatMap((life) => (life.child && life.identity ? [life.identity] : []));
    const { clean } = await sweep(carried, known);
    if (clean) await Promise.all(local.flatMap(({ over }) => over ?? []));
    this.#isProven = clean;
  }

  /** As {@link prove}; waits until the reaper has ended, too. Nothing that is left keeps this process alive. */
  async close(): Promise<void> {
    try {
      await this.prove();
    } finally {
      await this.#leaving;
      for (const { child } of this.#local) {
        child?.stdin?.destroy();
        child?.unref();
      }
    }
  }

  #isLast(life: LocalProcess): boolean {
    return this.#local.every((other) => other === life || other.death !== undefined || hasExited(other));
  }

  get #local(): LocalProcess[] {
    return this.processes.filter((life) => life.where === 'here');
  }

  #openReaper(): Reaper {
    const { store } = this.#environment;
    this.#reaper ??= startReaper(reaperCommand, {
      onLost: ({ how, restarted }) =>
        void store.events.append({ type: 'reaper.lost', text: `${how}${restarted ? '; started again' : ''}` }),
    });
    return this.#reaper;
  }

  #start(name: Name, mark: Mark | undefined): void {
    const { store, variables, host } = this.#environment;
    this.#isProven = false;
    const token = newToken();
    const { revision } = readableConfig(store)?.members.find((member) => member.name === name) ?? {};
    store.roster.write({
      version: 1,
      name,
      phase: 'spawning',
      revision,
      folder: store.pinned.identity,
      run: this.#run,
      tokenHash: tokenHash(token),
      started_at: store.clock.now() / 1000,
      host: host?.name,
      ...(mark ? { mark: { ...mark } } : {}),
    });
    if (mark) this.#reaper?.add(mark);
    const argv = teammateCommand(store.paths.root, store.paths.name, name, host?.cwd);
    const { file, args } = mark ? markedCommand(mark, argv) : { file: argv[0], args: argv.slice(1) };
    const child = spawnTeammate(store, name, file, args, {
      ...process.env,
      ...variables,
      [ENV.trust]: store.trust?.join(',') ?? process.env[ENV.trust],
      ...(mark ? markEnvironment(mark) : {}),
      [ENV.token]: token,
      [ENV.member]: name,
      // It may have a password.
      [ENV.store]: undefined,
      NODE_OPTIONS: undefined,
    });
    const identity = child.pid === undefined ? undefined : identityOf(child.pid);
    const life: LocalProcess = {
      where: 'here',
      name,
      mark,
      child,
      identity,
      death: undefined,
      isReady: false,
      over: undefined,
    };
    this.#processes.set(name, life);
    if (mark && identity) this.#reaper?.add(mark, [identity]);
    life.over = endOf(child).then((how) => this.#died(life, how));
  }

  #lookIfReady(life: LocalProcess): void {
    const record = this.#environment.store.roster.read(life.name);
    if (record?.phase !== 'running' || record.pid === undefined || record.pid !== life.child?.pid) return;
    life.isReady = true;
    life.identity = identityIn(record);
  }

  /** A record that cannot be read now must not hide the death of its process. */
  #lookIfReadable(life: LocalProcess): void {
    try {
      this.#lookIfReady(life);
    } catch (error) {
      if (!isTeamError(error)) throw error;
    }
  }

  /**
   * Sweeps what a dead process left running before it counts as dead, so that no other member works on its task beside
   * a leftover. After the last one at the end the proof does it.
   */
  async #died(life: LocalProcess, how: string): Promise<void> {
    if (life.mark && !(this.isEnding && this.#isLast(life))) {
      await this.#sweeps.end([life.mark]);
      this.#reaper?.remove(life.mark);
    }
    const { store } = this.#environment;
    await endDeadLeases(store.paths, [life.name], store).catch(ignored);
    // A process that became ready and died before the next look has started all the same.
    if (!life.isReady) this.#lookIfReadable(life);
    life.death = how;
    this.#environment.onExit(life);
  }
}

/** The next lead clears a lease that stays, or the member's next process takes it over. */
const ignored = (): void => {};

const hasExited = ({ child }: LocalProcess): boolean =>
  child !== undefined && (child.exitCode !== null || child.signalCode !== null);

/** The error for a person whose member did not become ready. */
export const startFailure = (life: MemberProcess): AgentError =>
  (life.where === 'elsewhere' ? life.refusal : undefined) ??
  new AgentError(
    'AGENT_CRASHED',
    `${life.name} did not start (${life.death ?? 'not ready in time'}); \`teams logs ${life.name}\` shows why.`,
  );
