/** Where a member's process starts: on a host of the team's store, or on the machine of the lead. */

/** A host that can be asked now. */
export interface HostOffer {
  readonly name: string;
  readonly slots: number;
  /** Members of all teams that are placed there, and have not ended. */
  readonly used: number;
}

/**
 * The host with the most free slots, by name among equals.
 *
 * @param asked members that were placed since the hosts told what they have, by host
 * @returns undefined if none has a free slot: the member starts on the machine of the lead
 */
export function chooseHost(hosts: readonly HostOffer[], asked: ReadonlyMap<string, number>): string | undefined {
  const freeOf = ({ name, slots, used }: HostOffer): number => slots - used - (asked.get(name) ?? 0);
  const [best] = hosts
    .filter((host) => freeOf(host) > 0)
    .toSorted((one, other) => freeOf(other) - freeOf(one) || (one.name < other.name ? -1 : 1));
  return best?.name;
}
