/**
 * What the shapes of `--json` have in common. They describe output: tests check every verb against them, and
 * `schemas/cli/` is generated from them. The program itself does not load them.
 */
import * as z from 'zod';
import type { RunOutcome } from '../../../app.ts';
import { SCHEMA_VERSION } from '../schema-version.ts';

export const text = z.string().min(1);
export const counted = z.number().int().min(0);
/** ISO 8601, in UTC. */
export const time = z.iso.datetime();
const OUTCOMES = [
  'running',
  'waiting',
  'succeeded',
  'failed',
  'interrupted',
  'cancelled',
] as const satisfies RunOutcome[];
export const outcome = z.enum(OUTCOMES);
export const json = z.record(z.string(), z.json());
/** An AgentSpec. */
export const agent = z.looseObject({ kind: text });

const version = { schemaVersion: z.literal(SCHEMA_VERSION) };
/** What a verb prints: an object, or one line of a stream. */
export const answer = <Shape extends z.ZodRawShape>(shape: Shape) => z.strictObject({ ...version, ...shape });
/** Like `answer`, for a record that may have additional fields. */
export const openAnswer = <Shape extends z.ZodRawShape>(shape: Shape) => z.looseObject({ ...version, ...shape });

/** A verb prints one of `answers`. With a stream it prints one of `lines` on each line. */
export interface VerbShape {
  readonly answers: readonly z.ZodType[];
  readonly lines?: readonly z.ZodType[];
}

export const failure = answer({
  error: z.strictObject({
    class: z.enum(['UsageError', 'ConflictError', 'StoreError', 'AgentError', 'Error']),
    code: z.string().regex(/^[A-Z]+(?:_[A-Z]+)*$/),
    message: text,
    retryable: z.boolean(),
  }),
});

export const steps = answer({ steps: z.array(z.strictObject({ line: text, what: text })) });

/** The keys of a task that a plan and the board share. */
export const taskWords = {
  key: text.optional(),
  subject: text,
  description: z.string(),
  activeForm: z.string().optional(),
  owner: text.optional(),
  role: text.optional(),
};
