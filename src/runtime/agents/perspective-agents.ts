/** Whom S4's perspectives name and who is here, for the subagents of a pipeline. */
import type { AgentKind, AgentSpec } from '../../model/agent/agent.ts';
import { availabilityOf } from './availability.ts';

const NAMED = ['gemini', 'codex', 'claude'] as const satisfies readonly AgentKind[];

/** @param own of the roles, which is there anyway */
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
