/** What a lead tells its teammates of agents, by their environment: who stands in, what tiers are called, how long silence may be. */
import { jsonAnswer } from '../model/json-answer.ts';
import { agentRulesSchema, type AgentRules } from '../model/models.ts';

const RULES = 'TEAMS_AGENT_RULES';

export const agentVariables = (rules: AgentRules | undefined): Record<string, string> =>
  rules === undefined ? {} : { [RULES]: JSON.stringify(rules) };

/** What was told; nobody stands in, and nothing else is ruled, where nothing was. */
export function agentRulesFrom(environment: Readonly<Record<string, string | undefined>>): AgentRules {
  // Somebody else's variable of that name is no answer.
  const told = jsonAnswer(agentRulesSchema, environment[RULES] ?? '');
  return told.ok ? told.value : { fallback: [], models: {}, defaultModel: 'sonnet' };
}
