/**
 * Roles, pipelines and templates: files that come with the package. A project's own file replaces the one with the same
 * name. A project's file is untrusted until its user trusted exactly this text: it may be shown, and nothing runs from
 * it.
 */
import { basename, extname, join } from 'node:path';
import { didYouMeanOneOf } from '../../model/text/did-you-mean.ts';
import { StoreError, UsageError } from '../../model/text/errors.ts';
import { isName, type Name } from '../../model/text/names.ts';
import { rootPaths, SHELVES, type ShelfKind } from '../files/paths.ts';
import { isTrusted, trustFile } from '../user/trust.ts';
import { fileNames, readProjectFile, readUserFile } from '../user/user-file.ts';

export interface ShelfEntry {
  readonly name: Name;
  readonly file: string;
  readonly text: string;
  readonly from: 'project' | 'package';
  readonly isTrusted: boolean;
}

const ENDINGS: Readonly<Record<ShelfKind, readonly string[]>> = {
  roles: ['.md'],
  pipelines: ['.yaml', '.yml'],
  templates: ['.yaml', '.yml'],
};

/**
 * @param shipped the package's folder of this kind
 * @returns sorted by name; the project's own file replaces the package's
 */
export function readShelf(root: string, kind: ShelfKind, shipped: string): Map<Name, ShelfEntry> {
  const all = [...filesOf(shipped, kind), ...filesOf(rootPaths(root).shelf(kind), kind, root)];
  return new Map(
    all.map((one): [Name, ShelfEntry] => [one.name, one]).sort(([a], [b]) => (a < b ? -1 : Number(a > b))),
  );
}

/** @param root of a project's own files; without it they are the package's */
function filesOf(folder: string, kind: ShelfKind, root?: string): ShelfEntry[] {
  const from = root === undefined ? 'package' : 'project';
  return fileNames(folder).flatMap((file) => {
    const name = basename(file, extname(file));
    if (!ENDINGS[kind].includes(extname(file)) || !isName(name)) return [];
    const path = join(folder, file);
    const text = root === undefined ? readUserFile(path) : readProjectFile(path, root);
    return text === undefined
      ? []
      : [{ name, file: path, text, from, isTrusted: from === 'package' || isTrusted(path, text) }];
  });
}

/**
 * The file of a name, for use in a run.
 *
 * @throws UsageError `USAGE` for an unknown name; StoreError `UNTRUSTED` for a project's own file that is not trusted
 */
export function requireShelfEntry(shelf: ReadonlyMap<Name, ShelfEntry>, kind: ShelfKind, name: string): ShelfEntry {
  const found = isName(name) ? shelf.get(name) : undefined;
  const noun = kind.slice(0, -1);
  if (found === undefined)
    throw new UsageError('USAGE', `There is no ${noun} ${JSON.stringify(name)}${didYouMeanOneOf(name, shelf.keys())}`);
  if (found.isTrusted) return found;
  throw new StoreError(
    'UNTRUSTED',
    `${found.file} is not trusted to say what agents do: look at it, then run \`teams doctor --trust\`.`,
    { path: found.file },
  );
}

/**
 * Trusts a project's own files of every kind as they are now.
 * @returns how many there are
 */
export function trustShelves(root: string): number {
  const files = SHELVES.flatMap((kind) => filesOf(rootPaths(root).shelf(kind), kind, root));
  for (const { file, text } of files) trustFile(file, text);
  return files.length;
}
