/**
 * The findings of exploring a code base from one angle (docs/specification.md R10.11), and the index of all
 * explorations.
 */
import * as z from 'zod';
import { processIdentitySchema } from '../agent/process-identity.ts';
import { folderIdentitySchema } from '../team/folder-identity.ts';
import { jsonAnswer, type JsonAnswer } from '../text/json-answer.ts';

const line = z.string().trim().min(1).max(4_000);

const findingsSchema = z.object({
  summary: line,
  files: z
    .array(z.object({ path: line, why: z.string().max(4_000).default('') }))
    .max(2_000)
    .default([]),
  patterns: z.array(line).max(500).default([]),
});
type Findings = z.infer<typeof findingsSchema>;

export const readFindings = (answer: string): JsonAnswer<Findings> => jsonAnswer(findingsSchema, answer);

/** Stored in `explore-<angle>.json`. */
export const explorationSchema = findingsSchema.extend({ angle: z.string(), query: z.string(), by: z.string() });
export type Exploration = z.infer<typeof explorationSchema>;

const entrySchema = z.looseObject({
  /** In the same folder as the index. */
  file: z.string().regex(/^explore-[a-z0-9-]+\.json$/),
  /** The process that explores this angle now; absent if the file exists. */
  exploring: processIdentitySchema.extend({ folder: folderIdentitySchema.optional() }).optional(),
});

/** `cache-index.json`, by {@link angleKey}. */
export const cacheIndexSchema = z.looseObject({
  version: z.number().int().default(1),
  entries: z.record(z.string(), entrySchema).default({}),
});
export type CacheIndex = z.infer<typeof cacheIndexSchema>;

/** The key of an angle: different spellings of one angle have the same key. */
export const angleKey = (angle: string): string => angle.replace(/\s+/g, ' ').trim().toLowerCase();

/** How many files a summary names. */
const TOP = 5;

/** An exploration in one line: counts, the first files, and the path of the whole. */
export function explorationText({ angle, summary, files, patterns }: Exploration, path: string): string {
  const top = files.slice(0, TOP).map((file) => file.path);
  const named = top.length === 0 ? '' : ` Top files: ${top.join(', ')}.`;
  return `${angle}: ${files.length} files, ${patterns.length} patterns.${named} ${summary} (${path})`;
}
