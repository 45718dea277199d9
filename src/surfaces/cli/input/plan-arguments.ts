/** Reads the plan of `run` and `validate`: from a file, or from stdin. */
import {
  looksLikePlan,
  missingPlan,
  planInFile,
  planInText,
  planNear,
  UsageError,
  type GivenPlan,
  type PlanContext,
} from '../../../app.ts';
import type { CliContext } from '../context.ts';
import { noMore } from './options.ts';
import { readStdin } from './stdin.ts';

/**
 * @param words a file name, or `-`
 * @throws UsageError `USAGE` for a missing file, `PLAN_INVALID`
 */
export async function planOf(frame: CliContext, words: readonly string[], context: PlanContext): Promise<GivenPlan> {
  const [word, ...rest] = words;
  if (word === undefined)
    throw new UsageError(
      'USAGE',
      'Which plan? For example `teams run plan.yaml`, or `teams run -` for one from stdin.',
    );
  noMore(rest);
  const plan = word === '-' ? planInText(await readStdin(frame.io), context) : planInFile(word, context);
  if (plan) return plan;
  throw missing(word, context.cwd);
}

function missing(word: string, cwd: string): UsageError {
  const near = planNear(word, cwd);
  if (near === undefined || looksLikePlan(word)) return missingPlan(word, cwd);
  return new UsageError(
    'USAGE',
    `There is no plan file ${JSON.stringify(word)} here; did you mean ${JSON.stringify(near)}?`,
  );
}
