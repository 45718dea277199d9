/**
 * Which folder a lease or a process record serves. A copy of a project has the same records as the original, and their
 * processes serve the original. Only the folder's own identity distinguishes the two: a copy is another directory, and
 * a moved folder (`mv` on one file system) is the same one.
 */
import * as z from 'zod';
import { optional, plainNumber, plainObject, plainText } from '../text/plain-fields.ts';

export const folderIdentitySchema = z.object({
  /** Where it was when the record was written; only for messages. */
  path: z.string().optional(),
  dev: z.number(),
  ino: z.number(),
  /** When the directory was made, in milliseconds; absent where the file system does not tell. */
  born: z.number().optional(),
});
export type FolderIdentity = z.infer<typeof folderIdentitySchema>;

/** As the schema (text/plain-fields.ts). */
export const plainFolder = plainObject<FolderIdentity>({
  path: optional(plainText),
  dev: plainNumber,
  ino: plainNumber,
  born: optional(plainNumber),
});

/** A time of birth that one of the two does not know is not compared. */
export const isSameFolder = (a: FolderIdentity, b: FolderIdentity): boolean =>
  a.dev === b.dev && a.ino === b.ino && (a.born === undefined || b.born === undefined || a.born === b.born);
