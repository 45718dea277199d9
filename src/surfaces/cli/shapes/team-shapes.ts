/** What the verbs that create, staff, show and remove teams print with `--json`. */
import * as z from 'zod';
import { answer, counted, outcome, text, time, type VerbShape } from './base-shapes.ts';

export const counts = z.strictObject({
  total: counted,
  pending: counted,
  inProgress: counted,
  landing: counted,
  completed: counted,
  failed: counted,
  skipped: counted,
  cancelled: counted,
  blocked: counted,
});
const member = z.strictObject({
  name: text,
  role: text,
  state: text,
  reason: z.string(),
  unread: counted,
  pid: counted.nullable(),
  machine: text.optional(),
  host: text.optional(),
  task: text.nullable(),
});
const lead = z.strictObject({
  pid: counted.nullable(),
  machine: text.optional(),
  since: time.nullable(),
  epoch: counted,
  alive: z.boolean(),
  stopped: z.literal(true).optional(),
  unread: counted,
});
export const status = answer({
  team: text,
  outcome,
  cutOffSince: time.optional(),
  members: z.array(member),
  tasks: counts,
  lead,
});

export const made = answer({ team: text });
export const detached = answer({ team: text, pid: counted });
export const ended = answer({ team: text, exitCode: counted });
export const deleted = answer({ team: text, stopped: z.array(text) });
export const spawned = answer({ member: text });
export const worked = answer({ member: text, exitCode: counted, why: text });
const line = z.strictObject({
  name: text,
  outcome: outcome.or(z.literal('unreadable')),
  problem: text.optional(),
  members: counted,
  tasks: counts,
  folder: text,
  leadStopped: z.literal(true).optional(),
  changedAt: time.optional(),
  archivedAt: time.optional(),
});
export const teams = answer({ teams: z.array(line) });
const archived = z.strictObject({
  name: text,
  archivedAt: time.optional(),
  folder: text,
  undoBegun: z.literal(true).optional(),
  /** Changes that landed in its trees and were never applied. */
  unapplied: z.number().int().min(1).optional(),
});
const teamRefs = z.strictObject({ id: text, name: z.string(), keptAt: time.optional(), count: counted });
export const pruned = answer({
  teams: z.array(archived),
  refs: z.array(teamRefs),
  left: z.array(teamRefs.extend({ why: text })),
  removed: z.boolean(),
  stays: z.array(text),
});

export const TEAM_SHAPES: Readonly<Record<string, VerbShape>> = {
  create: { answers: [made] },
  spawn: { answers: [spawned] },
  lead: { answers: [ended, detached] },
  worker: { answers: [worked] },
  list: { answers: [teams] },
  status: { answers: [status] },
  delete: { answers: [deleted] },
  prune: { answers: [pruned] },
};
