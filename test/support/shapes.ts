/** The JSON shapes of the command line (SPEC §12), strict: a key more, or one less, is a change that programs notice. */
import * as z from 'zod';

const text = z.string().min(1);
const counted = z.number().int().min(0);
/** ISO 8601, in UTC. */
const time = z.iso.datetime();
const answer = <Shape extends z.ZodRawShape>(shape: Shape) => z.strictObject({ schemaVersion: z.literal(1), ...shape });

export const failure = answer({
  error: z.strictObject({
    class: z.enum(['UsageError', 'ConflictError', 'StoreError', 'AgentError']),
    code: z.string().regex(/^[A-Z]+(?:_[A-Z]+)*$/),
    message: z.string().regex(/[.?]$/),
    retryable: z.boolean(),
  }),
});

const agent = z.strictObject({ kind: text, command: z.unknown().optional() });
const work = z.strictObject({
  run: text.optional(),
  prompt: text.optional(),
  artifact: text.optional(),
  verify: z.array(text),
  files: z.array(text),
  env: z.record(z.string(), z.string()),
  timeoutMs: counted.optional(),
});
const claim = z.strictObject({ member: text, incarnation: text, epoch: counted });
const result = z.strictObject({
  summary: z.string(),
  hash: text.optional(),
  exitCode: z.number().optional(),
  files: z.array(text),
});
const facts = {
  id: z.string().regex(/^[1-9][0-9]*$/),
  team: text,
  key: text.optional(),
  subject: text,
  description: z.string(),
  activeForm: text.optional(),
  owner: text.optional(),
  role: text.optional(),
  blockedBy: z.array(text),
  work,
  attempts: counted,
  retries: counted,
  lost: counted,
  claims: counted,
  required: z.boolean(),
  metadata: z.record(z.string(), z.json()),
  created_at: time,
  updated_at: time,
};
const past = z.array(z.strictObject({ at: time, type: z.string().startsWith('task.'), by: text }));
const taskWith = <Extra extends z.ZodRawShape>(extra: Extra) => {
  const all = { ...facts, ...extra };
  return z.discriminatedUnion('status', [
    z.strictObject({ ...all, status: z.literal('pending'), lastFailure: z.string().optional() }),
    z.strictObject({ ...all, status: z.literal('in_progress'), claim, claimed_at: time }),
    z.strictObject({ ...all, status: z.literal('completed'), result, by: claim, claimed_at: time }),
    z.strictObject({ ...all, status: z.literal('failed'), reason: text, code: text, by: claim.optional() }),
    z.strictObject({ ...all, status: z.literal('skipped'), reason: text }),
    z.strictObject({ ...all, status: z.literal('cancelled'), reason: text }),
  ]);
};
export const task = answer({ task: taskWith({}) });
export const taskInFull = answer({ task: taskWith({ history: past }) });
export const tasks = answer({ tasks: z.array(taskWith({})).min(1) });
/** What an agent's claim to be done is answered with. */
export const verdict = answer({ task: taskWith({}), verdict: z.looseObject({ result: text }) });

const counts = z.strictObject({
  total: counted,
  pending: counted,
  in_progress: counted,
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
  pid: z.number().nullable(),
  task: text.nullable(),
});
const lead = z.strictObject({
  pid: z.number().nullable(),
  since: z.union([time, z.number()]).nullable(),
  epoch: counted,
  alive: z.boolean(),
  unread: counted,
});
export const status = answer({ team: text, status: text, phase: text, members: z.array(member), tasks: counts, lead });

export const made = answer({ team: text });
export const detached = answer({ team: text, pid: z.number() });
export const ended = answer({ team: text, exitCode: counted });
export const waited = answer({ team: text, ended: z.boolean(), exitCode: counted });
export const deleted = answer({ team: text, stopped: z.array(text) });
export const cancelled = answer({ team: text, stopped: z.array(text), completed: counted, total: counted });
export const spawned = answer({ member: text });
export const worked = answer({ member: text, exitCode: counted });
const line = z.strictObject({
  name: text,
  status: text,
  phase: text,
  members: counted,
  tasks: counts,
  folder: text,
  archivedAt: text.optional(),
});
export const teams = answer({ teams: z.array(line).min(1) });
const archived = z.strictObject({ name: text, archivedAt: text, folder: text });
export const pruned = answer({ teams: z.array(archived).min(1), removed: z.boolean() });

export const receipts = answer({
  receipts: z
    .array(z.union([z.strictObject({ recipient: text, id: text }), z.strictObject({ recipient: text, error: text })]))
    .min(1),
});
/** A line of an inbox, as it is stored. */
export const message = z.strictObject({
  type: text,
  sender: text,
  content: z.string(),
  timestamp: z.number(),
  id: text,
  recipient: text,
  kind: text.optional(),
  request_id: text.optional(),
  task_id: text.optional(),
  reply_to: text.optional(),
  epoch: counted.optional(),
  hops: counted.optional(),
  data: z.record(z.string(), z.json()).optional(),
});
export const messages = answer({ messages: z.array(message).min(1) });
/** A fact has fields of its own. */
export const event = z.looseObject({
  number: z.number().min(1),
  at: time,
  type: z.string().regex(/^[a-z]+\.[a-z_]+$/),
  member: text.optional(),
  text: z.string().optional(),
});
export const outputLine = z.strictObject({ member: text, line: z.string() });
export const explained = answer({
  subject: text,
  state: text,
  waitingFor: text.nullable(),
  since: time.nullable(),
  who: text.nullable(),
  nextAt: time.nullable(),
  next: text,
  events: z.array(event),
});

const gate = z.enum(['pass', 'fail', 'skipped']);
const used = z.strictObject({ tokens: counted, usd: z.number().min(0), unpriced: z.array(text) });
const reportFacts = {
  spending: used,
  template: text,
  status: z.enum(['completed', 'failed', 'incomplete', 'active']),
  durationMs: counted,
  members: z.array(
    z.strictObject({
      name: text,
      role: text,
      agent: text,
      tasks: counted,
      durationMs: counted,
      status: text,
      sandbox: text,
      notEnforced: text.nullable(),
      spent: used.nullable(),
    }),
  ),
  tasks: z.array(
    z.strictObject({
      id: text,
      subject: text,
      status: text,
      member: text.nullable(),
      durationMs: counted.nullable(),
      reason: text.optional(),
      notes: z.array(text),
    }),
  ),
  gates: z.strictObject({ build: gate, test: gate, lint: gate.optional(), crossVerify: gate }),
  cascade: z.strictObject({ created: counted, completed: counted, failed: counted }).nullable(),
  verification: z.strictObject({ verifier: text, result: text, notes: z.string() }).nullable(),
  notes: z.array(text),
  exitCode: counted,
};
const undo = z.strictObject({ directory: text, command: text }).nullable();
const wish = z.strictObject({
  file: text,
  text,
  member: text,
  task: text.nullable(),
  open: text.nullable(),
});
export const report = answer({ team: text, folder: text, undo, shared: z.array(wish), ...reportFacts });
const spending = z.strictObject({ tokens: counted, usd: z.number(), unpriced: z.array(text) });
const span = z.strictObject({
  task: text,
  member: text,
  claim: counted,
  from: z.number(),
  to: z.number().optional(),
  end: text.optional(),
});
/** The report inside it has its own shape, without what `answer` puts around. */
export const exported = answer({
  team: text,
  exportedAt: time,
  report: z.looseObject({ team: text }),
  spending,
  members: z.array(z.looseObject({ name: text, spending: spending.nullable() })),
  tasks: z.array(
    z.strictObject({
      id: text,
      subject: text,
      column: text,
      member: text.nullable(),
      waitsFor: z.array(text),
      holds: z.array(text),
      asks: z.boolean(),
      attempts: counted,
      since: time,
      reason: text.optional(),
      description: z.string(),
      workedMs: counted,
      spending: spending.nullable(),
      result: z.string().nullable(),
    }),
  ),
  timeline: z.strictObject({
    from: z.number(),
    to: z.number(),
    spans: z.array(span),
    starts: z.array(z.strictObject({ member: text, at: z.number(), life: counted })),
    critical: z.strictObject({ tasks: z.array(text), ms: counted }),
  }),
  mail: z.array(
    z.strictObject({
      id: text,
      at: time,
      from: text,
      to: text,
      kind: text,
      text: z.string(),
      isWaiting: z.boolean(),
    }),
  ),
});

const changed = z.strictObject({ path: text, change: z.enum(['added', 'modified', 'deleted']) });
export const changes = answer({
  team: text,
  task: text.nullable(),
  from: text,
  files: z.array(changed),
  diff: z.string(),
});

const round = z.strictObject({
  n: z.number().min(1),
  backends: z.array(z.strictObject({ name: text, outcome: text })),
  verdict: text.nullable(),
  findings: z.array(z.looseObject({ severity: text, text })),
  validation: z.strictObject({ command: text, passed: z.boolean(), message: z.string() }).optional(),
  agreement: text.optional(),
  rationale: text.optional(),
});
export const refined = answer({
  ...reportFacts,
  team: text.nullable(),
  folder: text.nullable(),
  task: text,
  rounds: z.array(round).min(1),
  maxRounds: counted,
  converged: z.boolean(),
  ending: text,
  accomplished: text,
  unresolved: z.array(text),
  sandbox: text,
  sandboxNote: text,
  contributions: z.array(z.strictObject({ backend: text, what: text, used: z.boolean() })).min(1),
  result: z.string().nullable(),
  resultFrom: z.strictObject({ backend: text, round: counted }).nullable(),
});
export const relayed = answer({ backend: text, sandbox: text, text: z.string() });

const planTask = z.strictObject({
  key: text.optional(),
  subject: text,
  description: z.string(),
  owner: text.optional(),
  role: text.optional(),
  blockedBy: z.array(counted),
  retries: counted,
  required: z.boolean(),
  work,
  metadata: z.record(z.string(), z.json()),
});
export const plan = answer({
  plan: z.strictObject({
    name: text,
    profile: text,
    cascade: z.boolean(),
    tasks: z.array(planTask).min(1),
    cwd: text.optional(),
    members: z.array(
      z.strictObject({ name: text, role: text, agent, env: z.looseObject({}), planApproval: z.boolean() }),
    ),
    gates: z.strictObject({ crossVerify: z.boolean() }),
    sharedFiles: z.array(text),
    envPass: z.array(text),
    spare: agent.optional(),
    lead: agent.optional(),
  }),
});
export const routed = answer({
  domain: z.enum(['backend', 'frontend', 'ambiguous']),
  score: counted,
  tier: text,
  agent: text.nullable(),
  role: text,
  why: text,
  words: z.strictObject({ backend: z.array(text), frontend: z.array(text) }),
});
export const checks = answer({
  checks: z
    .array(
      z.strictObject({
        name: text,
        ok: z.boolean(),
        absent: z.literal(true).optional(),
        found: z.string(),
        cure: z.string(),
      }),
    )
    .min(1),
});
export const project = answer({
  root: text,
  written: z.boolean(),
  changes: z.array(z.strictObject({ file: text, what: text })).min(1),
});
export const host = answer({ host: text, file: text, entry: text, written: z.boolean() });
export const printedHost = answer({ host: text, entry: text });
export const config = answer({
  config: z.looseObject({ maxAgents: z.number() }),
  origins: z.record(z.string(), text),
  warnings: z.array(text),
});
export const steps = answer({ steps: z.array(z.strictObject({ line: text, what: text })).min(1) });

export const busRecord = answer({
  record: z.strictObject({
    seq: z.number().min(1),
    session: text,
    from: text,
    to: text,
    kind: text,
    summary: text,
    ref: text.optional(),
  }),
});
const bullets = z.array(text);
export const added = answer({ file: text, added: bullets });
export const wisdom = answer({
  wisdom: z.strictObject({ learnings: bullets, decisions: bullets, conventions: bullets, issues: bullets }),
});
export const pipelines = answer({
  pipelines: z.array(
    z.strictObject({
      name: z.string(),
      from: z.enum(['project', 'package']),
      description: z.string(),
      tasks: z.number(),
      roles: z.array(z.string()),
    }),
  ),
});
export const pipeline = answer({
  pipeline: z.object({
    name: z.string(),
    description: z.string(),
    tasks: z.array(
      z.object({
        code: z.string(),
        subject: z.string(),
        description: z.string(),
        role: z.string(),
        after: z.array(z.string()),
        artifact: z.string().optional(),
        fix: z.string().optional(),
        retries: z.number(),
        timeoutMs: z.number(),
      }),
    ),
  }),
});
export const ejected = answer({ made: z.array(z.string()), kept: z.array(z.string()) });
