/** What tiers are called by each kind, as a lead tells it to its teammates: under the configuration's own names. */
import { tierSchema } from '../model/agent.ts';
import { jsonAnswer } from '../model/json-answer.ts';
import { modelsSchema, type ModelRules } from '../model/models.ts';

const MODELS = 'TEAMS_MODELS';
const DEFAULT_MODEL = 'TEAMS_DEFAULT_MODEL';

export const modelVariables = (rules: ModelRules | undefined): Record<string, string> =>
  rules === undefined ? {} : { [MODELS]: JSON.stringify(rules.models), [DEFAULT_MODEL]: rules.defaultModel };

/** What was told; none, and the usual tier, where nothing was or it makes no sense. */
export function modelsFrom(environment: Readonly<Record<string, string | undefined>>): ModelRules {
  // Somebody else's variable of that name is no answer.
  const told = jsonAnswer(modelsSchema, environment[MODELS] ?? '');
  return {
    models: told.ok ? told.value : {},
    defaultModel: tierSchema.safeParse(environment[DEFAULT_MODEL]).data ?? 'sonnet',
  };
}
