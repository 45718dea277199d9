/** What the verbs of the store print with `--json`. */
import * as z from 'zod';
import { answer, text, type VerbShape } from './base-shapes.ts';

export const madeStore = answer({
  store: text,
  isNew: z.boolean(),
  /** The version that the schema had, if it was an older one. */
  before: z.number().int().nullable(),
  roles: z.array(z.strictObject({ role: text, team: text.optional(), member: text.optional() })),
  /** The user's public key on this machine. */
  key: text,
});
export const checkedStore = answer({
  store: text,
  checks: z.array(z.strictObject({ ok: z.boolean(), name: text, found: text, cure: text.optional() })),
});
export const servedReplica = answer({ store: text, root: text });

export const servingHost = answer({ host: text, slots: z.number().int(), labels: z.array(text), root: text });

export const migratedTeam = answer({
  team: text,
  to: z.enum(['store', 'files']),
  store: text,
  root: text,
  wasThere: z.boolean(),
  records: z.number().int(),
  messages: z.number().int(),
});

export const ENGINE_SHAPES: Readonly<Record<string, VerbShape>> = {
  'store init': { answers: [madeStore] },
  'store check': { answers: [checkedStore] },
  'store relay': { answers: [servedReplica] },
  host: { answers: [servingHost] },
  migrate: { answers: [migratedTeam] },
};
