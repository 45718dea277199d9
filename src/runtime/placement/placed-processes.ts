/**
 * Processes of members on other machines, as the lead sees them: those that it places on hosts, and workers that a
 * person started. Each is judged by its lease in the store and by what its host says.
 */
import { AgentError } from '../../model/text/errors.ts';
import type { Name } from '../../model/text/names.ts';
import type { ProcessElsewhere } from '../../store/replica/elsewhere.ts';
import { DECLINED } from '../../store/replica/team-hosts.ts';
import { readableConfig } from '../../store/team/team-reader.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import type { MemberProcess, RemoteProcess } from './member-process.ts';
import type { Placements } from './placements.ts';

/** A host says within this time how a process ended whose lease was given back, in milliseconds. */
const HOST_SAYS_MS = 2_000;

interface PlacedEnvironment {
  readonly store: TeamStore;
  readonly placements?: Placements | undefined;
  readonly onExit: (life: MemberProcess) => void;
}

/** The processes of the lead's machine, and of all members. */
interface Processes {
  /** The present one of a member; none once the lead ends. */
  readonly current: (name: Name) => MemberProcess | undefined;
  readonly put: (life: MemberProcess) => void;
  /** On a host or here. */
  readonly start: (name: Name) => void;
  readonly startHere: (name: Name) => void;
  /** One that runs here already. */
  readonly adoptHere: (name: Name) => MemberProcess | undefined;
}

export class PlacedProcesses {
  readonly #environment: PlacedEnvironment;
  readonly #processes: Processes;

  constructor(environment: PlacedEnvironment, processes: Processes) {
    this.#environment = environment;
    this.#processes = processes;
  }

  /**
   * Places a member on a host. One that needs labels waits for a host that has them.
   *
   * @returns false if it starts on this machine
   */
  place(name: Name): boolean {
    const { placements } = this.#environment;
    if (placements === undefined) return false;
    const needed = this.#neededBy(name);
    const host = placements.choose(needed);
    if (host === undefined && needed.length === 0) return false;
    const life: RemoteProcess = {
      where: 'elsewhere',
      name,
      seen: undefined,
      host,
      isPlaced: false,
      lostAt: undefined,
      isEnded: false,
      death: undefined,
      isReady: false,
    };
    this.#processes.put(life);
    if (host !== undefined) void this.#placeOn(host, life, placements);
    return true;
  }

  #neededBy(name: Name): readonly string[] {
    return readableConfig(this.#environment.store)?.members.find((member) => member.name === name)?.where ?? [];
  }

  /**
   * A host that is gone or full does not take it: it goes to another one, or starts here, or goes on waiting.
   *
   * @param refused hosts that did not take it just now
   */
  async #placeOn(host: string, life: RemoteProcess, placements: Placements, refused: readonly string[] = []) {
    const isCurrent = (): boolean => this.#processes.current(life.name) === life && life.death === undefined;
    life.host = host;
    try {
      life.isPlaced = await placements.place(life.name, host);
      if (life.isPlaced || !isCurrent()) return;
      const needed = this.#neededBy(life.name);
      const other = placements.choose(needed, [...refused, host]);
      if (other !== undefined) void this.#placeOn(other, life, placements, [...refused, host]);
      else if (needed.length === 0) this.#processes.startHere(life.name);
      else life.host = undefined;
    } catch (error) {
      if (!isCurrent()) return;
      life.death = `not placed: ${error instanceof Error ? error.message : String(error)}`;
      this.#environment.onExit(life);
    }
  }

  /** @returns the process of a member that runs elsewhere, or is to */
  adopt(name: Name): RemoteProcess | undefined {
    const { store, placements } = this.#environment;
    const seen = store.elsewhere(name);
    const host = placements?.of(name)?.host;
    if (seen === undefined && host === undefined) return undefined;
    const isReady = seen !== undefined;
    const begun = { isPlaced: true, lostAt: undefined, isEnded: false, death: undefined };
    return { where: 'elsewhere', name, seen, host, ...begun, isReady };
  }

  /** Another process of the member may have begun since, here or there. */
  look(life: RemoteProcess): MemberProcess {
    const { store, placements, onExit } = this.#environment;
    const now = store.elsewhere(life.name);
    if (life.seen === undefined) return this.#lookPlaced(life, now);
    if (now && isSameProcess(now, life.seen)) return life;
    const said = placements?.endOf(life.name);
    // A process that was lost woke up, and had the lease until its host ended it: now the one of the place has it.
    if (now && life.host !== undefined && said === undefined && placements?.of(life.name) !== undefined) {
      life.seen = now;
      life.lostAt = undefined;
      return life;
    }
    life.lostAt ??= store.clock.monotonic();
    // Its host says in a moment how it ended.
    const isAwaited = said === undefined && !now && placements?.of(life.name) !== undefined;
    if (isAwaited && store.clock.monotonic() - life.lostAt < HOST_SAYS_MS) return life;
    life.death = said ?? `its lease on ${life.seen.machine} ended`;
    void this.displace(life);
    onExit(life);
    return life;
  }

  /** One that is placed, and was not seen yet. */
  #lookPlaced(life: RemoteProcess, now: ProcessElsewhere | undefined): MemberProcess {
    const { placements, onExit } = this.#environment;
    if (!life.isPlaced) {
      if (life.host !== undefined || placements === undefined) return life;
      const host = placements.choose(this.#neededBy(life.name));
      if (host !== undefined) void this.#placeOn(host, life, placements);
      return life;
    }
    // The host of this machine serves the same replica.
    const here = this.#processes.adoptHere(life.name);
    if (here) {
      this.#processes.put(here);
      return here;
    }
    life.seen = now;
    life.isReady = now !== undefined;
    if (life.isReady || placements?.of(life.name) !== undefined) return life;
    const how = placements?.endOf(life.name);
    if (how === DECLINED && life.host !== undefined) placements?.passOver(life.host);
    const needed = this.#neededBy(life.name);
    const declining = needed.length === 0 ? undefined : placements?.declining(needed);
    if (how === DECLINED && declining !== undefined) {
      life.refusal = declined(life.name, needed, declining);
      life.death = life.refusal.message;
      onExit(life);
      return life;
    }
    if ((how === undefined || how === DECLINED) && !life.isEnded && this.#processes.current(life.name) === life) {
      // Its host is gone before it has started, or does not take it: that is no failure of the member, which starts elsewhere or here.
      void this.displace(life);
      this.#processes.start(life.name);
      return this.#processes.current(life.name) ?? life;
    }
    life.death = how ?? `its place on host ${String(life.host)} was taken away`;
    onExit(life);
    return life;
  }

  /** What is unknown now is seen at the next look: a place that stays is of a process that counts as dead. */
  async displace({ name, host }: RemoteProcess): Promise<void> {
    if (host !== undefined) await this.#environment.placements?.displace(name).catch(() => undefined);
  }
}

const declined = (name: Name, needed: readonly string[], hosts: readonly string[]): AgentError =>
  new AgentError(
    'NO_HOST',
    `No host with ${needed.join(', ')} runs ${name}: ${hosts.join(', ')} ${hosts.length === 1 ? 'was' : 'were'} not told the key that signs this team; start it with \`--trust\` and the key that \`teams store check\` shows here.`,
  );

const isSameProcess = (one: ProcessElsewhere, other: ProcessElsewhere): boolean =>
  one.pidThere === other.pidThere && one.machine === other.machine && one.since === other.since;
