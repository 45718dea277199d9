/** The plan that `run` and `validate` are about: a file, stdin, or words that are no plan at all. */
import {
  AgentError,
  looksLikePlan,
  missingPlan,
  planInFile,
  planInText,
  planNear,
  UsageError,
  type GivenPlan,
  type PlanContext,
} from '../../index.ts';
import type { Frame } from './frame.ts';
import { readStdin } from './stdin.ts';

/**
 * @param words a file or `-`; a task's text needs a model agent to make a plan of it
 * @throws UsageError `USAGE` for a file that is not there, `PLAN_INVALID`; AgentError `AGENT_UNAVAILABLE` for a text
 */
export async function planOf(frame: Frame, words: readonly string[], context: PlanContext): Promise<GivenPlan> {
  const [word, ...rest] = words;
  if (word === undefined)
    throw new UsageError(
      'USAGE',
      'Which plan? For example `teams run plan.yaml`, or `teams run -` for one from stdin.',
    );
  if (rest.length === 0) {
    const plan = word === '-' ? planInText(await readStdin(frame.outside), context) : planInFile(word, context);
    if (plan) return plan;
    if (looksLikePlan(word) || planNear(word, context.cwd) !== undefined) throw missing(word, context.cwd);
  }
  throw new AgentError(
    'AGENT_UNAVAILABLE',
    `A plan for ${JSON.stringify(words.join(' '))} would be made by a planner, which this version does not have yet; write the plan into a file and run that.`,
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
