/** Notes in a replica which hosts the store has, and which members of the team are placed on them. */
import { hostsOf, placementsOf } from '../../store/engine/engine-hosts.ts';
import type { EngineSession } from '../../store/engine/engine-session.ts';
import type { Disk } from '../../store/files/disk.ts';
import type { TeamPaths } from '../../store/files/paths.ts';
import { holderIn } from '../../store/replica/elsewhere.ts';
import { noteTeamHosts } from '../../store/replica/team-hosts.ts';

/**
 * @param team its id in the store
 * @param believesAll the store was away, so a name that lapsed meanwhile proves nothing
 */
export async function noteHosts(
  session: EngineSession,
  { disk, paths, team }: { readonly disk: Disk; readonly paths: TeamPaths; readonly team: string },
  believesAll: boolean,
): Promise<void> {
  const all = await hostsOf(session);
  const hosts = all.flatMap(({ name, owner, slots, used, labels, onlyTeam, seconds }) => {
    const isForUs = onlyTeam === null || onlyTeam === paths.name;
    const machine = holderIn(owner)?.machine;
    if (machine === undefined || !isForUs || (seconds <= 0 && !believesAll)) return [];
    return [{ name, machine, slots, used, labels: [...labels] }];
  });
  noteTeamHosts(disk, paths, { hosts, placements: all.length === 0 ? [] : await placementsOf(session, team) });
}
