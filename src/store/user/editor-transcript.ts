/**
 * What was said in a session of an editor, so that another process can show it again. It is the person's, not the
 * project's: one file for each session, `$XDG_STATE_HOME/teams/sessions/ID.jsonl`, appended to only. A line that cannot
 * be read is skipped.
 */
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { makeDirectoryPath } from '../../os/own-directory.ts';
import { safeJson } from '../../model/text/safe-text.ts';
import {
  DIRECTORY_MODE,
  list,
  lookAt,
  O_APPEND,
  O_CREAT,
  O_RDONLY,
  O_WRONLY,
  onDisk,
  realDisk,
  removeFile,
} from '../files/disk.ts';
import { openIfThere, openOurs, using, writeWhole } from '../files/file.ts';
import { lines } from '../files/lines.ts';
import { keyPath } from './seal.ts';

/** A ULID. */
const ID = /^[0-9A-HJKMNP-TV-Z]{26}$/;
/** Characters that are kept of one text. */
const MOST_TEXT = 262_144;

const recordSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('opened'), at: z.string(), cwd: z.string() }),
  z.object({ kind: z.literal('prompt'), at: z.string(), text: z.string() }),
  z.object({ kind: z.literal('answer'), at: z.string(), text: z.string() }),
  /** From now on. */
  z.object({ kind: z.literal('mode'), at: z.string(), mode: z.string() }),
  /** A team that was made or continued for the last prompt. */
  z.object({ kind: z.literal('team'), at: z.string(), root: z.string(), team: z.string() }),
  /** What the session has cost so far, in US dollars; null if a price is not known. */
  z.object({ kind: z.literal('cost'), at: z.string(), usd: z.number().min(0).nullable() }),
]);
export type TranscriptRecord = z.infer<typeof recordSchema>;

const folder = (): string => join(dirname(keyPath()), 'sessions');
const fileOf = (id: string): string => join(folder(), `${id}.jsonl`);

/** The records of a session; undefined if there is no such session. */
export function readTranscript(id: string): TranscriptRecord[] | undefined {
  const fd = ID.test(id) ? openIfThere(realDisk, fileOf(id), O_RDONLY) : undefined;
  if (fd === undefined) return undefined;
  return using(realDisk, fd, () =>
    [...lines(realDisk, fd)].flatMap((line) => (line.kind === 'text' ? recordIn(line.text) : [])),
  );
}

function recordIn(line: string): TranscriptRecord[] {
  try {
    const record = recordSchema.safeParse(JSON.parse(line));
    return record.success ? [record.data] : [];
  } catch {
    return [];
  }
}

/** @throws StoreError if it cannot be written */
export function appendTranscript(id: string, record: TranscriptRecord): void {
  const path = fileOf(id);
  onDisk('create the directory', folder(), () => makeDirectoryPath(folder(), DIRECTORY_MODE, realDisk));
  const kept = 'text' in record ? { ...record, text: record.text.slice(0, MOST_TEXT) } : record;
  // The first newline ends a line that a crash cut off; empty lines are skipped.
  const bytes = Buffer.from(`\n${safeJson(kept)}\n`);
  using(realDisk, openOurs(realDisk, path, O_WRONLY | O_APPEND | O_CREAT), (fd) =>
    writeWhole(realDisk, fd, bytes, path),
  );
}

/** Removes what is kept of a session. */
export function removeTranscript(id: string): void {
  if (ID.test(id)) removeFile(realDisk, fileOf(id));
}

/** The ids of the sessions that were written to last, the newest first. */
export function transcriptIds(most: number): string[] {
  const found = list(realDisk, folder()).flatMap((file) => {
    const id = file.replace(/\.jsonl$/, '');
    const at = ID.test(id) ? lookAt(realDisk, fileOf(id))?.mtimeMs : undefined;
    return at === undefined ? [] : [{ id, at }];
  });
  return found
    .toSorted((one, other) => other.at - one.at)
    .slice(0, most)
    .map(({ id }) => id);
}
