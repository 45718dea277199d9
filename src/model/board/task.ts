/**
 * A task as the board keeps it. A task is a frozen value: only the fold in `advance.ts` makes one, and each change
 * makes a new one. Each status has only the fields that are valid in it.
 */
import * as z from 'zod';
import { commitSchema } from './shared-commit.ts';
import { memberSchema, nameSchema, type Name } from '../text/names.ts';

export const TASK_STATUSES = [
  'pending',
  'in_progress',
  'landing',
  'completed',
  'failed',
  'skipped',
  'cancelled',
] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

/** Texts in the log are limited; longer ones belong into files. Lengths are counted in UTF-16 units. */
const text = (limit: number) => z.string().max(limit);

export const TASK_ID = /^[1-9][0-9]{0,14}$/;

export const taskIdSchema = z.string().regex(TASK_ID, 'Expected a task id: a decimal number');

/** The work that a plan or a person asks for, complete enough that a teammate needs only the board. */
export const workSchema = z.strictObject({
  /** A text for `/bin/sh -c`, or an argv. */
  run: z.union([text(65_536), z.array(text(65_536)).min(1).max(1_000)]).optional(),
  prompt: text(262_144).optional(),
  verify: z.array(text(65_536)).max(100).default([]),
  /** Milliseconds; limits the `exec` child and each `verify` command. */
  timeoutMs: z.number().int().positive().optional(),
  env: z.record(z.string(), z.string()).default({}),
  files: z.array(z.string()).max(1_000).default([]),
  artifact: z.string().optional(),
});
export type Work = z.infer<typeof workSchema>;

/** Whether the work names something that is run, or variables for what is run. */
export const isExecutable = ({ run, verify, env }: Work): boolean =>
  run !== undefined || verify.length > 0 || Object.keys(env).length > 0;

/** The time-out of a task that names none: 10 minutes (docs/specification.md R4.4). */
export const DEFAULT_TASK_TIMEOUT_MS = 600_000;

/**
 * The result of an attempt in short form; the whole text is in `results/<task>.<epoch>.md`, whose SHA-256 is `hash`.
 */
export const resultSchema = z.strictObject({
  summary: text(4_096),
  hash: z.string().optional(),
  exitCode: z.number().int().optional(),
  files: z.array(z.string()).default([]),
});
export type TaskResult = z.infer<typeof resultSchema>;

/** The most files of a change that its record names; its commit has all. */
export const MOST_NAMED_FILES = 1_000;

export const claimSchema = z.strictObject({ member: memberSchema, incarnation: z.string(), epoch: z.number().int() });
export type Claim = z.infer<typeof claimSchema>;

/** A change that a member made in its own tree: the commit that keeps it, and the state of the project it began from. */
export const attemptSchema = z.strictObject({
  commit: commitSchema,
  base: commitSchema,
  /** Under which hash a team's store has the commit, if its member may work on another machine than the lead. */
  bundle: z.hash('sha256').optional(),
});
export type Attempt = z.infer<typeof attemptSchema>;

/**
 * Why a change was sent back: it does not fit to what landed, a gate is red with it, it has files of others, git fails on
 * it, or a person wants it different.
 */
export const BOUNCE_CAUSES = ['conflict', 'gate', 'stray', 'unreadable', 'review'] as const;
export type BounceCause = (typeof BOUNCE_CAUSES)[number];

/** A change that was sent back to its author; its files are held for it until it lands or the task ends. */
export interface Bounce {
  /** How often the task's changes were sent back, without those that a person sent back. */
  readonly count: number;
  readonly cause: BounceCause;
  readonly why: string;
  readonly files: readonly string[];
  readonly attempt: Attempt;
  /** When it was sent back first: the oldest one goes before others. */
  readonly since: string;
}

/** A task whose changes were sent back this often fails. */
export const MOST_BOUNCES = 4;

/** Fields that are valid in every status. */
export interface TaskFacts {
  readonly id: string;
  readonly team: Name;
  readonly key?: string;
  readonly subject: string;
  readonly description: string;
  readonly activeForm?: string | undefined;
  readonly owner?: Name;
  readonly role?: Name;
  readonly blockedBy: readonly string[];
  readonly work: Work;
  /** Attempts that failed; a lost process does not count. */
  readonly attempts: number;
  /** Failed attempts after which the task is tried again. */
  readonly retries: number;
  /** Processes that died while they worked on it. */
  readonly lost: number;
  /** Accepted claims so far; the next claim's epoch is one more. */
  readonly claims: number;
  readonly required: boolean;
  /** What the person who retried it says to the next attempt. */
  readonly note?: string | undefined;
  /** Only in a team whose members have trees of their own. */
  readonly bounced?: Bounce | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly created_at: string;
  readonly updated_at: string;
}

export type Task = TaskFacts &
  /** `retried`: by a person, since its last attempt. */
  (
    | { readonly status: 'pending'; readonly lastFailure?: string; readonly retried?: true }
    | { readonly status: 'in_progress'; readonly claim: Claim; readonly claimed_at: string }
    /** Its work is done and kept; it waits until it is part of the common state of the project. */
    | {
        readonly status: 'landing';
        readonly result: TaskResult;
        readonly by: Claim;
        readonly claimed_at: string;
        readonly submitted_at: string;
        readonly attempt: Attempt;
      }
    /** `landed`: its change, and the commit with which it became part of the common state of the project. */
    | {
        readonly status: 'completed';
        readonly result: TaskResult;
        readonly by: Claim;
        readonly claimed_at: string;
        readonly landed?: { readonly commit: string; readonly attempt: Attempt };
      }
    | { readonly status: 'failed'; readonly reason: string; readonly code: FailureCode; readonly by?: Claim }
    /** `because`: the task whose failure it was skipped for; a retry of that one brings it back. */
    | { readonly status: 'skipped'; readonly reason: string; readonly because?: string }
    /** `waived`: its plan has it no more, so it need not be done. */
    | { readonly status: 'cancelled'; readonly reason: string; readonly waived?: true }
  );

/** A task in progress. */
export type ClaimedTask = Task & { readonly status: 'in_progress' };

/** A task whose change waits to land. */
export type LandingTask = Task & { readonly status: 'landing' };

export type FailureCode = 'FAILED' | 'POISON';

/** A task fails after this many processes died at it. */
export const POISON_AFTER = 3;

export const isFinal = ({ status }: Task): boolean =>
  status !== 'pending' && status !== 'in_progress' && status !== 'landing';

/** Whether a task, as a blocker, blocks nothing any longer. */
export const isResolved = (task: Task): boolean => task.status === 'completed' || task.status === 'skipped';

/** Whether a task is left out of counts and of phase inference. */
export const isInternal = (task: Task): boolean => task.metadata['_internal'] === true;

/** Whether a person completes the task by approving it; only the runtime sets this. */
export const isCheckpoint = (task: Pick<TaskFacts, 'metadata'>): boolean => task.metadata['_checkpoint'] === true;

/** Decimal ids are compared as numbers: 10 comes after 2. */
export const byId = (a: { id: string }, b: { id: string }): number => Number(a.id) - Number(b.id);

/** The leading code of a pipeline subject: `DRAFT-001` of `DRAFT-001 Write the draft`. */
export const subjectCode = (subject: string): string | undefined =>
  /^(?:\[[^\]]*\]\s*)*([A-Z][A-Z0-9]*(?:-[A-Z][A-Z0-9]*)*-[0-9]{3,}(?:-R[0-9]+)?)(?![A-Za-z0-9])/.exec(subject)?.[1];

type Marked = Pick<TaskFacts, 'subject' | 'metadata'> & { readonly key?: string | undefined };

/** Values that no second task of a board may have: the key, the subject's code, the cascade step of its parent. */
export function uniqueMarks({ key, subject, metadata }: Marked): string[] {
  const code = subjectCode(subject);
  const { parent, kind } = metadata;
  const marks: string[] = [];
  if (key !== undefined) marks.push(`key ${key}`);
  if (code !== undefined) marks.push(`code ${code}`);
  if (typeof parent === 'string' && typeof kind === 'string') marks.push(`cascade ${JSON.stringify([parent, kind])}`);
  return marks;
}

/** The fields of a new task; all defaults are set here. */
export const newTaskSchema = z.strictObject({
  subject: text(1_000).min(1),
  key: text(200).min(1).optional(),
  description: text(262_144).default(''),
  activeForm: text(1_000).optional(),
  owner: memberSchema.optional(),
  role: nameSchema.optional(),
  blockedBy: z.array(taskIdSchema).max(10_000).default([]),
  work: workSchema.prefault({}),
  retries: z.number().int().min(0).max(100).default(0),
  required: z.boolean().default(true),
  metadata: z.record(z.string(), z.json()).default({}),
});
export type NewTask = z.infer<typeof newTaskSchema>;
export type NewTaskInput = z.input<typeof newTaskSchema>;
