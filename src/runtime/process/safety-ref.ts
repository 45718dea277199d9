/** The git ref that keeps a project's files as they were before a run, and the command that restores them. */

import { relative } from 'node:path';
import { safeLine } from '../../model/text/safe-text.ts';
import type { Name } from '../../model/text/names.ts';
import type { RunState } from '../../model/team/team-config.ts';
import type { TeamReader } from '../../store/team/team-reader.ts';
import { placeOf } from '../../store/team/work-place.ts';

export type SafetyPoint = NonNullable<RunState['start']>;

export const refOf = (team: Name): string => `refs/teams/${team}/start`;

/**
 * The command that restores the files and the index; commits that were made since stay. Files that were left out are
 * taken out of the index first: `read-tree` removes what the index has and the safety point has not.
 */
export function undoCommand(team: Name, { leftOut = [] }: SafetyPoint): string {
  const restore = `git read-tree --reset -u ${refOf(team)} && git read-tree ${refOf(team)}^`;
  if (leftOut.length === 0) return `git add -A --ignore-errors; ${restore}`;
  const paths = (magic: string): string => leftOut.map((path) => pathspec(magic, path)).join(' ');
  const add = `git add -A --ignore-errors -- :/ ${paths('exclude,')}`;
  return `${add}; git rm -rfq --cached --ignore-unmatch -- ${paths('')}; ${restore}`;
}

/** One word of a shell. A control character, which no terminal shows, is written as a wildcard. */
function pathspec(magic: string, path: string): string {
  const safe = safeLine(path) === path && !path.includes('\n');
  const glob = Array.from(path, (char) => (safeLine(char) === char ? char.replace(/[\\*?[]/, '\\$&') : '?')).join('');
  const word = safe ? `:(${magic}top,literal)${path}` : `:(${magic}top,glob)${glob}`;
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** The safety point as the team keeps it: a copied or moved project finds its own repository again. */
export function keptSafetyPoint({ paths }: Pick<TeamReader, 'paths'>, start: SafetyPoint): SafetyPoint {
  const [down, up] = [relative(paths.root, start.directory), relative(start.directory, paths.root)];
  const isOfProject = !down.startsWith('..') || !up.startsWith('..');
  return { ...start, directory: isOfProject ? down || '.' : start.directory };
}

/** The repository of a safety point. Earlier versions kept its absolute path. */
export const repositoryOf = ({ disk, paths }: Pick<TeamReader, 'disk' | 'paths'>, { directory }: SafetyPoint): string =>
  placeOf(disk, paths, directory, false);
