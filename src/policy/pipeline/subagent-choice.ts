/**
 * Which agent takes a perspective or a subagent task of a role (docs/specification.md R10.10). It is the agent that the
 * table names, else an available one, with a note. After a failure the call is repeated once, with another agent if
 * there is one.
 */
import type { AgentSpec } from '../../model/agent/agent.ts';
import { kindsOf, type AgentKind } from '../../model/agent/agent-kinds.ts';
import type { Perspective } from '../../model/pipeline/role-spec.ts';

/** The agent kinds for a perspective, the preferred one first (docs/specification.md R10.10). */
export const ROUTES: Readonly<Record<Perspective, readonly AgentKind[]>> = {
  product: kindsOf('google'),
  risk: kindsOf('google'),
  coverage: kindsOf('google'),
  technical: kindsOf('openai'),
  quality: kindsOf('anthropic'),
};

/** The available agents, the role's own first. */
export type Pool = readonly [AgentSpec, ...AgentSpec[]];

export interface SubagentChoice {
  readonly first: AgentSpec;
  /**
   * The agent for the repeated call: another agent, else a new session of the same. A command would fail again and has
   * none.
   */
  readonly second?: AgentSpec | undefined;
  /** A note that the agent is not the one in the table. */
  readonly note?: string | undefined;
}

/** @param wanted the preferred kinds; empty if any agent will do */
export function chooseFrom(pool: Pool, wanted: readonly AgentKind[] = []): SubagentChoice {
  const suited = wanted.flatMap((kind) => pool.find((spec) => spec.kind === kind) ?? [])[0];
  const first = suited ?? pool[0];
  const other = pool.find((spec) => spec !== first);
  const second = other ?? (first.kind === 'exec' ? undefined : first);
  const [meant] = wanted;
  return {
    first,
    second,
    note:
      suited !== undefined || meant === undefined
        ? undefined
        : `${meant} is not available, ${first.kind} takes its place`,
  };
}
