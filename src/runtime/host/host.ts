/**
 * A host: it holds a name in the store, and starts the members that leads place on it, each with the supervisor and the
 * reaper of this machine. It decides nothing: who runs where is said by the lead of each team
 * (/docs/decisions/139-hosts.md).
 *
 *   registers ─→ looks: starts what is placed here, ends what is not any more ─signal─→ leaves its name ─→ ends members
 *           ↑ every 2.5 s              └─ another process has the name ─→ ends members, HOST_ALIVE
 */
import { codeOf, ConflictError, StoreError } from '../../model/text/errors.ts';
import type { Clock } from '../../model/text/clock.ts';
import type { Name } from '../../model/text/names.ts';
import { realDisk } from '../../store/files/disk.ts';
import { folderAt } from '../../store/files/folder-of.ts';
import type { TeamPaths } from '../../store/files/paths.ts';
import { holderIn, holderText } from '../../store/replica/elsewhere.ts';
import { RelayClient } from '../../store/replica/relay-client.ts';
import { listTeams } from '../../store/team/team-list.ts';
import { openStore } from '../../store/team/team-store.ts';
import { openSeal } from '../../store/user/seal.ts';
import { HostedTeam } from './hosted-team.ts';

const RENEW_MS = 2_500;
const LOOK_MS = 250;

interface HostOptions {
  /** The replica of the store. */
  readonly root: string;
  readonly name: string;
  /** The most members that run here at once, of all teams. */
  readonly slots: number;
  readonly labels: readonly string[];
  /** The only team whose members are placed here. */
  readonly team?: Name | undefined;
  /** Where members work. */
  readonly cwd: string;
  /** Environment variables for each member's process. */
  readonly variables: Readonly<Record<string, string>>;
  /** Public keys whose signatures count as the user's; by default those of `TEAMS_TRUST`. */
  readonly trust?: readonly string[] | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onServing: () => void;
  readonly tell: (text: string) => void;
}

/**
 * Serves as a host until the signal.
 *
 * @throws ConflictError `REFUSED` if another process has the name; StoreError `ENGINE_UNREACHABLE` at the start,
 *   `ENGINE_DIVERGED`
 */
export async function serveHost(options: HostOptions): Promise<void> {
  const host = new Host(options);
  try {
    await host.register();
    options.onServing();
    await host.run();
  } finally {
    await host.close();
  }
}

class Host {
  readonly #options: HostOptions;
  readonly #client: RelayClient;
  readonly #owner: string;
  readonly #teams = new Map<string, HostedTeam>();
  /** Why a team cannot be served, by its folder: said once. */
  readonly #faults = new Map<string, string>();
  #woken = new AbortController();
  #failure: Error | undefined;
  #isCutOff = false;
  #isRegistered = false;

  constructor(options: HostOptions) {
    const { root, clock } = options;
    const folder = folderAt(realDisk, root);
    if (folder === undefined) throw new StoreError('IO', `There is no folder ${root}.`);
    this.#options = options;
    this.#client = new RelayClient({ disk: realDisk, root, seal: openSeal(realDisk), clock });
    this.#owner = holderText(folder, clock.now());
  }

  readonly #wake = (): void => this.#woken.abort();

  /** Takes the name of the host, or holds it for longer. */
  async register(): Promise<void> {
    const { name, slots, labels, team } = this.#options;
    const owner = await this.#client.askForHost({
      do: 'register',
      name,
      owner: this.#owner,
      slots,
      labels: [...labels],
      onlyTeam: team ?? null,
    });
    if (owner === this.#owner) {
      this.#isRegistered = true;
      return;
    }
    this.#isRegistered = false;
    const { machine = 'another machine', pid = 0 } = holderIn(owner ?? '') ?? {};
    throw new ConflictError(
      'REFUSED',
      `Host ${name} runs already on ${machine} (pid ${String(pid)} there): give this one another name with --name. The name of one that was lost is free 10 s later.`,
    );
  }

  async run(): Promise<void> {
    const { clock, signal } = this.#options;
    const renewing = setInterval(() => void this.#renew(), RENEW_MS);
    try {
      for (;;) {
        if (this.#failure !== undefined) throw this.#failure;
        if (signal.aborted) return;
        await this.#look();
        await clock.sleep(LOOK_MS, AbortSignal.any([this.#woken.signal, signal]));
        this.#woken = new AbortController();
      }
    } finally {
      clearInterval(renewing);
    }
  }

  async #renew(): Promise<void> {
    try {
      await this.register();
      if (this.#isCutOff) this.#options.tell('Connected to the store again.');
      this.#isCutOff = false;
    } catch (error) {
      if (codeOf(error) !== 'ENGINE_UNREACHABLE') {
        this.#failure ??= error instanceof Error ? error : new Error(String(error));
        this.#wake();
        return;
      }
      if (!this.#isCutOff) this.#options.tell('Cut off from the store; the members here go on with what they have.');
      this.#isCutOff = true;
    }
  }

  async #look(): Promise<void> {
    const { root, team } = this.#options;
    const listed = new Map(
      listTeams(root).flatMap(({ name, paths, archivedAt }) =>
        archivedAt === undefined && (team === undefined || team === name) ? [[paths.folder, paths] as const] : [],
      ),
    );
    for (const [folder, hosted] of this.#teams) if (!listed.has(folder)) await this.#leave(folder, hosted);
    for (const [folder, paths] of listed)
      try {
        const hosted = this.#teams.get(folder) ?? (await this.#open(paths));
        this.#teams.set(folder, hosted);
        hosted.look(this.#options.slots - this.#size);
        // One that was passed over is asked for nothing more: it is no news that nothing is wrong now.
        if (hosted.size > 0) this.#faults.delete(folder);
      } catch (error) {
        await this.#fault(folder, paths, error);
      }
  }

  /** How many members run here, of all teams. */
  get #size(): number {
    return [...this.#teams.values()].reduce((sum, { size }) => sum + size, 0);
  }

  #open(paths: TeamPaths): Promise<HostedTeam> {
    const { clock, name, labels, cwd, variables, trust } = this.#options;
    const store = openStore(paths, { clock, trust });
    return HostedTeam.open({ store, host: { name, labels, cwd }, owner: this.#owner, variables, onExit: this.#wake });
  }

  /** A team that is damaged, not trusted or gone ends no host. */
  async #fault(folder: string, { name }: TeamPaths, error: unknown): Promise<void> {
    const why = error instanceof Error ? error.message : String(error);
    if (this.#faults.get(folder) !== why) this.#options.tell(`Team ${name} is not served: ${why}`);
    this.#faults.set(folder, why);
    const hosted = this.#teams.get(folder);
    if (hosted !== undefined && codeOf(error) === 'TEAM_GONE') await this.#leave(folder, hosted);
  }

  async #leave(folder: string, hosted: HostedTeam, isGone = true): Promise<void> {
    this.#teams.delete(folder);
    try {
      await hosted.close(isGone);
    } catch (error) {
      this.#options.tell(`A team did not end in order: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  /** Gives the name back first, so that no lead places more here. */
  async close(): Promise<void> {
    this.#client.hurry();
    if (this.#isRegistered)
      await this.#client.askForHost({ do: 'leave', name: this.#options.name, owner: this.#owner }).catch(() => {});
    await Promise.all([...this.#teams].map(([folder, hosted]) => this.#leave(folder, hosted, false)));
    this.#client[Symbol.dispose]();
  }
}
