/** Members that run only where a host of the store has what they need. */
import { AgentError, UsageError } from '../../model/text/errors.ts';
import { START_LIMIT_MS } from '../../policy/supervise/restart.ts';
import { hasLabels } from '../../policy/supervise/placement.ts';
import type { Name } from '../../model/text/names.ts';
import { realClock } from '../../os/system-clock.ts';
import { realDisk } from '../../store/files/disk.ts';
import { cutOffSince, replicaOf } from '../../store/replica/replica-root.ts';
import { areHostsNoted, teamHosts, type KnownHost } from '../../store/replica/team-hosts.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import { openSeal } from '../../store/user/seal.ts';

/** A member with the labels that its host must have. */
interface PlacedMember {
  readonly name: string;
  readonly where?: readonly string[] | undefined;
}

/** A host that is about to begin is known within this time after the relay has written which there are, in milliseconds. */
const HOSTS_MS = 3_000;
const LOOK_MS = 50;

/** @throws UsageError `USAGE` for a team that is in no store */
function requireStore(members: readonly PlacedMember[], isShared: boolean): void {
  const placed = isShared ? undefined : members.find(({ where }) => where !== undefined);
  if (placed === undefined) return;
  throw new UsageError(
    'USAGE',
    `${placed.name} needs a host with ${(placed.where ?? []).join(', ')} (\`where\`), and only a team in a store has hosts: name a store with --store, or leave \`where\` out.`,
  );
}

/**
 * For a team that is not made yet: what is refused here has written nothing.
 *
 * @param root of the team
 * @throws UsageError `USAGE` for a team that is in no store; AgentError `NO_HOST`; StoreError `ENGINE_UNREACHABLE`
 */
export async function requireHostsAhead(root: string, team: Name, members: readonly PlacedMember[]): Promise<void> {
  requireStore(members, replicaOf(realDisk, root) !== undefined);
  const placed = members.filter(({ where }) => where !== undefined);
  if (placed.length === 0) return;
  // Without a store no module of it is loaded.
  const { RelayClient } = await import('../../store/replica/relay-client.ts');
  using client = new RelayClient({ disk: realDisk, root, seal: openSeal(realDisk), clock: realClock });
  await awaitHosts(realClock, placed, async () => ({
    hosts: await client.hosts(team),
    isKnown: true,
    isCutOff: false,
  }));
}

/**
 * Waits until the hosts of the store are known here. Refuses a member that would wait for a host which nobody has started;
 * one whose host is full waits.
 *
 * @throws as {@link requireHostsAhead}
 */
export async function requireHosts(store: TeamStore, members: readonly PlacedMember[]): Promise<void> {
  const { isShared, disk, paths, clock } = store;
  requireStore(members, isShared);
  if (!isShared) return;
  await awaitHosts(clock, members, () => ({
    ...teamHosts(disk, paths),
    isKnown: areHostsNoted(disk, paths),
    isCutOff: cutOffSince(disk, paths.root) !== undefined,
  }));
}

interface Look {
  readonly hosts: readonly KnownHost[];
  /** Whether the relay has written which hosts there are. */
  readonly isKnown: boolean;
  readonly isCutOff: boolean;
}

/**
 * A host may be about to begin. A relay that hears the store writes which there are, however late.
 *
 * @throws AgentError `NO_HOST`
 */
async function awaitHosts(
  clock: Pick<TeamStore['clock'], 'monotonic' | 'sleep'>,
  members: readonly PlacedMember[],
  look: () => Look | Promise<Look>,
): Promise<void> {
  const begun = clock.monotonic();
  let since: number | undefined;
  for (;;) {
    const { hosts, isKnown, isCutOff } = await look();
    const without = members.find(({ where }) => where && !hosts.some((host) => hasLabels(host, where)));
    if (without === undefined && isKnown) return;
    if (isKnown || isCutOff) since ??= clock.monotonic();
    if (clock.monotonic() - begun >= START_LIMIT_MS || clock.monotonic() - (since ?? Infinity) >= HOSTS_MS) {
      if (without === undefined) return;
      throw noHost(without);
    }
    await clock.sleep(LOOK_MS);
  }
}

const noHost = ({ name, where = [] }: PlacedMember): AgentError =>
  new AgentError(
    'NO_HOST',
    `No host of the store has ${where.join(', ')}, which ${name} needs (\`where\`): start one with \`teams host --labels ${where.join(',')}\`.`,
  );
