/**
 * The root of a replica: an ordinary root whose teams are in a store on PostgreSQL. Only the relay writes their logs
 * here; every other process hands it the records. No module of the engine is needed for that.
 */
import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { jsonAnswer, ownJson } from '../../model/text/json-answer.ts';
import { optional, plainObject, plainText, plainWord, type DocumentForm } from '../../model/text/plain-fields.ts';
import { folderIdentitySchema, isSameFolder, plainFolder } from '../../model/team/folder-identity.ts';
import { StoreError } from '../../model/text/errors.ts';
import { lookAt, removeFile, type Disk } from '../files/disk.ts';
import { makeDirectory, readText, replaceFile } from '../files/file.ts';
import { folderAt } from '../files/folder-of.ts';
import { rootPaths, type RootPaths } from '../files/paths.ts';

const markSchema = z.object({
  version: z.literal(1),
  store: z.string(),
  /** That of the root's teams, when it was marked: a copy is another one. */
  folder: folderIdentitySchema.optional(),
});
type ReplicaMark = z.infer<typeof markSchema>;

/** Each process of a team in a store reads it. */
export const replicaMarkForm: DocumentForm<ReplicaMark> = {
  schema: () => markSchema,
  plain: plainObject<ReplicaMark>({ version: plainWord(1), store: plainText, folder: optional(plainFolder) }),
};

/** @returns the address that the replica is of, without a password; undefined for a root with teams of its own */
export const replicaOf = (disk: Disk, root: string): string | undefined => markOf(disk, root)?.store;

/** Whether its folder was copied from that of another machine, or has not been marked with its own identity. */
export function isCopiedReplica(disk: Disk, root: string): boolean {
  const mark = markOf(disk, root);
  if (mark === undefined) return false;
  const folder = folderAt(disk, rootPaths(root).teams);
  return mark.folder === undefined || folder === undefined || !isSameFolder(mark.folder, folder);
}

function markOf(disk: Disk, root: string): ReplicaMark | undefined {
  const { teams, replica } = rootPaths(root);
  // A file in the way of the folder is told by what needs the folder.
  const text = lookAt(disk, teams)?.isFile() ? undefined : readText(disk, replica, 4096);
  if (text === undefined) return undefined;
  const mark = ownJson(replicaMarkForm, text);
  if (mark.ok) return mark.value;
  throw new StoreError('CORRUPT', `${replica} is damaged (${mark.why}): restore or remove it.`);
}

/** Marks a root without teams of its own, or a copy as a replica of its own. */
export function markReplica(disk: Disk, root: string, store: string): void {
  const { teams, tasks, replica } = rootPaths(root);
  for (const directory of [teams, tasks]) makeDirectory(disk, directory, { durable: true });
  const { path: _, ...folder } = folderAt(disk, teams) ?? {};
  const text = JSON.stringify({ version: 1, store, folder });
  replaceFile(disk, replica, `${text}\n`, randomBytes(4).toString('hex'));
}

/** What makes no team in a store yet (docs/scale-out.md). */
export const notInAStore = (what: string): StoreError =>
  new StoreError(
    'ENGINE_UNFIT',
    `In a store on PostgreSQL ${what} no team yet: make one with \`teams create\` or \`teams run\`, or name no store (--store, TEAMS_STORE, \`store:\`).`,
  );

const cutOffSchema = z.object({ since: z.number() });

/** Since when the relay of a replica does not hear the store, in milliseconds since 1970; undefined while it does. */
export function cutOffSince(disk: Disk, root: string): number | undefined {
  const text = readText(disk, rootPaths(root).cutOff, 4096);
  if (text === undefined || replicaOf(disk, root) === undefined) return undefined;
  const mark = jsonAnswer(cutOffSchema, text);
  return mark.ok ? mark.value.since : undefined;
}

/** Only for the relay. @param now milliseconds since 1970; a mark that is there stays */
export function noteCutOff(disk: Disk, root: string, now: number): void {
  if (cutOffSince(disk, root) !== undefined) return;
  const text = `${JSON.stringify({ since: now })}\n`;
  replaceFile(disk, rootPaths(root).cutOff, text, randomBytes(4).toString('hex'), { durable: false });
}

/** Only for the relay: it hears the store. */
export const noteConnected = (disk: Disk, root: string): void => removeFile(disk, rootPaths(root).cutOff);

/** @throws StoreError `ENGINE_DIVERGED` */
export function requireUndiverged(disk: Disk, { diverged }: Pick<RootPaths, 'diverged'>): void {
  if (!lookAt(disk, diverged)) return;
  throw new StoreError('ENGINE_DIVERGED', readText(disk, diverged, 4096)?.trim() ?? diverged, { path: diverged });
}
