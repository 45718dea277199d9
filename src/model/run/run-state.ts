/** `state.json`: how far a run is, and what it did to the files (docs/specification.md R1.9). */
import * as z from 'zod';
import { nameSchema } from '../text/names.ts';

export const RUN_STATUSES = ['active', 'completing', 'shutdown', 'failed'] as const;
export const PHASES = ['decomposition', 'setup', 'executing', 'integration', 'shutdown', 'complete'] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];
export type Phase = (typeof PHASES)[number];

/** Only for a team that an MCP host made and keeps: the host leads it, or the host ended and another may resume it. */
export const HOST_STATES = ['leads', 'left'] as const;
export const hostSchema = z.enum(HOST_STATES);
export type HostState = z.infer<typeof hostSchema>;

export const workerStateSchema = z.looseObject({
  id: nameSchema,
  taskIds: z.array(z.string()),
  agentType: z.string(),
  model: z.string(),
  routing: z.string(),
  mcpJobId: z.string().nullable(),
  exclusiveFiles: z.array(z.string()),
  status: z.enum(['active', 'idle', 'quarantined', 'stopped']),
  consecutiveErrors: z.number().int(),
  restartCount: z.number().int(),
  lastActivity: z.string(),
  completedTasks: z.number().int(),
  totalAssigned: z.number().int(),
  spawnedAt: z.string(),
});
export type WorkerState = z.infer<typeof workerStateSchema>;

export const gateSchema = z.looseObject({
  name: z.enum(['verdicts', 'ownership', 'shared', 'build', 'test', 'lint', 'crossVerify']),
  result: z.enum(['pass', 'fail', 'skipped']),
  notes: z.string().optional(),
});
export type Gate = z.infer<typeof gateSchema>;

/** Where git works, relative to the root of the working tree if it lies there. */
const gitPlaceSchema = z.object({
  directory: z.string(),
  common: z.string(),
  objects: z.string(),
  refs: z.string(),
  /** Where it also looks for objects (`info/alternates`); absent in teams of earlier versions. */
  alternates: z.array(z.string()).optional(),
});
export type GitPlace = z.infer<typeof gitPlaceSchema>;

/** The name of a commit of git. */
export const COMMIT = /^[0-9a-f]{40,64}$/;

/** The safety point: the content of `directory` before agents wrote, as a git commit. */
export const startSchema = z.object({
  commit: z.string().regex(COMMIT),
  directory: z.string(),
  /** The repository at that time; absent in teams of earlier versions. */
  git: gitPlaceSchema.optional(),
  /** Files that were too large to keep, relative to the repository's root. */
  leftOut: z.array(z.string()).optional(),
});

/** One life of a run, from its start or resume to its end: the commits of all files at both. */
const lifeSchema = z.object({
  start: z.string().regex(COMMIT),
  /** Absent if the lead was killed. */
  end: z.string().regex(COMMIT).optional(),
  /** When it began, in milliseconds since 1970: what is older was a person's. */
  since: z.number().optional(),
  /** Files that were too large to keep, at one of both ends. */
  leftOut: z.array(z.string()).optional(),
  /** With trees: the commit of the common state that `teams apply` brought into the files. */
  landed: z.string().regex(COMMIT).optional(),
  /** With trees: the change of one task was brought, or taken back. */
  task: z.string().optional(),
  back: z.literal(true).optional(),
  /** `teams undo` took its changes back. */
  undone: z.literal(true).optional(),
  /** Files that the undo found taken back by hand, relative to the repository's root: a redo leaves them. */
  kept: z.array(z.string()).optional(),
});
export type RunLife = z.infer<typeof lifeSchema>;

const undoingSchema = z.object({
  redo: z.boolean(),
  /** In the names of files that are not in their place yet. */
  token: z.string().regex(/^[0-9A-Z]{26}$/),
  /** How many lives the run had then. */
  lives: z.number().int(),
  /** Without trees: only the change of this task. */
  task: z.string().optional(),
  /** With trees: it adds the last life, an apply or the change of one task, brought or taken back. */
  adds: z.object({ task: z.string().optional(), back: z.literal(true).optional() }).optional(),
  /** Files that were in place when it began, relative to the repository's root: they are neither finished nor turned back. */
  kept: z.array(z.string()).optional(),
});
export type Undoing = z.infer<typeof undoingSchema>;

/** Why no change of a member can land at present, and since when. */
const landingTroubleSchema = z.looseObject({ why: z.string(), since: z.string() });
export type LandingTrouble = z.infer<typeof landingTroubleSchema>;

const rangeSchema = z.object({ median: z.number().min(0), p90: z.number().min(0) }).nullable();
/** What was told before a run: what it will use, by earlier runs. */
const estimateSchema = z.looseObject({
  turns: rangeSchema,
  tokens: rangeSchema,
  /** US dollars. */
  usd: rangeSchema,
  /** Milliseconds. */
  durationMs: rangeSchema,
  pastTasks: z.number().int().min(0),
  /** Kinds of agents that no earlier run says anything about. */
  unknown: z.array(z.string()),
});
export type KeptEstimate = z.infer<typeof estimateSchema>;

/** The run state (docs/specification.md R1.9); our own fields come last. */
export const stateSchema = z.looseObject({
  version: z.number().int(),
  teamName: nameSchema,
  status: z.enum(RUN_STATUSES),
  createdAt: z.string(),
  template: z.string(),
  prompt: z.string(),
  phase: z.enum(PHASES),
  workers: z.array(workerStateSchema),
  sharedFiles: z.array(z.string()),
  boundaryFiles: z.array(z.string()),
  cascadeEnabled: z.boolean(),
  cascadeDepth: z.number().int(),
  completedTasks: z.number().int(),
  totalTasks: z.number().int(),
  failedTasks: z.number().int(),
  crossCliVerification: z.looseObject({
    enabled: z.boolean(),
    verifier: z.string().nullable(),
    result: z.string().nullable(),
  }),
  /** The lead's epoch at the last write; a write of an older lead is refused. */
  epoch: z.number().int(),
  /** SHA-256 of the plan of the run; a resume recognises a changed plan by it. */
  planHash: z.string().optional(),
  gates: z.array(gateSchema).default([]),
  finishedAt: z.string().optional(),
  exitCode: z.number().int().optional(),
  estimate: estimateSchema.optional(),
  start: startSchema.optional(),
  lives: z.array(lifeSchema).optional(),
  /** An undo or a redo that was begun and has not ended: some files are as they were, some are not. */
  undoing: undoingSchema.optional(),
  host: hostSchema.optional(),
  /** What a person must do before the run can go on: `teams doctor --trust`. */
  waitsFor: z.literal('trust').optional(),
  landing: landingTroubleSchema.optional(),
  /** Bad lines of the log before this offset are reported. */
  noiseOffset: z.number().int().min(0).optional(),
  /** The task views show every change before this offset of the log. */
  viewsOffset: z.number().int().min(0).optional(),
  seal: z.string().optional(),
});
export type RunState = z.infer<typeof stateSchema>;
