/** What the lives of a run changed in all: of each file the first and the last state, in the direction of an undo or a redo. */
import type { RunLife } from '../../../model/run/run-state.ts';
import { isSame, type TreeEntry } from '../../../store/workspace/user-files.ts';
import { convertedFiles } from '../../process/conversions.ts';
import { isNamed, requireGit, treeChanges, type TreeChange } from '../../process/git-tree.ts';
import { git, type GitWhere } from '../../process/git.ts';
import { isFilteredMessage } from '../../process/safety-ref.ts';

/** A life whose end is known. */
export interface EndedLife extends RunLife {
  readonly end: string;
}

export interface RunChange extends TreeChange {
  /** The commits that have the file in both states. */
  readonly commits: { readonly from: string; readonly to: string };
  /** A person changed it between two lives. */
  readonly isBroken: boolean;
}

interface RunChanges {
  readonly changes: readonly RunChange[];
  /** Those that an undo left alone: the user had taken them back by hand. */
  readonly kept: readonly RunChange[];
}

/**
 * @param redo from the starts to the ends
 * @param isKept whether a file of a life is not to be changed
 * @throws GitFailure
 */
export async function runChanges(
  lives: readonly EndedLife[],
  redo: boolean,
  isKept: (path: string, life: EndedLife) => boolean,
  where: GitWhere,
): Promise<RunChanges> {
  const chain = new Map<string, RunChange>();
  const kept = new Map<string, RunChange>();
  for (const life of redo ? lives : lives.toReversed()) {
    const [from, to] = redo ? [life.start, life.end] : [life.end, life.start];
    for (const change of await treeChanges(from, to, where)) {
      const { path } = change;
      const before = chain.get(path);
      const own = { ...change, commits: { from, to }, isBroken: false };
      if (isKept(path, life)) kept.set(path, own);
      else chain.set(path, before === undefined ? own : joined(before, own));
    }
  }
  return { changes: [...chain.values()].filter(isChange), kept: [...kept.values()].filter(isChange) };
}

const joined = (before: RunChange, next: RunChange): RunChange => ({
  ...next,
  from: before.from,
  commits: { from: before.commits.from, to: next.commits.to },
  isBroken: before.isBroken || (!isSame(before.to, next.from) && isNamed(next.path)),
});

const isChange = ({ from, to }: TreeChange): boolean => !isSame(from, to) && !isModule(from) && !isModule(to);

const isModule = (entry: TreeEntry): boolean => entry?.mode === '160000';

/**
 * The changed files of which a safety point has what a filter made of them, and not their bytes.
 *
 * @throws GitFailure
 */
export async function filteredIn(
  lives: readonly EndedLife[],
  changes: readonly RunChange[],
  where: GitWhere,
): Promise<ReadonlySet<string>> {
  const commits = [...new Set(lives.flatMap(({ start, end }) => [start, end]))];
  if (changes.length === 0 || commits.length === 0) return new Set();
  const shown = await git(['log', '--no-walk=unsorted', '--format=%B', ...commits], where);
  if (!isFilteredMessage(requireGit(shown, 'git log'))) return new Set();
  const { filtered } = await convertedFiles(changes.map(({ path }) => path).filter(isNamed), where);
  return new Set(filtered);
}
