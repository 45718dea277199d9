/** The paths of a workspace that a program in its isolation may not make or change, as they are at the moment of a start. */
import type { ShownTree } from '../../policy/sandbox/lent-path.ts';
import { isKept, KEPT_FILES, KEPT_NAMES, type KeptPath } from '../../policy/sandbox/program-isolation.ts';
import { makeStub, type KeptStubs } from '../../store/workspace/kept-stubs.ts';
import { heldPlaces } from '../../store/workspace/nested-repositories.ts';
import { entriesIn, linkAt } from '../../store/workspace/sandbox-host.ts';
import { treeLends } from './tree-lends.ts';

export interface Covering {
  readonly stubs: KeptStubs;
  /** What covers missing names, where an empty directory would not do. */
  readonly covers: ReadonlyMap<string, string>;
  /** Each `.git` in the workspace's folders. */
  readonly gits: readonly string[];
  /** The workspace is a tree, which borrows of the project. */
  readonly shown?: ShownTree | undefined;
}

/** The names that are mounted over: links are not, since their targets are elsewhere. */
export const heldNames = (root: string, gits: readonly string[]): string[] => [
  ...[...new Set([...KEPT_NAMES, ...entriesIn(root).keys()])]
    .filter((name) => isKept(name) && linkAt(`${root}/${name}`) === undefined)
    .map((name) => `${root}/${name}`),
  ...heldPlaces(root, gits).map(({ path }) => path),
];

export function keptPaths(root: string, isWritable: boolean, { stubs, covers, gits, shown }: Covering): KeptPath[] {
  const lent = treeLends(root, shown);
  const isLent = (path: string): boolean => lent.some((one) => one.path === path);
  const inRoot = entriesIn(root);
  // Only what no other program can exchange meanwhile: a mount follows links. Where nothing may be written, all is kept.
  const held = isWritable ? stubs.held() : new Set<string>();
  const names = [...new Set([...KEPT_NAMES, ...inRoot.keys()])].filter(
    (name) => held.has(`${root}/${name}`) && (KEPT_NAMES.includes(name) || inRoot.has(name)),
  );
  const own = names.flatMap((name): KeptPath[] => {
    const path = `${root}/${name}`;
    // A link stays: its target is elsewhere, and a mount over it would follow it.
    if (linkAt(path) !== undefined || isLent(path)) return [];
    const there = inRoot.get(name);
    if (there !== undefined && !stubs.known.has(path)) return [{ path, id: there.id }];
    const from = covers.get(name);
    if (from === undefined) return [{ path, cover: 'directory' }];
    if (name in KEPT_FILES) makeStub(path);
    return [{ path, cover: { from } }];
  });
  const below = heldPlaces(root, gits).flatMap(({ path, id, isOpen }): KeptPath[] => {
    if (!held.has(path)) return [];
    if (stubs.known.has(path)) return [{ path, cover: 'directory' }];
    return id === undefined ? [] : [{ path, id, isOpen }];
  });
  return [...own, ...below, ...lent.map(({ path, from, id }): KeptPath => ({ path, id, cover: { from } }))];
}
