/** Where a member's process starts: on a host of the team's store, or on the machine of the lead. */

/** A host that can be asked now. */
export interface HostOffer {
  readonly name: string;
  readonly slots: number;
  /** Members of all teams that are placed there, and have not ended. */
  readonly used: number;
  readonly labels: readonly string[];
}

/** Whether a host has all that a member needs. */
export const hasLabels = ({ labels }: Pick<HostOffer, 'labels'>, needed: readonly string[]): boolean =>
  needed.every((label) => labels.includes(label));

/**
 * The host with the most free slots, by name among equals.
 *
 * @param asked members that were placed since the hosts told what they have, by host
 * @param needed labels that the host must have
 * @returns undefined if none has a free slot
 */
export function chooseHost(
  hosts: readonly HostOffer[],
  asked: ReadonlyMap<string, number>,
  needed: readonly string[] = [],
): string | undefined {
  const freeOf = ({ name, slots, used }: HostOffer): number => slots - used - (asked.get(name) ?? 0);
  const [best] = hosts
    .filter((host) => freeOf(host) > 0 && hasLabels(host, needed))
    .toSorted((one, other) => freeOf(other) - freeOf(one) || (one.name < other.name ? -1 : 1));
  return best?.name;
}
