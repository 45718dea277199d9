/**
 * Who takes a perspective, or an errand of a role (S4 "Perspective Routing"): the agent that the table names, else what
 * there is, which is disclosed. What fails is asked once more, of another agent where there is one.
 */
import type { AgentKind, AgentSpec } from '../../model/agent/agent.ts';
import type { Perspective } from '../../model/pipeline/role-spec.ts';

const GEMINI = ['gemini', 'google'] as const satisfies readonly AgentKind[];
const CODEX = ['codex', 'openai'] as const satisfies readonly AgentKind[];
const CLAUDE = ['claude', 'anthropic'] as const satisfies readonly AgentKind[];

/** S4's table: the kinds that a perspective is for, the first the one that it names. */
export const ROUTES: Readonly<Record<Perspective, readonly AgentKind[]>> = {
  product: GEMINI,
  risk: GEMINI,
  coverage: GEMINI,
  technical: CODEX,
  quality: CLAUDE,
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
