/** Notes in a replica which hosts the store has, and which members of the team are placed on them. */
import type { EngineHost } from '../../store/engine/engine-hosts.ts';
import type { Disk } from '../../store/files/disk.ts';
import type { TeamPaths } from '../../store/files/paths.ts';
import { holderIn } from '../../store/replica/elsewhere.ts';
import { noteTeamHosts, type HostPlacement } from '../../store/replica/team-hosts.ts';

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
  const hosts = all.flatMap(({ name, owner, slots, used, labels, onlyTeam, seconds }) => {
    const isForUs = onlyTeam === null || onlyTeam === paths.name;
    const machine = holderIn(owner)?.machine;
    if (machine === undefined || !isForUs || (seconds <= 0 && !believesAll)) return [];
    return [{ name, machine, slots, used, labels: [...labels] }];
  });
  noteTeamHosts(disk, paths, { hosts, placements: all.length === 0 ? [] : [...placements] });
}
