/** `config.json`: what a team is made of. */
import * as z from 'zod';
import { treeNeedsSchema } from './isolation.ts';
import { lendSchema } from './lend.ts';
import { profileSchema } from '../board/event.ts';
import { nameSchema } from '../text/names.ts';

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
