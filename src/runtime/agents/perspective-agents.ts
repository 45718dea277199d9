/** Finds the available agents for the perspectives of a pipeline's subagents (docs/specification.md R10.10). */
import type { AgentSpec } from '../../model/agent/agent.ts';
import type { AgentKind } from '../../model/agent/agent-kinds.ts';
import { ROUTES } from '../../policy/pipeline/subagent-choice.ts';
import { availabilityOf } from './availability.ts';

/** The kinds that the table of perspectives names first. */
const NAMED: readonly AgentKind[] = [...new Set(Object.values(ROUTES).flatMap(([first]) => first ?? []))];

/** @param own the agent of the roles, which is left out */
export async function perspectiveAgents(
  own: AgentSpec,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<AgentSpec[]> {
  const others = NAMED.filter((kind) => kind !== own.kind);
  const found = await Promise.all(
    others.map(async (kind) => ({ kind, ...(await availabilityOf({ kind }, environment)) })),
  );
  return found.flatMap(({ kind, isAvailable }) => (isAvailable ? [{ kind }] : []));
}
