/** The members of one team that are placed on this host: each placement is started once, and ended when it is over. */
import type { Name } from '../../model/text/names.ts';
import { hasLabels } from '../../policy/supervise/placement.ts';
import { DECLINED, teamHosts } from '../../store/replica/team-hosts.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import { endOrphans } from '../lead/end-orphans.ts';
import type { MemberProcess } from '../placement/member-process.ts';
import { Supervisor } from '../lead/supervisor.ts';

interface HostedTeamOptions {
  readonly store: TeamStore;
  /** The name of the host, its labels, and the directory in which its members work. */
  readonly host: { readonly name: string; readonly labels: readonly string[]; readonly cwd: string };
  /** This process, as the store knows it. */
  readonly owner: string;
  /** Environment variables for each member's process. */
  readonly variables: Readonly<Record<string, string>>;
  readonly onExit: () => void;
}

interface Running {
  readonly number: number;
  isEnding: boolean;
}

/** Members end their turn and give their task back within this time, in milliseconds. */
const TERM_MS = 5_000;

export class HostedTeam {
  readonly #options: HostedTeamOptions;
  readonly #supervisor: Supervisor;
  readonly #running = new Map<Name, Running>();
  /** The highest placement that was started, by member: the replica may be old. */
  readonly #started = new Map<Name, number>();
  readonly #reports = new Set<Promise<void>>();

  /** Ends what an earlier process of the host left running in the team. */
  static async open(options: HostedTeamOptions): Promise<HostedTeam> {
    await endOrphans(options.store, options.host.name);
    return new HostedTeam(options);
  }

  private constructor(options: HostedTeamOptions) {
    const { store, variables, host } = options;
    this.#options = options;
    this.#supervisor = new Supervisor({ store, variables, host, onExit: (life) => this.#exited(life) });
  }

  /** How many members run here. */
  get size(): number {
    return this.#running.size;
  }

  /**
   * Starts and ends what the replica says. The server of the store has the last word on places only: who is a member,
   * and what its host must have, is read in the configuration that is signed. What cannot start now is looked at again.
   *
   * @param most how many more members may start here
   * @throws StoreError for a team whose folder or configuration is gone, damaged or not trusted: then nothing starts
   */
  look(most: number): void {
    const { store, owner } = this.#options;
    store.pinned.check();
    const own = teamHosts(store.disk, store.paths).placements.filter((one) => one.owner === owner);
    const wanted = new Map(own.flatMap((one) => (one.ended === undefined ? [[one.member, one.number]] : [])));
    for (const [member, running] of this.#running)
      if (wanted.get(member) !== running.number) this.#end(member, running);
    const waiting = [...wanted].filter(
      ([member, number]) => !this.#running.has(member) && number > (this.#started.get(member) ?? 0),
    );
    if (waiting.length === 0 || most <= 0) return;
    try {
      store.requireTrusted();
    } catch (error) {
      // Their lead places them elsewhere.
      for (const [member, number] of waiting.slice(0, most)) {
        this.#started.set(member, number);
        this.#report(number, DECLINED);
      }
      throw error;
    }
    const fresh = this.#startable(waiting).slice(0, most);
    for (const [member, number] of fresh) {
      this.#started.set(member, number);
      this.#running.set(member, { number, isEnding: false });
    }
    this.#supervisor.start(fresh.map(([member]) => member));
  }

  /** Of these placements, those of members of the team that may run on a host with these labels. */
  #startable(waiting: readonly (readonly [Name, number])[]): readonly (readonly [Name, number])[] {
    const { store, host } = this.#options;
    const members = new Map(store.config.readOwn()?.members.map((member) => [member.name, member.where ?? []]));
    return waiting.filter(([name]) => {
      const needed = members.get(name);
      return needed !== undefined && hasLabels(host, needed);
    });
  }

  #end(member: Name, running: Running): void {
    const life = this.#supervisor.processOf(member);
    if (running.isEnding || life === undefined) return;
    running.isEnding = true;
    void this.#supervisor.end(life);
  }

  #exited(life: MemberProcess): void {
    const running = this.#running.get(life.name);
    if (running === undefined) return;
    this.#running.delete(life.name);
    this.#supervisor.forget(life.name);
    this.#report(running.number, life.death ?? 'exit');
    this.#options.onExit();
  }

  /** Where the store is away, the lead hears it by the lease of the member. */
  #report(number: number, how: string): void {
    const told = this.#options.store.relay.askForPlacement({ do: 'end', number, how }).then(
      () => {},
      () => {},
    );
    this.#reports.add(told);
    void told.then(() => this.#reports.delete(told));
  }

  /**
   * Ends all members that run here, and what they started.
   *
   * @param isGone whether the team's folder is gone: nobody can end in order
   */
  async close(isGone: boolean): Promise<void> {
    const { store } = this.#options;
    try {
      const lives = (): MemberProcess[] =>
        this.#supervisor.processes.filter((life) => this.#supervisor.look(life.name)?.death === undefined);
      for (const life of lives()) this.#supervisor.signal(life, isGone ? 'SIGKILL' : 'SIGTERM');
      const deadline = store.clock.monotonic() + TERM_MS;
      while (lives().length > 0 && store.clock.monotonic() < deadline) await store.clock.sleep(20);
      await Promise.all(lives().map((life) => this.#supervisor.end(life)));
      await this.#supervisor.close();
      store.relay.hurry();
      await Promise.all(this.#reports);
    } finally {
      await store.close();
    }
  }
}
