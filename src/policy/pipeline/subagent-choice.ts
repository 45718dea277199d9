/**
 * Who takes a perspective, or an errand of a role (S4 "Perspective Routing"): the agent that the table names, else what
 * there is, which is disclosed. What fails is asked once more, of another agent where there is one.
 */
import type { AgentSpec } from '../../model/agent/agent.ts';
import { kindsOf, type AgentKind } from '../../model/agent/agent-kinds.ts';
import type { Perspective } from '../../model/pipeline/role-spec.ts';

/** S4's table: the kinds that a perspective is for, the first the one that it names. */
export const ROUTES: Readonly<Record<Perspective, readonly AgentKind[]>> = {
  product: kindsOf('google'),
  risk: kindsOf('google'),
  coverage: kindsOf('google'),
  technical: kindsOf('openai'),
  quality: kindsOf('anthropic'),
};

/** The agents that may be asked, the role's own first. */
export type Pool = readonly [AgentSpec, ...AgentSpec[]];

export interface SubagentChoice {
  readonly first: AgentSpec;
  /** Asked when the first one fails: another agent, else the same afresh; a command does the same again and is not asked. */
  readonly second?: AgentSpec | undefined;
  /** That another agent does it than the table says. */
  readonly note?: string | undefined;
}

/** @param wanted the kinds that it is for; none for what any agent does as well as another */
export function chooseFrom(pool: Pool, wanted: readonly AgentKind[] = []): SubagentChoice {
  const suited = wanted.flatMap((kind) => pool.find((spec) => spec.kind === kind) ?? [])[0];
  const first = suited ?? pool[0];
  const other = pool.find((spec) => spec !== first);
  const second = other ?? (first.kind === 'exec' ? undefined : first);
  const [meant] = wanted;
  return {
    first,
    second,
    note: suited !== undefined || meant === undefined ? undefined : `${meant} is not available, ${first.kind} speaks`,
  };
}
