/** Places members on the hosts of the store, and knows what became of them. A placement is one start of a process. */
import type { Name } from '../../model/text/names.ts';
import { chooseHost, hasLabels } from '../../policy/supervise/placement.ts';
import { teamHosts, type HostPlacement } from '../../store/replica/team-hosts.ts';
import type { TeamStore } from '../../store/team/team-store.ts';

export class Placements {
  readonly #store: TeamStore;
  /** Members whose place is asked for and not answered yet, with its host. */
  readonly #asked = new Map<Name, string>();
  /** Placements whose process counts as dead, whatever the replica still says. */
  readonly #over = new Set<number>();
  /** Hosts that do not take members of this team. */
  readonly #declining = new Set<string>();

  constructor(store: TeamStore) {
    this.#store = store;
  }

  /**
   * @param needed labels that the host must have
   * @param except hosts that have just refused the member: what the replica says of them may be old
   * @returns the host for one more member, if one has a free slot
   */
  choose(needed: readonly string[], except: readonly string[] = []): string | undefined {
    const { disk, paths, isShared } = this.#store;
    if (!isShared) return undefined;
    const isOut = (name: string): boolean => this.#declining.has(name) || except.includes(name);
    const { hosts, placements } = teamHosts(disk, paths);
    // A place may be in the replica, and so among those in use, before the answer is here.
    const isSeen = (member: Name, host: string): boolean =>
      placements.some((one) => one.member === member && one.host === host && one.ended === undefined);
    const asked = new Map<string, number>();
    for (const [member, host] of this.#asked) if (!isSeen(member, host)) asked.set(host, (asked.get(host) ?? 0) + 1);
    return chooseHost(
      hosts.filter(({ name }) => !isOut(name)),
      asked,
      needed,
    );
  }

  /** The hosts with these labels that take no member of this team; undefined if another one has them, or none. */
  declining(needed: readonly string[]): readonly string[] | undefined {
    const { disk, paths } = this.#store;
    const able = teamHosts(disk, paths).hosts.filter((host) => hasLabels(host, needed));
    const names = able.map(({ name }) => name);
    return names.length > 0 && names.every((name) => this.#declining.has(name)) ? names : undefined;
  }

  /** Places no more on a host that does not trust the team. */
  passOver(host: string): void {
    if (this.#declining.has(host)) return;
    this.#declining.add(host);
    const text = `${host} runs no member of this team: it was not told the key that signs its configuration, and says so`;
    this.#store.events.append({ type: 'host.declined', text });
  }

  /**
   * @returns false if the host is gone, or has no free slot
   * @throws StoreError `ENGINE_UNREACHABLE`: it is unknown whether the member has this place
   */
  async place(member: Name, host: string): Promise<boolean> {
    this.#asked.set(member, host);
    try {
      const isPlaced = await this.#store.relay.askForPlacement({ do: 'place', member, host });
      if (isPlaced) this.#store.events.append({ type: 'member.placed', member, text: host });
      return isPlaced;
    } finally {
      this.#asked.delete(member);
    }
  }

  /** The place of a member, on a host that runs. */
  of(member: Name): HostPlacement | undefined {
    const { hosts, placement } = this.#read(member);
    if (placement?.ended !== undefined) return undefined;
    return hosts.some(({ name }) => name === placement?.host) ? placement : undefined;
  }

  /** How the member's last process on a host ended, as the host says. */
  endOf(member: Name): string | undefined {
    return this.#read(member).placement?.ended;
  }

  /** Its host ends the process. */
  async displace(member: Name): Promise<void> {
    const { placement } = this.#read(member);
    if (placement === undefined) return;
    this.#over.add(placement.number);
    await this.#store.relay.askForPlacement({ do: 'displace', number: placement.number });
  }

  #read(member: Name) {
    const { disk, paths, isShared } = this.#store;
    const { hosts, placements } = isShared ? teamHosts(disk, paths) : { hosts: [], placements: [] };
    const placement = placements.find((one) => one.member === member && !this.#over.has(one.number));
    return { hosts, placement };
  }
}
