/** Members that run only where a host of the store has what they need. */
import { AgentError, UsageError } from '../../model/text/errors.ts';
import { hasLabels } from '../../policy/supervise/placement.ts';
import { areHostsNoted, teamHosts } from '../../store/replica/team-hosts.ts';
import type { TeamStore } from '../../store/team/team-store.ts';

/** A member with the labels that its host must have. */
interface PlacedMember {
  readonly name: string;
  readonly where?: readonly string[] | undefined;
}

/** The relay writes its first list of hosts within this time, in milliseconds. */
const HOSTS_MS = 3_000;
const LOOK_MS = 50;

/** @throws UsageError `USAGE` for a team that is in no store */
export function requireStore(members: readonly PlacedMember[], isShared: boolean): void {
  const placed = isShared ? undefined : members.find(({ where }) => where !== undefined);
  if (placed === undefined) return;
  throw new UsageError(
    'USAGE',
    `${placed.name} needs a host with ${(placed.where ?? []).join(', ')} (\`where\`), and only a team in a store has hosts: name a store with --store, or leave \`where\` out.`,
  );
}

/**
 * Waits until the hosts of the store are known here. Refuses a member that would wait for a host which nobody has started;
 * one whose host is full waits.
 *
 * @throws UsageError as {@link requireStore}; AgentError `NO_HOST`
 */
export async function requireHosts(store: TeamStore, members: readonly PlacedMember[]): Promise<void> {
  requireStore(members, store.isShared);
  const until = store.clock.monotonic() + HOSTS_MS;
  for (;;) {
    const { hosts } = store.isShared ? teamHosts(store.disk, store.paths) : { hosts: [] };
    const without = members.find(({ where }) => where && !hosts.some((host) => hasLabels(host, where)));
    const isKnown = !store.isShared || areHostsNoted(store.disk, store.paths);
    if (without === undefined && isKnown) return;
    if (store.clock.monotonic() >= until) {
      if (without === undefined) return;
      throw noHost(without);
    }
    await store.clock.sleep(LOOK_MS);
  }
}

const noHost = ({ name, where = [] }: PlacedMember): AgentError =>
  new AgentError(
    'NO_HOST',
    `No host of the store has ${where.join(', ')}, which ${name} needs (\`where\`): start one with \`teams host --labels ${where.join(',')}\`.`,
  );
