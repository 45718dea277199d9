/** The files of a team beside its board, its ledger and its mail that go with it to another place, as named documents. */
import { list, type Disk } from '../files/disk.ts';
import { readText } from '../files/file.ts';
import type { TeamPaths } from '../files/paths.ts';

/** As texts, by their names. */
export type Documents = ReadonlyMap<string, string>;

const EARLIER_PLAN = /^plan\.([1-9][0-9]{0,8})$/;
/** What holds wherever the team works, and not only in the project where it was made. */
const EVERYWHERE = ['config', 'plan'];

/** @returns the file of a document; undefined for a name of a newer program */
export function documentPath(paths: TeamPaths, name: string): string | undefined {
  const { config, plan, state, baseline } = paths;
  const [, number] = EARLIER_PLAN.exec(name) ?? [];
  if (number !== undefined) return paths.earlierPlan(Number(number));
  return new Map(Object.entries({ config, plan, state, baseline })).get(name);
}

export const holdsEverywhere = (name: string): boolean => EVERYWHERE.includes(name) || EARLIER_PLAN.test(name);

/** Those that a team has. */
export function documentsOf(disk: Disk, paths: TeamPaths): Documents {
  const plans = list(disk, paths.folder).flatMap((file) => /^(plan\.[0-9]+)\.json$/.exec(file)?.[1] ?? []);
  const found = new Map<string, string>();
  for (const name of [...EVERYWHERE, 'state', 'baseline', ...plans]) {
    const path = documentPath(paths, name);
    const text = path === undefined ? undefined : readText(disk, path);
    if (text !== undefined) found.set(name, text);
  }
  return found;
}
