/** Asks whether a member may write a file, at the moment of writing: see `policy/landing/write-scope.ts`. */
import { resolve } from 'node:path';
import type { Name } from '../../model/text/names.ts';
import { writeRefusal } from '../../policy/landing/write-scope.ts';
import { codeOf } from '../../model/text/errors.ts';
import { lookAt } from '../../store/files/disk.ts';
import { isStateDamage } from '../../store/team/damaged-files.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import { grantsIn } from '../lead/boundaries.ts';

/** @returns why a path below `cwd` may not be written now; undefined if it may */
export function writeDoor(store: TeamStore, member: Name, cwd: string): (path: string) => string | undefined {
  /** Files that were not there when it was let write them. */
  const made = new Set<string>();
  return (path) => {
    const isNew = made.has(path) || lookAt(store.disk, resolve(cwd, path)) === undefined;
    const granted = grantsIn(store).flatMap((grant) => (grant.member === member ? grant.files : []));
    const shared = sharedFilesIn(store);
    if (typeof shared === 'string') return shared;
    const refusal = writeRefusal(store.board.fold(), { member, path, granted, shared, isNew });
    if (refusal === undefined && isNew) made.add(path);
    return refusal;
  };
}

/** Patterns of the files that only the lead changes; a sentence while a state that nobody of the team wrote is there. */
function sharedFilesIn({ state, paths }: TeamStore): readonly string[] | string {
  try {
    return state.readOwn()?.sharedFiles ?? [];
  } catch (error) {
    if (!isStateDamage(error) && codeOf(error) !== 'NEWER_VERSION') throw error;
    return `${paths.state} was replaced by another program, so which files are shared is not known (rule: file ownership). The lead writes it anew within a second: try again.`;
  }
}
