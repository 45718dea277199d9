/**
 * Reads as much of a plan as possible, even if parts are wrong. So one mistake does not hide the next, and a broken
 * part does not cause further errors elsewhere.
 */
import * as z from 'zod';
import { AUTO, findAgent, unknownAgent, type AgentSpec } from '../agent/agent.ts';
import { isAgentKind, type AgentKind } from '../agent/agent-kinds.ts';
import { DEFAULT_ROLE } from './plan-limits.ts';

/**
 * What a member does with a task: it runs a command (its own, or only the task's), its model thinks, or it is unknown.
 */
export type Doer =
  | { readonly kind: 'think'; readonly agent: AgentKind | 'the default agent' }
  | { readonly kind: 'run'; readonly ownCommand: boolean }
  | { readonly kind: 'unknown'; readonly why?: string | undefined };

export interface OutlineMember {
  readonly name: string | undefined;
  readonly role: string | undefined;
  readonly doer: Doer;
}

export interface OutlineTask {
  readonly key?: string | undefined;
  readonly subject?: string | undefined;
  readonly owner?: string | undefined;
  readonly role?: string | undefined;
  readonly run: boolean;
  readonly prompt: boolean;
  readonly blockedBy: readonly (string | undefined)[];
}

export interface PlanOutline {
  readonly members: readonly OutlineMember[];
  readonly tasks: readonly OutlineTask[];
  /** The lead's agent; undefined without one. */
  readonly lead: Doer | undefined;
}

const text = z.string().optional().catch(undefined);
/** Replaces a value that could not be read. */
const BROKEN = null;
const anything = z.unknown().optional();
const entries = <T extends z.ZodType>(schema: T) => z.array(schema).catch([]);

const memberSchema = z
  .object({ name: text, role: z.string().default(DEFAULT_ROLE).or(z.undefined()).catch(undefined), agent: anything })
  .catch({ name: undefined, role: undefined, agent: BROKEN });

const taskSchema = z
  .object({
    key: text,
    subject: text,
    owner: text,
    role: text,
    run: anything,
    prompt: anything,
    blockedBy: entries(text),
  })
  .catch({ run: BROKEN, blockedBy: [] });

const outlineSchema = z
  .object({ members: entries(memberSchema), tasks: entries(taskSchema), lead: anything })
  .catch({ members: [], tasks: [] });

const agentShape = z.object({ kind: z.string().refine(isAgentKind), command: anything });

/** @param defaultAgent the agent of members that name none; absent if it is not known yet */
export function planOutlineOf(
  value: unknown,
  agents: ReadonlyMap<string, AgentSpec>,
  defaultAgent?: AgentSpec,
): PlanOutline {
  const { members, tasks, lead } = outlineSchema.parse(value);
  return {
    lead: lead === undefined ? undefined : doerOf(lead, agents),
    members: members.map(({ name, role, agent }) => ({
      name,
      role,
      doer: doerOf(agent === undefined || agent === AUTO ? defaultAgent : agent, agents),
    })),
    tasks: tasks.map((task) => ({ ...task, run: task.run !== undefined, prompt: task.prompt !== undefined })),
  };
}

function doerOf(agent: unknown, agents: ReadonlyMap<string, AgentSpec>): Doer {
  if (agent === undefined) return { kind: 'think', agent: 'the default agent' };
  const found = typeof agent === 'string' ? findAgent(agent, agents) : agent;
  if (typeof agent === 'string' && found === undefined) return { kind: 'unknown', why: unknownAgent(agent, agents) };
  const spec = agentShape.safeParse(found);
  if (!spec.success) return { kind: 'unknown' };
  const { kind, command } = spec.data;
  return kind === 'exec' ? { kind: 'run', ownCommand: command !== undefined } : { kind: 'think', agent: kind };
}
