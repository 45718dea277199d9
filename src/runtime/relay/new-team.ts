/** Makes a team where the teams of a root are: on files, or in a store. */
import { realDisk } from '../../store/files/disk.ts';
import { replicaOf } from '../../store/replica/replica-root.ts';
import { makeTeam, openHandle, type OpenOptions, type TeamHandle, type TeamInput } from '../team/team-handle.ts';

/** Whether the teams of this root are in a store. */
export const isReplica = (root: string): boolean => replicaOf(realDisk, root) !== undefined;

/** Creates a team; starts nothing. Without a store no module of it is loaded. @throws those of `makeTeam`, and of a store */
export async function newTeam(name: string, input: TeamInput, options: OpenOptions): Promise<TeamHandle> {
  if (!isReplica(options.root)) return makeTeam(name, input, options);
  const { makeSharedTeam } = await import('./make-shared-team.ts');
  return openHandle(await makeSharedTeam(name, input, options), options);
}
