/** The git ref that keeps a project's files as they were before a run, and the command that restores them. */

import { relative } from 'node:path';
import type { Name } from '../../model/text/names.ts';
import type { RunState } from '../../model/team/team-config.ts';
import type { TeamReader } from '../../store/team/team-reader.ts';
import { placeOf } from '../../store/team/work-place.ts';

export type SafetyPoint = NonNullable<RunState['start']>;

export const refOf = (team: Name): string => `refs/teams/${team}/start`;

/** The command that restores the files and the index; commits that were made since stay. */
export const undoCommand = (team: Name): string =>
  `git add -A --ignore-errors; git read-tree --reset -u ${refOf(team)} && git read-tree ${refOf(team)}^`;

/** The safety point as the team keeps it: a copied or moved project finds its own repository again. */
export function keptSafetyPoint({ paths }: Pick<TeamReader, 'paths'>, start: SafetyPoint): SafetyPoint {
  const [down, up] = [relative(paths.root, start.directory), relative(start.directory, paths.root)];
  const isOfProject = !down.startsWith('..') || !up.startsWith('..');
  return { ...start, directory: isOfProject ? down || '.' : start.directory };
}

/** The repository of a safety point. Earlier versions kept its absolute path. */
export const repositoryOf = ({ disk, paths }: Pick<TeamReader, 'disk' | 'paths'>, { directory }: SafetyPoint): string =>
  placeOf(disk, paths, directory, false);
