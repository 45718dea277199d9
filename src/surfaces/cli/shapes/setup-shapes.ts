/** What the setup verbs print with `--json`. */
import * as z from 'zod';
import { answer, text, type VerbShape } from './base-shapes.ts';

export const checks = answer({
  checks: z.array(
    z.strictObject({
      name: text,
      ok: z.boolean(),
      absent: z.literal(true).optional(),
      found: z.string(),
      cure: z.string(),
    }),
  ),
});
export const project = answer({
  root: text,
  written: z.boolean(),
  changes: z.array(z.strictObject({ file: text, what: text })),
});
export const host = answer({ host: text, file: text, entry: text, written: z.boolean() });
export const printedHost = answer({ host: text, entry: text });
export const config = answer({
  config: z.looseObject({ maxAgents: z.number() }),
  origins: z.record(z.string(), text).optional(),
  warnings: z.array(text).optional(),
});

/** Of `mcp --http`; on stdio its stdout is the protocol. */
export const httpAddress = answer({
  url: text,
  hosts: z.array(z.strictObject({ as: text, token: text })),
});

export const SETUP_SHAPES: Readonly<Record<string, VerbShape>> = {
  init: { answers: [project, host, printedHost] },
  doctor: { answers: [checks] },
  'config show': { answers: [config] },
  mcp: { answers: [httpAddress] },
};
