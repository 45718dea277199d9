/** What tiers are called by each kind, as a lead tells it to its teammates: under the configuration's own names. */
import { tierSchema } from '../model/agent.ts';
import { modelsSchema, type ModelRules } from '../model/models.ts';

const MODELS = 'TEAMS_MODELS';
const DEFAULT_MODEL = 'TEAMS_DEFAULT_MODEL';

export const modelVariables = (rules: ModelRules | undefined): Record<string, string> =>
  rules === undefined ? {} : { [MODELS]: JSON.stringify(rules.models), [DEFAULT_MODEL]: rules.defaultModel };

/** What was told; none, and the usual tier, where nothing was or it makes no sense. */
export const modelsFrom = (environment: Readonly<Record<string, string | undefined>>): ModelRules => ({
  models: modelsSchema.safeParse(json(environment[MODELS])).data ?? {},
  defaultModel: tierSchema.safeParse(environment[DEFAULT_MODEL]).data ?? 'sonnet',
});

function json(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    // Not ours: somebody else's variable of that name.
    return undefined;
  }
}
