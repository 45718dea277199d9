/** `baseline.json`: what was in each file of a project before agents wrote, as hashes, where no git can tell. */
import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import type { Disk } from '../files/disk.ts';
import { readText, replaceFile } from '../files/file.ts';
import type { TeamPaths } from '../files/paths.ts';

const baselineSchema = z.object({ version: z.literal(1), files: z.record(z.string(), z.string()) });
export type Hashes = Readonly<Record<string, string>>;

export const keepHashes = (disk: Disk, { baseline }: TeamPaths, files: Hashes): void =>
  replaceFile(disk, baseline, `${JSON.stringify({ version: 1, files })}\n`, randomBytes(6).toString('hex'));

/** Undefined where there are none, or none that can be read. */
export function keptHashes(disk: Disk, { baseline }: TeamPaths): Hashes | undefined {
  try {
    const parsed = baselineSchema.safeParse(JSON.parse(readText(disk, baseline, MOST_BYTES) ?? ''));
    return parsed.success ? parsed.data.files : undefined;
  } catch {
    // Not JSON, or not there: nothing can be compared with it.
    return undefined;
  }
}

const MOST_BYTES = 256 * 1024 * 1024;
