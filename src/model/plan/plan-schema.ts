/**
 * The schema of a plan file (docs/specification.md R4.1), with all defaults. `plan-checks.ts` checks keys against each
 * other.
 */
import * as z from 'zod';
import {
  agentSpecSchema,
  commandSchema,
  envNameSchema,
  envSchema,
  processText,
  sandboxSchema,
  tierSchema,
} from '../agent/agent.ts';
import { durationSchema } from '../text/duration.ts';
import { UsageError } from '../text/errors.ts';
import { profileSchema } from '../board/event.ts';
import { budgetSchema } from '../team/budget.ts';
import { hostLabelSchema } from '../team/host-label.ts';
import { isolationSchema } from '../team/isolation.ts';
import { lendSchema } from '../team/lend.ts';
import { parseName, type Name, type NameKind } from '../text/names.ts';
import { FOREIGN_PLAN_KEYS, FOREIGN_TASK_KEYS } from './foreign-keys.ts';
import { closed } from '../text/document-problem.ts';
import { DEFAULT_ROLE, MAX_MEMBERS } from './plan-limits.ts';

const MAX_TASKS = 10_000;

/** A name, checked by `names.ts`; its message is the problem. */
const named = (kind: NameKind) =>
  z.string().transform((text, context): Name => {
    try {
      return parseName(kind, text);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      context.addIssue({ code: 'custom', message: error.message });
      return z.NEVER;
    }
  });

const isOneLine = (text: string): boolean =>
  Array.from(text, (char) => char.charCodeAt(0)).every((code) => code >= 32 && code !== 127);

/** A text that a terminal shows in one line. */
const line = (longest: number) =>
  z.string().min(1).max(longest).refine(isOneLine, 'Expected one line of text, without control characters.');

const body = z.string().max(262_144);
const path = line(4_096);

/** A key, a subject, the code at its start, or a number in plan order. */
const reference = z.union([line(1_000), z.number().int()]).transform((value) => String(value));

/** What a text in a list of maps was meant to be. */
const entry =
  (list: string, example: string) =>
  (text: string): string =>
    `Each of ${list} is a map, got "${text.slice(0, 60)}": write \`${example}\`.`;

/** A list that was written as a map of names. */
const listed =
  (list: string, example: string, missing?: string) =>
  ({ input }: { readonly input?: unknown }): string | undefined => {
    if (input === undefined) return missing;
    const isMap = typeof input === 'object' && input !== null && !Array.isArray(input);
    return isMap ? `Expected "${list}" to be a list, got a map: write each as \`- ${example}\`.` : undefined;
  };

const ONE_MEMBER = '{name: ada, agent: {kind: exec}}';
const ONE_TASK = '{key: build, subject: Build it, run: make}';

const approvals = z.enum(['ask', 'sandbox']);

const member = closed(
  {
    name: named('member'),
    role: named('role').prefault(DEFAULT_ROLE),
    /** An AgentSpec, the name of a configured agent or kind, or `auto`: the default agent. */
    agent: z.union([line(64), agentSpecSchema]).optional(),
    sandbox: sandboxSchema.optional(),
    env: envSchema.default({}),
    planApproval: z.boolean().default(false),
    /** Labels of the hosts of a store on which it may run. */
    where: z.array(hostLabelSchema).min(1).max(16).optional(),
    /** Who decides on what its agent asks to do: its sandbox, or a person within the sandbox. */
    approvals: approvals.optional(),
    /** The role's prompt for its agent. */
    prompt: body.min(1).optional(),
    budget: budgetSchema.optional(),
  },
  {},
  entry('members', ONE_MEMBER),
);

const task = closed(
  {
    key: line(200).optional(),
    subject: line(1_000),
    description: body.default(''),
    owner: line(64).optional(),
    role: line(64).optional(),
    run: commandSchema.optional(),
    prompt: body.min(1).optional(),
    blockedBy: z.array(reference).max(10_000).default([]),
    files: z.array(path).max(1_000).default([]),
    verify: z.array(processText.min(1)).max(100).default([]),
    timeout: durationSchema.prefault('10m'),
    retries: z.number().int().min(0).max(100).default(0),
    env: envSchema.default({}),
    required: z.boolean().default(true),
    artifact: path.optional(),
    /** Acceptance criteria, for the member that does it. */
    acceptance: z.array(line(1_000)).max(50).default([]),
    tier: tierSchema.optional(),
    budget: budgetSchema.optional(),
  },
  FOREIGN_TASK_KEYS,
  entry('tasks', ONE_TASK),
);

/** Only in a plan that a planner made: the task, the spec, and the owner of each boundary file. */
const decomposed = closed({
  task: body.min(1),
  spec: line(200).default('open'),
  template: line(64).default('custom'),
  boundaryFiles: z
    .array(closed({ file: path, owner: line(64) }))
    .max(1_000)
    .default([]),
});
export type Decomposed = z.infer<typeof decomposed>;

/** The kind of follow-up of a finished task, by the role that did it. */
export const CASCADE_KINDS = ['test', 'review', 'none'] as const;
const cascadeByRole = z.record(named('role'), z.enum(CASCADE_KINDS));

/** `true` detects the command, a text or a list is the command; absent or `false` is no gate. */
const gate = z.union([z.boolean(), commandSchema]).default(false);

const CURE = `add for example \`members: [${ONE_MEMBER}]\`.`;

export const planFileSchema = closed(
  {
    name: named('team').optional(),
    profile: profileSchema.default('forge'),
    cwd: path.optional(),
    members: z
      .array(member, { error: listed('members', ONE_MEMBER, `"members" is missing: ${CURE}`) })
      .min(1)
      .max(MAX_MEMBERS),
    tasks: z
      .array(task, { error: listed('tasks', ONE_TASK) })
      .min(1)
      .max(MAX_TASKS),
    gates: closed({
      /** Report writes outside the `files` of the tasks. */
      ownership: z.boolean().default(false),
      build: gate,
      test: gate,
      lint: gate,
      crossVerify: z.boolean().default(false),
    }).prefault({}),
    cascade: z.union([z.boolean(), cascadeByRole]).default(false),
    cascadeDepth: z.number().int().min(0).max(100).optional(),
    sharedFiles: z.array(path).max(1_000).default([]),
    /** The lead's agent, as an AgentSpec or its name. It changes the shared files. */
    lead: z.union([line(64), agentSpecSchema]).optional(),
    envPass: z.array(envNameSchema).max(1_000).default([]),
    /** For members that do not say otherwise. */
    approvals: approvals.optional(),
    approvalTimeout: durationSchema.optional(),
    sandbox: closed({ lend: lendSchema.prefault({}) }).prefault({}),
    /** Whether each member works in a tree of its own, and its changes land one after the other. */
    isolation: isolationSchema.optional(),
    /** What the whole team may use. */
    budget: budgetSchema.optional(),
    decomposed: decomposed.optional(),
  },
  FOREIGN_PLAN_KEYS,
);
export type PlanFile = z.infer<typeof planFileSchema>;
export type PlanFileTask = PlanFile['tasks'][number];

/** Keys with typed values. Under any other key, a scalar is its source text (`1.10`, `true`, `0644`). */
export const TYPED_KEYS: ReadonlySet<PropertyKey> = new Set([
  'retries',
  'required',
  'planApproval',
  'cascade',
  'cascadeDepth',
  'crossVerify',
  'ownership',
  'build',
  'test',
  'lint',
  'options',
  'cost',
  'tokens',
  'turns',
]);
