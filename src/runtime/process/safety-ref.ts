/** The git refs that keep a project's files as they were at both ends of a run. */
import { relative } from 'node:path';
import type { Name } from '../../model/text/names.ts';
import type { RunState } from '../../model/run/run-state.ts';
import type { TeamReader } from '../../store/team/team-reader.ts';
import { keptPath, type KnownPlace } from './git-place.ts';
import { placeOf } from '../../store/team/work-place.ts';

export type SafetyPoint = NonNullable<RunState['start']>;

/** All refs of a team lie below this. Its ULID, because a name may be used again. */
export const refsOf = (team: string): string => `refs/teams/${team}/`;

/** The commit of one end of the nth life of a run. */
export const refOf = (team: string, life: number, end: 'start' | 'end'): string => `${refsOf(team)}${life}/${end}`;

/** The only ref of earlier versions. */
export const formerRefOf = (team: Name): string => `refs/teams/${team}/start`;

/** Why a team has no safety point; a clause. */
export const noSafetyPoint = (team: Name): string =>
  `one is made when \`teams run\` begins in a git repository, and if git failed there, \`teams log ${team}\` says why`;

const ROOT_LINE = 'Teams-Root: ';

/** Says where the team lies, so that the refs of a removed team can be told from those of another root. */
export const messageOf = (text: string, root: string, top: string): string =>
  `${text}\n\n${ROOT_LINE}${encodeURI(keptPath(top, root))}`;

const FILTERED_LINE = 'Teams-Filtered: true';

/** The message of a commit that has of files with a filter what the filter makes of them. */
export const filteredMessage = (message: string): string => `${message}\n${FILTERED_LINE}`;

export const isFilteredMessage = (message: string): boolean => message.split('\n').includes(FILTERED_LINE);

/** The root that a message names: absolute, or relative to the root of a working tree. */
export function rootIn(message: string): string | undefined {
  const line = message.split('\n').find((one) => one.startsWith(ROOT_LINE));
  try {
    return line === undefined ? undefined : decodeURIComponent(line.slice(ROOT_LINE.length));
  } catch {
    // Another program wrote it.
    return undefined;
  }
}

/** The safety point as the team keeps it: a copied or moved project finds its own repository again. */
export function keptSafetyPoint({ paths }: Pick<TeamReader, 'paths'>, start: SafetyPoint): SafetyPoint {
  const [down, up] = [relative(paths.root, start.directory), relative(start.directory, paths.root)];
  const isOfProject = !down.startsWith('..') || !up.startsWith('..');
  return { ...start, directory: isOfProject ? down || '.' : start.directory };
}

/** What a seal of a safety point covers: it is kept in the events, too, where a state that was lost finds it again. */
export const sealedStart = ({ board }: Pick<TeamReader, 'board'>, start: SafetyPoint): object => ({
  team: board.fold().team?.id,
  start,
});

/** The repository that git must work in. */
export const knownOf = (store: Pick<TeamReader, 'disk' | 'paths'>, start: SafetyPoint): KnownPlace => ({
  top: repositoryOf(store, start),
  git: start.git,
});

/** The repository of a safety point. Earlier versions kept its absolute path. */
export const repositoryOf = ({ disk, paths }: Pick<TeamReader, 'disk' | 'paths'>, { directory }: SafetyPoint): string =>
  placeOf(disk, paths, directory, false);
