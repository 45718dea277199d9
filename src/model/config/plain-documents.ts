/**
 * Reads the documents of a team without their schemas, which stay the law (text/plain-fields.ts). A field of a schema
 * that is missing here does not compile.
 */
import { SANDBOXES } from '../agent/agent.ts';
import { PROFILES } from '../board/event.ts';
import { isMemberName, isName, type Name } from '../text/names.ts';
import {
  bySchema,
  nullable,
  optional,
  plainAmount,
  plainCount,
  plainFlag,
  plainJsonObject,
  plainInteger,
  plainIntegerFrom,
  plainList,
  plainLooseObject,
  plainNumber,
  plainObject,
  plainRecord,
  plainText,
  plainTextOf,
  plainTextThat,
  plainWord,
  type DocumentForm,
  type PlainReader,
} from '../text/plain-fields.ts';
import { plainFolder } from '../team/folder-identity.ts';
import {
  COMMIT,
  HOST_STATES,
  PHASES,
  RUN_STATUSES,
  stateSchema,
  type Gate,
  type GitPlace,
  type KeptEstimate,
  type LandingTrouble,
  type RunLife,
  type RunState,
  type WorkerState,
} from '../run/run-state.ts';
import { configDocumentSchema, type AllowedAlways, type MemberConfig, type TeamConfig } from '../team/team-config.ts';
import { NOTES, processSchema, type ProcessRecord } from '../member/process-record.ts';
import { teamEventSchema, type TeamEvent } from '../team/team-event.ts';

const plainName: PlainReader<Name> = (value) => (typeof value === 'string' && isName(value) ? value : undefined);
const plainMember: PlainReader<Name> = (value) =>
  typeof value === 'string' && isMemberName(value) ? value : undefined;
const plainTexts = plainList(plainText);
const plainTrue = plainWord(true);

/** Something with a kind: an agent, which is parsed where it is used. */
const plainKinded = plainLooseObject<NonNullable<MemberConfig['agent']>>({ kind: plainText });
const plainSandbox = plainWord(...SANDBOXES);

const plainMemberConfig = plainLooseObject<MemberConfig>({
  name: plainName,
  agent_id: plainText,
  status: plainWord('active', 'shutdown'),
  role: plainName,
  color: plainInteger,
  agent: optional(plainKinded),
  sandbox: optional(plainSandbox),
  env: optional(plainRecord(plainText)),
  plan_approval: optional(plainFlag),
  where: optional(plainTexts),
  approvals: optional(plainWord('ask', 'sandbox')),
  approval_ms: optional(plainIntegerFrom(1)),
  prompt: optional(plainText),
  role_spec: optional(plainText),
  revision: optional(plainInteger),
  leaving: optional(plainTrue),
});

const plainConfig = plainLooseObject<TeamConfig>({
  version: plainInteger,
  name: plainName,
  created_at: plainNumber,
  profile: plainWord(...PROFILES),
  session_id: optional(plainText),
  requirement: optional(plainText),
  pipeline: optional(plainName),
  subagents: optional(plainList(plainKinded)),
  epoch: plainInteger,
  seal: optional(plainText),
  cwd: optional(plainText),
  plan_dir: optional(plainText),
  places: optional(plainWord('relative')),
  env_pass: optional(plainTexts),
  isolation: optional(plainWord('trees')),
  trees: bySchema,
  lend: bySchema,
  approvals: optional(plainWord('ask')),
  division: bySchema,
  allowed: optional(
    plainList(
      plainLooseObject<AllowedAlways>({ tool: plainText, hash: optional(plainText), text: plainText, at: plainText }),
    ),
  ),
  members: plainList(plainMemberConfig),
  writers: optional(
    plainList(
      plainLooseObject<Writer>({ role: plainName, agent: optional(plainKinded), sandbox: optional(plainSandbox) }),
    ),
  ),
});
type Writer = NonNullable<TeamConfig['writers']>[number];
export const configForm: DocumentForm<TeamConfig> = { schema: () => configDocumentSchema, plain: plainConfig };

const plainWorker = plainLooseObject<WorkerState>({
  id: plainName,
  taskIds: plainTexts,
  agentType: plainText,
  model: plainText,
  routing: plainText,
  mcpJobId: nullable(plainText),
  exclusiveFiles: plainTexts,
  status: plainWord('active', 'idle', 'quarantined', 'stopped'),
  consecutiveErrors: plainInteger,
  restartCount: plainInteger,
  lastActivity: plainText,
  completedTasks: plainInteger,
  totalAssigned: plainInteger,
  spawnedAt: plainText,
});

const plainGate = plainLooseObject<Gate>({
  name: plainWord('verdicts', 'ownership', 'shared', 'build', 'test', 'lint', 'crossVerify'),
  result: plainWord('pass', 'fail', 'skipped'),
  notes: optional(plainText),
});

const plainGitPlace = plainObject<GitPlace>({
  directory: plainText,
  common: plainText,
  objects: plainText,
  refs: plainText,
  alternates: optional(plainTexts),
});
const plainCommit = plainTextThat((text) => COMMIT.test(text));

const plainLife = plainObject<RunLife>({
  start: plainCommit,
  end: optional(plainCommit),
  since: optional(plainNumber),
  leftOut: optional(plainTexts),
  landed: optional(plainCommit),
  task: optional(plainText),
  back: optional(plainTrue),
  undone: optional(plainTrue),
  kept: optional(plainTexts),
});

const plainRange = nullable(plainObject<NonNullable<KeptEstimate['usd']>>({ median: plainAmount, p90: plainAmount }));
const plainEstimate = plainLooseObject<KeptEstimate>({
  turns: plainRange,
  tokens: plainRange,
  usd: plainRange,
  durationMs: plainRange,
  pastTasks: plainCount,
  unknown: plainTexts,
});

const plainState = plainLooseObject<RunState>({
  version: plainInteger,
  teamName: plainName,
  status: plainWord(...RUN_STATUSES),
  createdAt: plainText,
  template: plainText,
  prompt: plainText,
  phase: plainWord(...PHASES),
  workers: plainList(plainWorker),
  sharedFiles: plainTexts,
  boundaryFiles: plainTexts,
  cascadeEnabled: plainFlag,
  cascadeDepth: plainInteger,
  completedTasks: plainInteger,
  totalTasks: plainInteger,
  failedTasks: plainInteger,
  crossCliVerification: plainLooseObject<RunState['crossCliVerification']>({
    enabled: plainFlag,
    verifier: nullable(plainText),
    result: nullable(plainText),
  }),
  epoch: plainInteger,
  planHash: optional(plainText),
  gates: plainList(plainGate),
  finishedAt: optional(plainText),
  exitCode: optional(plainInteger),
  estimate: optional(plainEstimate),
  start: optional(
    plainObject<NonNullable<RunState['start']>>({
      commit: plainCommit,
      directory: plainText,
      git: optional(plainGitPlace),
      leftOut: optional(plainTexts),
    }),
  ),
  lives: optional(plainList(plainLife)),
  undoing: bySchema,
  host: optional(plainWord(...HOST_STATES)),
  waitsFor: optional(plainWord('trust')),
  landing: optional(plainLooseObject<LandingTrouble>({ why: plainText, since: plainText })),
  noiseOffset: optional(plainCount),
  viewsOffset: optional(plainCount),
  seal: optional(plainText),
});

export const stateForm: DocumentForm<RunState> = { schema: () => stateSchema, plain: plainState };

const plainProcess = plainLooseObject<ProcessRecord>({
  version: plainInteger,
  name: plainMember,
  phase: plainWord('spawning', 'running'),
  pid: optional(plainIntegerFrom(1)),
  startTime: optional(plainText),
  bootId: optional(plainText),
  pidNamespace: optional(plainText),
  incarnation: optional(plainText),
  tokenHash: optional(plainText),
  mark: optional(plainJsonObject),
  folder: optional(plainFolder),
  marks: optional(plainList(plainJsonObject)),
  run: optional(plainText),
  revision: optional(plainInteger),
  by_hand: optional(plainFlag),
  host: optional(plainText),
  started_at: optional(plainNumber),
  hops: optional(plainCount),
  note: optional(
    plainLooseObject<NonNullable<ProcessRecord['note']>>({
      state: plainWord(...NOTES),
      reason: plainText,
      since: plainNumber,
      until: optional(plainNumber),
    }),
  ),
});
export const processForm: DocumentForm<ProcessRecord> = { schema: () => processSchema, plain: plainProcess };

const plainEvent = plainLooseObject<TeamEvent>({
  type: plainTextOf(64),
  at: plainTextOf(40),
  member: optional(plainTextOf(64)),
  task: optional(plainTextOf(16)),
  text: optional(plainText),
});
export const eventForm: DocumentForm<TeamEvent> = { schema: () => teamEventSchema, plain: plainEvent };
