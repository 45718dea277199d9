/** Notes in a replica which hosts the store has, and which members of the team are placed on them. */
import { isHostWord } from '../../model/team/host-label.ts';
import type { Name } from '../../model/text/names.ts';
import type { EngineHost } from '../../store/engine/engine-hosts.ts';
import type { Disk } from '../../store/files/disk.ts';
import type { TeamPaths } from '../../store/files/paths.ts';
import { holderIn } from '../../store/replica/elsewhere.ts';
import { noteTeamHosts, type HostPlacement, type KnownHost } from '../../store/replica/team-hosts.ts';

/**
 * @param all the hosts of the store
 * @param placements those of the team
 * @param believesAll the store was away, so a name that lapsed meanwhile proves nothing
 */
export function noteHosts(
  { disk, paths }: { readonly disk: Disk; readonly paths: TeamPaths },
  all: readonly EngineHost[],
  placements: readonly HostPlacement[],
  believesAll: boolean,
): void {
  const hosts = hostsFor(paths.name, all, believesAll);
  noteTeamHosts(disk, paths, { hosts, placements: all.length === 0 ? [] : [...placements] });
}

/** Any role of the store may say that it is a host, with any name and labels; more than these are left out. */
const [MOST_HOSTS, MOST_LABELS] = [500, 100];

/** The hosts that start members of a team. */
export const hostsFor = (team: Name, all: readonly EngineHost[], believesAll: boolean): KnownHost[] =>
  all
    .flatMap(({ name, owner, slots, used, labels, onlyTeam, seconds }) => {
      const isForTeam = onlyTeam === null || onlyTeam === team;
      const machine = holderIn(owner)?.machine;
      if (machine === undefined || !isForTeam || (seconds <= 0 && !believesAll) || !isHostWord(name)) return [];
      return [{ name, machine, slots, used, labels: labels.filter(isHostWord).slice(0, MOST_LABELS) }];
    })
    .slice(0, MOST_HOSTS);
