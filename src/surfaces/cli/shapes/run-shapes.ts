/** What the verbs of runs, refine and pipelines print with `--json`. */
import * as z from 'zod';
import { agent, answer, counted, json, outcome, text, type VerbShape, taskWords } from './base-shapes.ts';
import { work } from './task-shapes.ts';
import { detached } from './team-shapes.ts';

const gate = z.enum(['pass', 'fail', 'skipped']);
const used = z.strictObject({
  tokens: counted,
  usd: z.number().min(0),
  unpriced: z.array(text),
  unknown: z.array(text).optional(),
});
const told = z.number().min(0);
/** Half of the runs stay within the one, 9 of 10 within the other; null if no earlier run tells it. */
const range = z.strictObject({ median: told, p90: told }).nullable();
const usedOf = z.strictObject({ median: told, p90: told, used: told }).nullable();
const reportFacts = {
  spending: used,
  /** What was told before the run, and what was used. */
  estimate: z
    .strictObject({
      turns: usedOf,
      tokens: usedOf,
      usd: usedOf,
      durationMs: usedOf,
      pastTasks: counted,
      unknown: z.array(text),
    })
    .nullable(),
  template: text,
  outcome,
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
      /** What it took; null if no agent did it. */
      work: z
        .strictObject({
          role: text,
          agent: text,
          model: text.nullable(),
          size: z.enum(['small', 'medium', 'large']),
          turns: counted,
          tokens: counted,
          usd: z.number().min(0).nullable(),
        })
        .nullable(),
      notes: z.array(text),
    }),
  ),
  gates: z.strictObject({
    build: gate,
    test: gate,
    lint: gate.optional(),
    crossVerify: gate,
    verdicts: gate.optional(),
    ownership: gate.optional(),
    shared: gate.optional(),
  }),
  notEnforced: z.array(text),
  cascade: z.strictObject({ created: counted, completed: counted, failed: counted }).nullable(),
  verification: z.strictObject({ verifier: text, result: text, notes: z.string() }).nullable(),
  exitCode: counted,
};
const undo = z.strictObject({ directory: text, command: text }).nullable();
const wish = z.strictObject({ file: text, text, member: text, task: text.nullable(), open: text.nullable() });
const failed = z.strictObject({
  what: text,
  member: text.nullable(),
  reason: z.string(),
  output: z.array(z.string()),
  log: text.nullable(),
  show: text.nullable(),
  next: text,
});
const reportKeys = {
  team: text,
  folder: text,
  undo,
  apply: z.strictObject({ command: text }).optional(),
  shared: z.array(wish),
  notes: z.array(text),
  headline: text,
  failures: z.array(failed),
  ...reportFacts,
  roles: z
    .array(
      z.strictObject({
        task: text,
        member: text,
        artifact: text.nullable(),
        verdict: z.enum(['PASS', 'NEEDS_FIX']).nullable(),
        discussion: z.strictObject({ verdict: text, rating: z.number().nullable() }).nullable(),
        decisions: z.array(text),
        warnings: z.array(text),
        notes: z.array(text),
        improvements: z.array(text),
      }),
    )
    .nullable(),
};
/** Also the report inside an export. */
export const reportBody = z.strictObject(reportKeys);
export const report = answer(reportKeys);

export const waited = answer({ team: text, ended: z.boolean(), exitCode: counted });
export const paused = answer({ team: text, paused: z.boolean(), changed: z.boolean(), working: counted });
const kindOfChange = z.enum(['added', 'changed', 'removed', 'kept']);
export const updated = answer({
  team: text,
  members: z.array(z.strictObject({ change: kindOfChange, name: text, what: z.array(text), why: text.nullable() })),
  tasks: z.array(
    z.strictObject({
      change: kindOfChange,
      id: text.nullable(),
      subject: text,
      what: z.array(text),
      retried: z.boolean(),
      lost: text.nullable(),
      why: text.nullable(),
    }),
  ),
  settings: z.array(text),
  applied: z.boolean(),
});
export const budget = answer({
  team: text,
  limits: z.array(
    z.strictObject({
      scope: text,
      meter: z.enum(['cost', 'tokens', 'turns', 'time']),
      limit: z.number(),
      spent: z.number(),
      reserved: z.number(),
      left: z.number(),
    }),
  ),
  waiting: z.array(z.strictObject({ member: text, why: text })),
});
export const cancelled = answer({ team: text, stopped: z.array(text), completed: counted, total: counted });

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
  rounds: z.array(round),
  maxRounds: counted,
  converged: z.boolean(),
  ending: text,
  accomplished: text,
  unresolved: z.array(text),
  notes: z.array(text),
  sandbox: text,
  sandboxNote: text,
  contributions: z.array(z.strictObject({ backend: text, what: text, used: z.boolean() })),
  result: z.string().nullable(),
  resultFrom: z.strictObject({ backend: text, round: counted }).nullable(),
  apply: z.strictObject({ command: text }).optional(),
});
export const relayed = answer({ backend: text, sandbox: text, text: z.string() });

const planTask = z.strictObject({
  ...taskWords,
  blockedBy: z.array(counted),
  retries: counted,
  required: z.boolean(),
  work,
  metadata: json,
});
const planMember = z.strictObject({
  name: text,
  role: text,
  agent: agent.optional(),
  env: z.record(z.string(), z.string()),
  planApproval: z.boolean(),
  where: z.array(text).optional(),
  approvals: z.enum(['ask', 'sandbox']).optional(),
  approvalMs: counted.optional(),
  sandbox: text.optional(),
  prompt: text.optional(),
});
const command = z.union([text, z.array(z.string())]);
const planGate = z.union([z.literal('detect'), z.strictObject({ run: command })]).optional();
const decomposed = z.strictObject({
  task: text,
  spec: text,
  template: text,
  boundaryFiles: z.array(z.strictObject({ file: text, owner: text })),
});
export const plan = answer({
  plan: z.strictObject({
    name: text,
    profile: text,
    cascade: z.boolean(),
    cascadeByRole: z.record(z.string(), text).optional(),
    cascadeDepth: counted.optional(),
    tasks: z.array(planTask),
    cwd: text.optional(),
    members: z.array(planMember),
    gates: z.strictObject({
      ownership: z.literal(true).optional(),
      build: planGate,
      test: planGate,
      lint: planGate,
      crossVerify: z.boolean(),
    }),
    sharedFiles: z.array(text),
    envPass: z.array(text),
    spare: agent.optional(),
    lead: agent.optional(),
    reviewer: agent.optional(),
    decomposed: decomposed.optional(),
  }),
  followUps: z.array(z.strictObject({ kind: text, subject: text, role: text, of: counted, depth: counted })),
  estimate: z.strictObject({
    leastTurns: counted,
    turns: range,
    tokens: range,
    usd: range,
    durationMs: range,
    pastTasks: counted,
    unknown: z.array(text),
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

export const pipelines = answer({
  pipelines: z.array(
    z.strictObject({
      name: text,
      from: z.enum(['project', 'package']),
      description: z.string(),
      tasks: counted,
      roles: z.array(text),
      problem: text.optional(),
    }),
  ),
});
export const pipeline = answer({
  pipeline: z.looseObject({
    name: text,
    description: z.string(),
    tasks: z.array(
      z.looseObject({
        code: text,
        subject: z.string(),
        description: z.string(),
        role: text,
        after: z.array(text),
        artifact: text.optional(),
        fix: z.array(text).optional(),
        retries: counted,
        timeoutMs: counted,
      }),
    ),
  }),
});
export const ejected = answer({ made: z.array(text), kept: z.array(text) });

export const RUN_SHAPES: Readonly<Record<string, VerbShape>> = {
  run: { answers: [report, plan, detached] },
  validate: { answers: [plan] },
  route: { answers: [routed] },
  resume: { answers: [report, detached] },
  wait: { answers: [waited] },
  budget: { answers: [budget] },
  up: { answers: [updated] },
  cancel: { answers: [cancelled] },
  pause: { answers: [paused] },
  unpause: { answers: [paused] },
  refine: { answers: [refined] },
  relay: { answers: [relayed] },
  pipeline: { answers: [report, detached, pipelines, pipeline, ejected] },
};
