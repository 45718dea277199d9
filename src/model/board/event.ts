/**
 * The events of a team's board log, and how a line of the log becomes one. What the fold accepts is frozen per version
 * `v` by the golden corpus in `test/model/board/golden/`; a changed meaning needs a new version.
 */
import * as z from 'zod';
import { memberSchema, nameSchema } from '../text/names.ts';
import { ANSWER_LIMIT, ASKED_LIMIT, REQUEST_KINDS } from './request.ts';
import { attemptSchema, BOUNCE_CAUSES, newTaskSchema, resultSchema, taskIdSchema } from './task.ts';
import { sharedCommitSchema } from './shared-commit.ts';

/** The versions of the log that this program reads. What a version-1 log folds to is frozen. */
export const LOG_VERSIONS = [1, 2] as const;
export type LogVersion = (typeof LOG_VERSIONS)[number];

export const isLogVersion = (value: unknown): value is LogVersion => LOG_VERSIONS.some((one) => one === value);

export const ULID = /^[0-9A-HJKMNP-TV-Z]{26}$/;

export const PROFILES = ['v8', 'forge', 'relay', 'pipeline'] as const;

export const CLAIM_MODES = ['auto', 'assigned', 'prefix'] as const;

/** Why a claim ended without an end of the task. `lost`: its process died at it; that counts towards POISON. */
export const RELEASE_REASONS = ['released', 'orphaned', 'lost', 'fenced', 'agent'] as const;

/**
 * The version of a log that this program opens, or whose lead it becomes. Other records carry the version of their log.
 * Version 2: a member's process creates no task with a command; a retry brings back what was skipped because of the
 * task, and carries a note; a team can be paused; changes of members with trees of their own are submitted, and land or
 * are sent back; a changed plan changes pending tasks, and waives those that it has no more.
 */
export const LOG_VERSION: LogVersion = 2;

export const ulidSchema = z.string().regex(ULID, 'Expected a ULID');
const epochSchema = z.number().int().min(0);

/** The author: one incarnation of a member, a lead by its epoch, or a person with the epoch that it folded. */
export const authorSchema = z.union([
  z.strictObject({ by: memberSchema, inc: ulidSchema }),
  z.strictObject({ lead: ulidSchema, epoch: epochSchema }),
  z.strictObject({ person: memberSchema, epoch: epochSchema }),
]);
export type Author = z.infer<typeof authorSchema>;

export const profileSchema = z.enum(PROFILES);
export type Profile = z.infer<typeof profileSchema>;

export const claimModeSchema = z.enum(CLAIM_MODES);
export type ClaimMode = z.infer<typeof claimModeSchema>;

/** Its plan has the task no more: the run can succeed without it. */
const waivedSchema = z.literal(true).optional();

const task = taskIdSchema;
const epoch = epochSchema;
const why = z.string().max(4_096);

const changes = [
  z.object({ type: z.literal('log.opened'), team: ulidSchema, name: nameSchema }),
  z.object({ type: z.literal('team.opened'), profile: profileSchema, claim: claimModeSchema }),
  z.object({ type: z.literal('team.closing') }),
  z.object({ type: z.literal('team.closed') }),
  z.object({ type: z.literal('team.paused') }),
  z.object({ type: z.literal('team.unpaused') }),
  z.object({
    type: z.literal('member.joined'),
    name: nameSchema,
    role: nameSchema,
    prefixes: z.array(z.string().regex(/^[A-Z][A-Z0-9-]*$/)).default([]),
  }),
  z.object({ type: z.literal('member.left'), name: nameSchema, why }),
  z.object({ type: z.literal('member.started'), name: nameSchema, inc: ulidSchema, after: ulidSchema.nullable() }),
  z.object({ type: z.literal('lead.took'), epoch }),
  /** What landed so far is in the team's store, for the trees of other machines. */
  z.object({ type: z.literal('common.shared'), ...sharedCommitSchema.shape }),
  z.object({ type: z.literal('task.created'), task, fields: newTaskSchema }),
  z.object({ type: z.literal('task.assigned'), task, owner: memberSchema.nullable() }),
  z.object({ type: z.literal('task.claimed'), task, member: memberSchema }),
  z.object({ type: z.literal('task.released'), task, epoch, reason: z.enum(RELEASE_REASONS), why }),
  z.object({ type: z.literal('task.completed'), task, epoch, result: resultSchema }),
  z.object({ type: z.literal('task.failed'), task, epoch, why, result: resultSchema.optional() }),
  z.object({ type: z.literal('task.submitted'), task, epoch, result: resultSchema, attempt: attemptSchema }),
  z.object({ type: z.literal('task.landed'), task, epoch, commit: attemptSchema.shape.commit }),
  z.object({
    type: z.literal('task.bounced'),
    task,
    epoch,
    cause: z.enum(BOUNCE_CAUSES),
    why,
    files: z.array(z.string().max(4_096)).max(1_000).default([]),
  }),
  z.object({ type: z.literal('task.retried'), task, note: why.optional() }),
  z.object({
    type: z.literal('task.skipped'),
    task,
    cascade: z.boolean().default(false),
    why,
    because: task.optional(),
  }),
  z.object({ type: z.literal('task.cancelled'), task, why, waived: waivedSchema }),
  z.object({ type: z.literal('task.blocked'), task, by: task }),
  z.object({ type: z.literal('task.unblocked'), task, blocker: task }),
  z.object({
    type: z.literal('task.updated'),
    task,
    subject: newTaskSchema.shape.subject.optional(),
    description: z.string().max(262_144).optional(),
    activeForm: z.string().max(1_000).optional(),
    metadata: z.record(z.string(), z.json()).optional(),
  }),
  z.object({ type: z.literal('task.changed'), task, fields: newTaskSchema }),
  z.object({
    type: z.literal('request.made'),
    request: ulidSchema,
    kind: z.enum(REQUEST_KINDS),
    about: task.optional(),
    text: z.string().max(ASKED_LIMIT),
    hash: z.hash('sha256').optional(),
    tool: z.string().min(1).max(200).optional(),
  }),
  /** Whoever asked needs no answer any more. */
  z.object({ type: z.literal('request.withdrawn'), request: ulidSchema, why }),
  z.object({
    type: z.literal('request.answered'),
    request: ulidSchema,
    approve: z.boolean().default(false),
    text: z.string().max(ANSWER_LIMIT),
  }),
] as const;

/** One change of the board, without author and time. */
export const changeSchema = z.discriminatedUnion('type', changes);
export type Change = z.infer<typeof changeSchema>;

/** The content of a record: one change, or several that are applied together or not at all. */
export const bodySchema = z.discriminatedUnion('type', [
  ...changes,
  z.object({ type: z.literal('batch'), changes: z.array(changeSchema).min(1).max(100_000) }),
]);
export type Body = z.infer<typeof bodySchema>;

export type BoardEvent = Body & {
  id: string;
  v: LogVersion;
  at: string;
  author: Author;
  /** Proves that the commands of this record come from this user: see `vouched-commands.ts`. */
  mac?: string | undefined;
  /** The same for machines that have not the user's key; only in teams of a store. */
  signature?: string | undefined;
};
