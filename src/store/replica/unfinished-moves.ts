/** Teams of a root that are being moved to a store, or from one, or were (`engine/moves.ts`). No module of the engine is needed. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod';
import { jsonAnswer } from '../../model/text/json-answer.ts';
import { isName, type Name } from '../../model/text/names.ts';
import { list, lookAt, realDisk, type Disk } from '../files/disk.ts';
import { createOnce, readText } from '../files/file.ts';
import { rootPaths } from '../files/paths.ts';

export const moveFolder = (root: string, name: Name): string => join(rootPaths(root).moves, name);

export const isMoving = (disk: Disk, root: string, name: Name): boolean =>
  lookAt(disk, moveFolder(root, name)) !== undefined;

export const isMovingIn = (root: string, name: Name): boolean => isMoving(realDisk, root, name);

/** Names of teams whose move has begun and is not known to be over. */
export const movesIn = (root: string): Name[] => list(realDisk, rootPaths(root).moves).filter(isName);

/** Says in the archive where the team of a folder went. */
const departurePath = (folder: string): string => join(folder, 'moved.json');

const departureSchema = z.object({
  /** An address without a password. */
  store: z.string(),
  /** `from`: out of the store, into the files of a folder, of which a replica is not told. */
  way: z.enum(['to', 'from']).default('to'),
});
type Departure = z.infer<typeof departureSchema>;

export function noteDeparture(folder: string, departure: Departure): void {
  const text = `${JSON.stringify({ version: 1, ...departure })}\n`;
  createOnce(realDisk, departurePath(folder), text, randomBytes(4).toString('hex'));
}

/** @returns where the team of this folder went; undefined if it did not move */
export function departureOf(folder: string): Departure | undefined {
  const text = readText(realDisk, departurePath(folder), 64 * 1024);
  const read = text === undefined ? undefined : jsonAnswer(departureSchema, text);
  return read?.ok === true ? read.value : undefined;
}
