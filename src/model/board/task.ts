/**
 * A task as the board keeps it. A task is a frozen value: only the fold in `advance.ts` makes one, each
 * change makes a new one, and each status carries just the fields that are true in it.
 */
import * as z from 'zod';
import { memberSchema, nameSchema, type Name } from '../text/names.ts';

export const TASK_STATUSES = ['pending', 'in_progress', 'completed', 'failed', 'skipped', 'cancelled'] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

/** Text bodies in the log are bounded; longer ones belong into files. Bytes are counted as UTF-16 units. */
const text = (limit: number) => z.string().max(limit);

export const taskIdSchema = z.string().regex(/^[1-9][0-9]{0,14}$/, 'Expected a task id: a decimal number');

/** What a plan or a person asks to be done, so that a teammate can do it from the board alone. */
export const workSchema = z.strictObject({
  /** A text for `/bin/sh -c`, or an argv. */
  run: z.union([text(65_536), z.array(text(65_536)).min(1).max(1_000)]).optional(),
  prompt: text(262_144).optional(),
  verify: z.array(text(65_536)).max(100).default([]),
  /** Milliseconds; bounds the `exec` child and each `verify` command. */
  timeoutMs: z.number().int().positive().optional(),
  env: z.record(z.string(), z.string()).default({}),
  files: z.array(z.string()).max(1_000).default([]),
  artifact: z.string().optional(),
});
export type Work = z.infer<typeof workSchema>;

/** What bounds a task that names no time-out of its own: SPEC §5a's 10 minutes. */
export const DEFAULT_TASK_TIMEOUT_MS = 600_000;

/** How an attempt ended, short; the whole text is in `results/<task>.<epoch>.md`, whose SHA-256 is `hash`. */
export const resultSchema = z.strictObject({
  summary: text(4_096),
  hash: z.string().optional(),
  exitCode: z.number().int().optional(),
  files: z.array(z.string()).default([]),
});
export type TaskResult = z.infer<typeof resultSchema>;

export const claimSchema = z.strictObject({ member: memberSchema, incarnation: z.string(), epoch: z.number().int() });
export type Claim = z.infer<typeof claimSchema>;

/** What holds in every status. */
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
  /** Attempts that ended in failure; a lost process is none. */
  readonly attempts: number;
  /** Failed attempts that are forgiven. */
  readonly retries: number;
  /** Processes that died while they worked on it. */
  readonly lost: number;
  /** Accepted claims so far; the next claim's epoch is one more. */
  readonly claims: number;
  readonly required: boolean;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly created_at: string;
  readonly updated_at: string;
}

export type Task = TaskFacts &
  (
    | { readonly status: 'pending'; readonly lastFailure?: string }
    | { readonly status: 'in_progress'; readonly claim: Claim; readonly claimed_at: string }
    | { readonly status: 'completed'; readonly result: TaskResult; readonly by: Claim; readonly claimed_at: string }
    | { readonly status: 'failed'; readonly reason: string; readonly code: FailureCode; readonly by?: Claim }
    | { readonly status: 'skipped'; readonly reason: string }
    | { readonly status: 'cancelled'; readonly reason: string }
  );

/** One that somebody works on. */
export type ClaimedTask = Task & { readonly status: 'in_progress' };

export type FailureCode = 'FAILED' | 'POISON';

/** A task that took down this many processes fails. */
export const POISON_AFTER = 3;

export const isFinal = (task: Task): boolean => task.status !== 'pending' && task.status !== 'in_progress';

/** A blocker that no longer holds anything up. */
export const isResolved = (task: Task): boolean => task.status === 'completed' || task.status === 'skipped';

/** Left out of counts and phase inference. */
export const isInternal = (task: Task): boolean => task.metadata['_internal'] === true;

/** Done by a person's yes; set by the runtime alone. */
export const isCheckpoint = (task: Pick<TaskFacts, 'metadata'>): boolean => task.metadata['_checkpoint'] === true;

/** Decimal ids are compared as numbers: 10 comes after 2. */
export const byId = (a: { id: string }, b: { id: string }): number => Number(a.id) - Number(b.id);

/** The leading code of a pipeline subject: `DRAFT-001` of `DRAFT-001 Write the draft`. */
export const subjectCode = (subject: string): string | undefined =>
  /^(?:\[[^\]]*\]\s*)*([A-Z][A-Z0-9]*(?:-[A-Z][A-Z0-9]*)*-[0-9]{3,}(?:-R[0-9]+)?)(?![A-Za-z0-9])/.exec(subject)?.[1];

type Marked = Pick<TaskFacts, 'subject' | 'metadata'> & { readonly key?: string | undefined };

/** What no second task of a board may have: the key, the subject's code, the cascade step of its parent. */
export function uniqueMarks({ key, subject, metadata }: Marked): string[] {
  const code = subjectCode(subject);
  const { parent, kind } = metadata;
  const marks: string[] = [];
  if (key !== undefined) marks.push(`key ${key}`);
  if (code !== undefined) marks.push(`code ${code}`);
  if (typeof parent === 'string' && typeof kind === 'string') marks.push(`cascade ${JSON.stringify([parent, kind])}`);
  return marks;
}

/** What it takes to add a task; defaults are given here and nowhere deeper. */
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
