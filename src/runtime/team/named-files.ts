/** Reads files that the package ships and a project may replace: roles, pipelines, templates. */
import { parseRoleSpec, type ReadRole } from '../../model/pipeline/role-spec.ts';
import type { ShelfKind } from '../../store/files/paths.ts';
import { readShelf, requireShelfEntry, type ShelfEntry } from '../../store/session/shelf.ts';
import { shippedFolder } from '../process/package.ts';

export const shelfOf = (root: string, kind: ShelfKind): ReturnType<typeof readShelf> =>
  readShelf(root, kind, shippedFolder(kind));

/** @throws UsageError `USAGE` for an unknown name; StoreError `UNTRUSTED` */
export const takeFrom = (root: string, kind: ShelfKind, name: string): ShelfEntry =>
  requireShelfEntry(shelfOf(root, kind), kind, name);

/** @throws UsageError `ROLE_INVALID`, or as {@link takeFrom} */
export function roleNamed(root: string, name: string): ReadRole {
  const found = takeFrom(root, 'roles', name);
  return parseRoleSpec(found.name, found);
}
