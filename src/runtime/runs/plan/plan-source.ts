/** Where a plan comes from: a file, or a text from stdin. */
import { dirname, isAbsolute, resolve } from 'node:path';
import type { AgentSpec } from '../../../model/agent/agent.ts';
import { didYouMean, nearest } from '../../../model/text/did-you-mean.ts';
import { UsageError } from '../../../model/text/errors.ts';
import { parsePlan, reviewedBy, withAgent, type Plan } from '../../../model/plan/plan.ts';
import { DEFAULT_MAX_MEMBERS } from '../../../model/plan/plan-limits.ts';
import type { KeptPlan } from '../../../store/board/plan-record.ts';
import { fileNames, isDirectory, readUserText } from '../../../store/user/user-file.ts';
import type { PlannedFrom } from './planned-team.ts';

export interface GivenPlan {
  readonly plan: Plan;
  /** How to make its team, with the plan's text as it was given. */
  readonly from: PlannedFrom & { readonly kept: KeptPlan };
}

export interface PlanContext {
  readonly cwd: string;
  readonly vars: Readonly<Record<string, string>>;
  readonly agents: ReadonlyMap<string, AgentSpec>;
  readonly defaultAgent?: AgentSpec | undefined;
  readonly reviewer?: AgentSpec | undefined;
  /** The most members; without it as many as without a configuration. */
  readonly maxMembers?: number | undefined;
}

/** A plan whose members without an agent get this one, also after a resume. */
export const withDefaultAgent = ({ plan, from }: GivenPlan, agent: AgentSpec): GivenPlan => ({
  plan: withAgent(plan, agent),
  from: { ...from, kept: { ...from.kept, agent } },
});

const PLAN_FILE = /\.(?:ya?ml|json)$/i;

/** Whether a word looks like the name of a plan file. The file need not exist. */
export const looksLikePlan = (word: string): boolean =>
  PLAN_FILE.test(word) || (word.includes('/') && !/\s/.test(word));

/** A plan file with a similar name, `plan.yaml` for `plan`; undefined if there is none. */
export function planNear(word: string, cwd: string): string | undefined {
  const plans = fileNames(cwd).filter((file) => PLAN_FILE.test(file));
  return plans.find((file) => file.replace(PLAN_FILE, '') === word) ?? nearest(word, plans);
}

/**
 * Reads and checks the plan in a file. A relative `cwd` in it is relative to the file's directory.
 *
 * @returns undefined if the file does not exist
 * @throws UsageError `PLAN_INVALID` with every mistake
 */
export function planInFile(file: string, context: PlanContext): GivenPlan | undefined {
  const path = resolve(context.cwd, file);
  const text = readUserText(path, 'PLAN_INVALID', file);
  return text === undefined ? undefined : given({ text, file, planDir: dirname(path) }, context);
}

/**
 * The same for a text, whose directory is the working directory.
 *
 * @param file the name in errors
 */
export const planInText = (text: string, context: PlanContext, file = '-'): GivenPlan =>
  given({ text, file, planDir: context.cwd }, context);

/** Whether these words name a plan; the plan may be missing. */
export function isPlanWord([word, ...rest]: readonly string[], cwd: string): boolean {
  if (word === undefined || /\s/.test(word)) return false;
  // `teams run one.yaml two.yaml` is no task in words.
  if (rest.length > 0) return PLAN_FILE.test(word) && fileNames(cwd).includes(word);
  return word === '-' || looksLikePlan(word) || planNear(word, cwd) !== undefined || fileNames(cwd).includes(word);
}

/** The error for a plan file that does not exist. */
export function missingPlan(word: string, cwd: string): UsageError {
  const directory = dirname(resolve(cwd, word));
  const prefix = word.slice(0, word.lastIndexOf('/') + 1);
  const plans = fileNames(directory).filter((file) => PLAN_FILE.test(file));
  const known = plans.map((file) => `${prefix}${file}`);
  return new UsageError('USAGE', `There is no plan file ${JSON.stringify(word)} here${didYouMean(word, known)}`);
}

function given(
  { text, file, planDir }: { text: string; file: string; planDir: string },
  context: PlanContext,
): GivenPlan {
  const { cwd, vars, agents, defaultAgent, reviewer, maxMembers = DEFAULT_MAX_MEMBERS } = context;
  const format = /\.json$/i.test(file) ? 'json' : 'yaml';
  const plan = reviewedBy(parsePlan({ text, file, format }, vars, agents, defaultAgent), reviewer);
  const count = plan.members.length;
  if (count > maxMembers)
    throw new UsageError(
      'PLAN_INVALID',
      `${file}: The plan has ${count} members, and "maxMembers" of the configuration is ${maxMembers}: set TEAMS_MAX_MEMBERS=${count}, or maxMembers there.`,
    );
  const work = plan.cwd === undefined ? cwd : isAbsolute(plan.cwd) ? plan.cwd : resolve(planDir, plan.cwd);
  if (!isDirectory(work)) throw new UsageError('PLAN_INVALID', `${file}: "cwd" is ${work}, which is not a directory.`);
  const kept: KeptPlan = {
    file,
    format,
    text,
    vars: { ...vars },
    agent: defaultAgent,
    reviewer,
  };
  return { plan, from: { cwd: work, planDir, kept } };
}
