/** Makes a team in the store of a replica: the same team as on files, whose first records go to the store. */
import { parseName, type Name } from '../../model/text/names.ts';
import { realClock } from '../../os/system-clock.ts';
import { linesOf } from '../../store/files/journal.ts';
import { realDisk } from '../../store/files/disk.ts';
import { withScratch } from '../../store/files/scratch.ts';
import { RelayClient } from '../../store/replica/relay-client.ts';
import { notInAStore } from '../../store/replica/replica-root.ts';
import { openSeal } from '../../store/user/seal.ts';
import { makeTeam, type OpenOptions, type TeamInput } from '../team/team-handle.ts';

/**
 * @param options.root of a replica, which has the team when this resolves
 * @throws ConflictError `TEAM_EXISTS`; StoreError `ENGINE_UNREACHABLE`, `ENGINE_UNFIT` for a pipeline and for trees; those
 *   of `makeTeam`
 */
export async function makeSharedTeam(name: string, input: TeamInput, options: OpenOptions): Promise<Name> {
  const team = parseName('team', name);
  if (input.profile === 'pipeline') throw notInAStore('a pipeline makes');
  await withScratch(async (root) => {
    await using handle = makeTeam(name, input, { ...options, root, signs: true });
    const { store } = handle;
    using client = new RelayClient({ disk: realDisk, root: options.root, seal: openSeal(realDisk), clock: realClock });
    await client.create(team, {
      id: store.board.fold().team?.id ?? '',
      lines: linesOf(realDisk, store.paths.log),
      config: store.config.text() ?? '',
    });
  });
  return team;
}
