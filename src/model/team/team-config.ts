/** The documents of a team: `config.json`, `state.json` (docs/specification.md R1.9) and process records. */
import { folderIdentitySchema } from './folder-identity.ts';
import * as z from 'zod';
import { treeNeedsSchema } from './isolation.ts';
import { lendSchema } from './lend.ts';
import { failureClassSchema } from '../agent/agent.ts';
import { profileSchema } from '../board/event.ts';
import { memberSchema, nameSchema, type Name } from '../text/names.ts';

/** The cycle of members' ANSI colours: cyan, yellow, magenta, green, blue (docs/specification.md R5.4). */
export const COLORS = [36, 33, 35, 32, 34] as const;

/** Every document is loose, so that unknown fields survive a rewrite. */
export const memberConfigSchema = z.looseObject({
  name: nameSchema,
  agent_id: z.string(),
  status: z.enum(['active', 'shutdown']),
  role: nameSchema,
  color: z.number().int(),
  /** An AgentSpec. It is parsed where it is used, so that a kind of a later version survives. */
  agent: z.looseObject({ kind: z.string() }).optional(),
  sandbox: z.enum(['read-only', 'workspace-write', 'full']).optional(),
  env: z.record(z.string(), z.string()).optional(),
  plan_approval: z.boolean().optional(),
  /** Labels of the hosts of the store on which it may run. */
  where: z.array(z.string()).optional(),
  /** Whether a person is asked before its agent uses a tool that changes something; absent: as the team's other members. */
  approvals: z.enum(['ask', 'sandbox']).optional(),
  /** Milliseconds until a permission that nobody answers is refused. */
  approval_ms: z.number().int().min(1).optional(),
  /** The role's prompt for its agent. */
  prompt: z.string().optional(),
  /** Pipeline only: the path of its role file, relative to the team's folder. */
  role_spec: z.string().optional(),
  /** How often a changed plan changed it; a process that began with a lower number starts anew. */
  revision: z.number().int().optional(),
  /** A changed plan has it no more: it leaves when it has no task. */
  leaving: z.literal(true).optional(),
});
export type MemberConfig = z.infer<typeof memberConfigSchema>;

/** Somebody who changes the workspace and is not a member, or who was a member with this sandbox and this agent. */
const writerSchema = memberConfigSchema.pick({ role: true, agent: true, sandbox: true });

/** Whether a person is asked before the member's agent uses a tool that changes something. */
export const asksPerson = (
  config: { readonly approvals?: 'ask' | undefined } | undefined,
  member: Pick<MemberConfig, 'approvals'> | undefined,
): boolean => (member?.approvals ?? config?.approvals) === 'ask';

/** A permission for always: of exactly this call (`hash`), or of every call of the tool. */
export const allowedSchema = z.looseObject({
  tool: z.string(),
  hash: z.string().optional(),
  text: z.string(),
  at: z.string(),
});
export type AllowedAlways = z.infer<typeof allowedSchema>;

export const configDocumentSchema = z.looseObject({
  version: z.number().int(),
  name: nameSchema,
  created_at: z.number(),
  profile: profileSchema,
  session_id: z.string().optional(),
  /** Pipeline only: the requirement, and the pipeline's name. */
  requirement: z.string().optional(),
  pipeline: nameSchema.optional(),
  /** AgentSpecs that its subagents may use, besides a role's own agent. */
  subagents: z.array(z.looseObject({ kind: z.string() })).optional(),
  epoch: z.number().int(),
  seal: z.string().optional(),
  /** Absent: the project's root. */
  cwd: z.string().optional(),
  plan_dir: z.string().optional(),
  /** Paths inside of the project are relative to its root. Earlier versions kept all paths absolute. */
  places: z.literal('relative').optional(),
  env_pass: z.array(z.string()).optional(),
  /** Each member works in a tree of its own, and its changes land in a queue. */
  isolation: z.literal('trees').optional(),
  /** What each tree gets besides the files that git knows. */
  trees: treeNeedsSchema.optional(),
  /** What the plan lends to its members' programs. */
  lend: lendSchema.optional(),
  /** A person is asked about members that say nothing of it; absent: the sandbox decides. */
  approvals: z.literal('ask').optional(),
  /** Only for a divided task: what workers must know about each other's files. */
  division: z
    .looseObject({
      shared: z.array(z.string()),
      boundary: z.array(z.looseObject({ file: z.string(), owner: z.string() })),
    })
    .optional(),
  /** What a person allowed for always. */
  allowed: z.array(allowedSchema).optional(),
  members: z.array(memberConfigSchema),
  /** Who else wrote in the workspace: commands that judge work run as the strictest of them, too. */
  writers: z.array(writerSchema).optional(),
});
export type TeamConfig = z.infer<typeof configDocumentSchema>;

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
});
export type RunLife = z.infer<typeof lifeSchema>;

const undoingSchema = z.object({
  redo: z.boolean(),
  /** In the names of files that are not in their place yet. */
  token: z.string().regex(/^[0-9A-Z]{26}$/),
  /** How many lives the run had then. */
  lives: z.number().int(),
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

/** States that a member's process reports about itself, beyond the board. */
export const NOTES = ['starting', 'idle', 'working', 'waiting', 'rate-limited', 'stopping'] as const;

export const processSchema = z.looseObject({
  version: z.number().int(),
  name: memberSchema,
  /** `spawning` is the intent, written before the fork; `running` is written by the process itself. */
  phase: z.enum(['spawning', 'running']),
  pid: z.number().int().positive().optional(),
  startTime: z.string().optional(),
  bootId: z.string().optional(),
  pidNamespace: z.string().optional(),
  incarnation: z.string().optional(),
  /** SHA-256 of the member's capability token. */
  tokenHash: z.string().optional(),
  mark: z.json().optional(),
  /** The team's folder that the process serves; absent in records of earlier versions. */
  folder: folderIdentitySchema.optional(),
  /** Of a lead: the marks of the programs that it runs by itself. */
  marks: z.array(z.json()).optional(),
  run: z.string().optional(),
  /** The revision of its configuration when its process was started. */
  revision: z.number().int().optional(),
  by_hand: z.boolean().optional(),
  /** The host of the store whose process started it. */
  host: z.string().optional(),
  started_at: z.number().optional(),
  /**
   * One more than the hops of the mail that the agent's present turn answers; messages of the turn's processes get it.
   */
  hops: z.number().int().min(0).optional(),
  note: z
    .looseObject({ state: z.enum(NOTES), reason: z.string(), since: z.number(), until: z.number().optional() })
    .optional(),
});
export type ProcessRecord = z.infer<typeof processSchema>;

/** An id that a program gave us and that becomes an argument of its next start: never an option. */
export const sessionIdSchema = z.string().regex(/^[A-Za-z0-9][\w.:-]{0,127}$/, 'Expected the id of a session');

/** The session that a member's agent continues after a restart of its process. */
export const keptSessionSchema = z.looseObject({
  version: z.number().int(),
  kind: z.string(),
  id: sessionIdSchema,
});

/** What members recorded about vendors: pauses that vendors asked for, and agents that cannot work at all. */
export const vendorsSchema = z.looseObject({
  version: z.number().int(),
  vendors: z.record(
    z.string(),
    z.looseObject({
      refusals: z.number().int().min(0),
      /** Milliseconds since 1970. */
      until: z.number(),
      /** How long that pause was when it began: a clock that is set back makes no pause longer. */
      length: z.number().optional(),
      /** How many calls may be unanswered at once. */
      slots: z.number().int().optional(),
      /** By member, when its call began that is neither answered nor refused: milliseconds since 1970. */
      open: z.record(z.string(), z.number()).optional(),
    }),
  ),
  /** By the hash of an agent's spec; valid only during the epoch of the lead under which it was recorded. */
  unfit: z.record(z.string(), z.looseObject({ fault: failureClassSchema, epoch: z.number().int() })).optional(),
});
export type VendorPauses = z.infer<typeof vendorsSchema>;

/** An event that is not on the board: agent output, alerts, refusals, receipts. `noun.verb`, past tense. */
export const teamEventSchema = z.looseObject({
  type: z.string().max(64),
  at: z.string().max(40),
  member: z.string().max(64).optional(),
  task: z.string().max(16).optional(),
  text: z.string().optional(),
});
export type TeamEvent = z.infer<typeof teamEventSchema>;

/** The state of one member at one moment (docs/specification.md R5.5); each state comes with its reason. */
export type MemberState =
  | 'joined'
  | 'starting'
  | 'working'
  | 'idle'
  | 'waiting'
  | 'rate-limited'
  | 'stalled'
  | 'quarantined'
  | 'dead'
  | 'stopped'
  | 'left';

export interface MemberStatus {
  readonly name: Name;
  readonly role: string;
  readonly state: MemberState;
  readonly reason: string;
  readonly pid: number | null;
  /** The machine of its process, where that is another one; `pid` is null then. */
  readonly machine?: string | undefined;
  /** The host of the store on which the lead has placed it; `machine` is that of the host. */
  readonly host?: string | undefined;
  readonly task: string | null;
}

/** Where a member runs, for people; undefined for one that runs on this machine, or not at all. */
export const placeOfMember = ({ machine, host }: Pick<MemberStatus, 'machine' | 'host'>): string | undefined =>
  machine === undefined ? undefined : `on ${host ?? machine}`;

export interface CloseResult {
  readonly stopped: readonly Name[];
  readonly completed: number;
  readonly total: number;
}
