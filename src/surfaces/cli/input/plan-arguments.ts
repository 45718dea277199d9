/** Reads the plan of `run` and `validate`: from a file, or from stdin. */
import {
  looksLikePlan,
  missingPlan,
  OWN_PLAN,
  planInFile,
  planInText,
  planNear,
  UsageError,
  type GivenPlan,
  type PlanContext,
} from '../../../app.ts';
import type { CliContext } from '../context.ts';
import { readPlanText } from './stdin.ts';

/**
 * @param words a file name, or `-`; without a word, the project's own plan
 * @throws UsageError `USAGE` for a missing file, `PLAN_INVALID`
 */
export async function planOf(frame: CliContext, words: readonly string[], context: PlanContext): Promise<GivenPlan> {
  const [word, ...rest] = words;
  if (word === undefined) return ownPlan(context);
  if (rest[0] !== undefined)
    throw new UsageError(
      'USAGE',
      `One plan at a time: ${JSON.stringify(rest[0])} is too much. A task in words stands in quotes.`,
    );
  const plan = word === '-' ? planInText(await readPlanText(frame.io), context) : planInFile(word, context);
  if (plan) return plan;
  throw missing(word, context.cwd);
}

function ownPlan(context: PlanContext): GivenPlan {
  const plan = planInFile(OWN_PLAN, context);
  if (plan) return plan;
  throw new UsageError(
    'USAGE',
    `Which plan? There is no ${OWN_PLAN} here; \`teams init\` writes one, or name another by its path, or - for one from stdin.`,
  );
}

function missing(word: string, cwd: string): UsageError {
  const near = planNear(word, cwd);
  if (near === undefined || looksLikePlan(word)) return missingPlan(word, cwd);
  return new UsageError(
    'USAGE',
    `There is no plan file ${JSON.stringify(word)} here; did you mean ${JSON.stringify(near)}?`,
  );
}
