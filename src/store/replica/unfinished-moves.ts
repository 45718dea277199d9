/** Teams of a root that are being moved to a store, or from one, or were (`engine/moves.ts`). No module of the engine is needed. */
import { join } from 'node:path';
import * as z from 'zod';
import { jsonAnswer } from '../../model/text/json-answer.ts';
import { isName, type Name } from '../../model/text/names.ts';
import { list, lookAt, realDisk, type Disk } from '../files/disk.ts';
import { readText } from '../files/file.ts';
import { rootPaths } from '../files/paths.ts';

export const moveFolder = (root: string, name: Name): string => join(rootPaths(root).moves, name);

export const isMoving = (disk: Disk, root: string, name: Name): boolean =>
  lookAt(disk, moveFolder(root, name)) !== undefined;

export const isMovingIn = (root: string, name: Name): boolean => isMoving(realDisk, root, name);

/** Names of teams whose move has begun and is not known to be over. */
export const movesIn = (root: string): Name[] => list(realDisk, rootPaths(root).moves).filter(isName);

/** Says in the archive where the team of a folder went. */
export const movedPath = (folder: string): string => join(folder, 'moved.json');

/** @returns the address of the store to which the team of this folder was moved; undefined if it was not */
export function movedTo(folder: string): string | undefined {
  const text = readText(realDisk, movedPath(folder), 64 * 1024);
  const read = text === undefined ? undefined : jsonAnswer(z.object({ store: z.string() }), text);
  return read?.ok === true ? read.value.store : undefined;
}
