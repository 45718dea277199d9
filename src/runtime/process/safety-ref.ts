/** The git ref that keeps a project's files as they were before a run, and the command that restores them. */

import type { Name } from '../../model/text/names.ts';
import type { RunState } from '../../model/team/team-config.ts';

export type SafetyPoint = NonNullable<RunState['start']>;

export const refOf = (team: Name): string => `refs/teams/${team}/start`;

/** The command that restores the files and the index; commits that were made since stay. */
export const undoCommand = (team: Name): string =>
  `git add -A --ignore-errors; git read-tree --reset -u ${refOf(team)} && git read-tree ${refOf(team)}^`;
