/**
 * What decisions were made on, as it is recorded (`sightings.jsonl`): each look of a lead at which something had changed,
 * as its difference from the look before, and how each turn of an agent ended.
 */
import * as z from 'zod';
import { plainJsonObject } from '../text/plain-fields.ts';
import { failureClassSchema } from '../agent/agent.ts';
import { profileSchema } from '../board/event.ts';
import { memberSchema } from '../text/names.ts';

/** Milliseconds of a clock that never goes back, whole. */
const moment = z.number();
const count = z.number().min(0);

/** A member in one look. Ages are recorded as the moments since which they count, so that most do not change. */
export const seenMemberSchema = z.object({
  byHand: z.boolean(),
  process: z.enum(['none', 'starting', 'alive', 'dead']),
  death: z.string().nullable(),
  unfit: z.boolean(),
  /** Null for no time. */
  dead: moment.nullable(),
  starting: moment.nullable(),
  alive: moment.nullable(),
  beat: moment,
  progress: moment,
  checked: moment.nullable(),
  answered: z.boolean(),
  restarts: count,
  failures: count,
  quarantined: z.boolean(),
  givenUp: z.boolean(),
  bounded: z.boolean(),
  needsCommand: z.boolean(),
  agent: z.string().nullable(),
  completed: count,
  worked: z.number(),
});
export type SeenMember = z.infer<typeof seenMemberSchema>;

export const seenTeamSchema = z.object({
  overslept: z.boolean(),
  unattended: z.boolean(),
  untrusted: z.array(z.string()),
  /** The members, in order. */
  names: z.array(memberSchema),
  pipeline: z
    .object({ owing: z.array(memberSchema), passesCheckpoints: z.boolean(), told: z.array(z.string()) })
    .nullable(),
});
export type SeenTeam = z.infer<typeof seenTeamSchema>;

const limitsSchema = z.object({
  watchdogWarningMs: z.number(),
  watchdogReassignMs: z.number(),
  maxConsecutiveErrors: z.number(),
  maxAgents: z.number(),
  cascadeDepth: z.number().optional(),
  cascade: z
    .object({
      canSpawn: z.boolean(),
      byRole: z.array(z.tuple([memberSchema, z.enum(['test', 'review', 'none'])])).optional(),
    })
    .optional(),
});
export type SeenLimits = z.infer<typeof limitsSchema>;

const verdictSchema = z.record(z.string(), z.json());
export type PlainVerdict = z.infer<typeof verdictSchema>;

/** A verdict as it is recorded and compared: without what is undefined. */
export function plainVerdict(verdict: object): PlainVerdict {
  const value: unknown = JSON.parse(JSON.stringify(verdict));
  return plainJsonObject(value) ?? verdictSchema.parse(value);
}

const lookSchema = z.object({
  type: z.literal('look'),
  at: z.string(),
  /** Of the lead that looked. */
  epoch: count,
  /** How much of the board's log was folded, in bytes. */
  board: count,
  now: moment,
  /** In the first record of a lead: all that follows is told whole. */
  limits: limitsSchema.optional(),
  team: seenTeamSchema.partial().optional(),
  members: z.record(memberSchema, seenMemberSchema.partial()).optional(),
  /** Looks before this one that were not recorded: nothing but time had passed, or the disk refused. */
  skipped: count.optional(),
  /** What was decided, in order. */
  verdicts: z.array(verdictSchema),
});
export type LookRecord = z.infer<typeof lookSchema>;

const turnEndSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('answered'), text: z.string(), exitCode: z.number().optional() }),
  z.object({
    kind: z.literal('failed'),
    why: z.union([failureClassSchema, z.literal('exit')]),
    text: z.string(),
    message: z.string(),
    exitCode: z.number().optional(),
    retryAfterMs: z.number().optional(),
  }),
  z.object({ kind: z.literal('aborted') }),
]);

const remedySchema = z.discriminatedUnion('done', [
  z.object({ done: z.literal('again'), afterMs: z.number().optional() }),
  z.object({ done: z.literal('replaced') }),
  z.object({ done: z.literal('nothing'), for: z.enum(['task', 'run']), why: z.string() }),
]);

const turnSchema = z.object({
  type: z.literal('turn'),
  at: z.string(),
  member: memberSchema,
  task: z.string(),
  claim: count,
  /** The kind of its agent. */
  kind: z.string(),
  profile: profileSchema,
  timeoutMs: z.number().optional(),
  /** The text of the answer is left out: nothing is decided on it here. */
  end: turnEndSchema,
  remedied: remedySchema.optional(),
  verdict: verdictSchema,
});
export type TurnRecord = z.infer<typeof turnSchema>;

/** The last record: the file has grown too large. */
const fullSchema = z.object({ type: z.literal('full'), at: z.string() });

export const sightingRecordSchema = z.discriminatedUnion('type', [lookSchema, turnSchema, fullSchema]);
export type SightingRecord = z.infer<typeof sightingRecordSchema>;
