/** `baseline.json`: the hash of each file of a project before agents wrote, for projects without git. */
import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import type { Disk } from '../files/disk.ts';
import { readText, replaceFile } from '../files/file.ts';
import type { TeamPaths } from '../files/paths.ts';

const baselineSchema = z.object({ version: z.literal(1), files: z.record(z.string(), z.string()) });
type Hashes = Readonly<Record<string, string>>;

export const keepHashes = (disk: Disk, { baseline }: TeamPaths, files: Hashes): void =>
  replaceFile(disk, baseline, `${JSON.stringify({ version: 1, files })}\n`, randomBytes(6).toString('hex'));

/** Undefined if there is no baseline, or if it cannot be read. */
export function keptHashes(disk: Disk, { baseline }: TeamPaths): Hashes | undefined {
  try {
    const parsed = baselineSchema.safeParse(JSON.parse(readText(disk, baseline, MOST_BYTES) ?? ''));
    return parsed.success ? parsed.data.files : undefined;
  } catch {
    // Not JSON, or missing: there is nothing to compare with.
    return undefined;
  }
}

const MOST_BYTES = 256 * 1024 * 1024;
