/** `teams run`: a plan, carried out. */
import * as z from 'zod';
import {
  abandonedRuns,
  choose,
  closeTeam,
  describePlan,
  makePlannedTeam,
  meet,
  parseAgentFlag,
  parseName,
  resumeTeam,
  runTeam,
  UsageError,
  type Choice,
  type GivenPlan,
  type Name,
  type RunOptions,
  type TeamPaths,
} from '../../../index.ts';
import { defaultAgent, mustHaveAgents } from '../default-agent.ts';
import { tellExcluded } from '../excluding.ts';
import type { Frame } from '../frame.ts';
import { duration, flag, money, readOptions, wholeNumber, text, texts } from '../given.ts';
import { detachRun, leadRun, sessionOf, type RunFlags, type ShowProgress } from '../lead-run.ts';
import { mustNotBeMember } from '../own-member.ts';
import { planOf } from '../plan-words.ts';
import { rootOf } from '../root.ts';
import { settings } from '../settings.ts';
import { parseVars } from '../vars.ts';
import type { Act } from '../verb.ts';

const schema = z.object({
  ...{ agent: text, reviewer: text, name: text, var: texts, timeout: duration },
  ...{ maxCost: money, maxTokens: wholeNumber },
  ...{ failFast: flag, strict: flag, detach: flag, takeover: flag, dryRun: flag, resume: flag, fresh: flag },
});
type Options = z.infer<typeof schema>;

export const act: Act = async (frame, given) => {
  const options = readOptions(schema, given);
  if (options.resume && options.fresh)
    throw new UsageError('USAGE', '--resume goes on and --fresh begins anew; give one of them.');
  if (!options.dryRun) mustNotBeMember(frame, 'runs a plan of its own');
  const { agents, ...rest } = settings(frame);
  const agent = defaultAgent({ agents, ...rest }, options.agent);
  const plan = await planOf(frame, given.words, {
    cwd: frame.outside.cwd,
    vars: parseVars(options.var),
    agents,
    defaultAgent: agent,
    reviewer: options.reviewer === undefined ? undefined : parseAgentFlag(options.reviewer, agents),
  });
  const name = options.name === undefined ? plan.plan.name : parseName('team', options.name);
  if (options.dryRun) {
    const named = { ...plan.plan, name };
    frame.answer({ plan: named }, describePlan(named));
    return 0;
  }
  await mustHaveAgents(plan.plan, frame.outside);
  return carryOut(frame, plan, name, options);
};

async function carryOut(frame: Frame, given: GivenPlan, name: Name, options: Options): Promise<number> {
  const root = rootOf(frame);
  const { agents, session } = settings(frame);
  const asked = options.resume ? 'resume' : options.fresh ? 'fresh' : undefined;
  const choice = choose(name, meet(root, name, given.plan, agents), asked, options.takeover);
  tellOthers(frame, root, name);
  const paths = await prepare(frame, choice, given, name, options);
  if (options.detach) return detachRun(frame, paths, options);
  const lead = (run: RunOptions) =>
    choice.do === 'resume'
      ? resumeTeam(paths, sessionOf(session, options), run, agents)
      : runTeam(paths, given.plan, sessionOf(session, options), run);
  return leadRun(frame, paths, options, lead, progressOf(frame));
}

/** The team of the run, on disk. */
async function prepare(
  frame: Frame,
  choice: Choice,
  { plan, from }: GivenPlan,
  name: Name,
  flags: RunFlags,
): Promise<TeamPaths> {
  const { session, open } = settings(frame);
  if (choice.do === 'resume') {
    frame.say(`Going on with the unfinished team ${name}.`);
    return choice.paths;
  }
  if (choice.do === 'replace') {
    await closeTeam(choice.paths, { purpose: 'delete', force: true }, sessionOf(session, flags));
    frame.say(`The earlier team ${name} was put into the archive.`);
  }
  tellExcluded(frame);
  return makePlannedTeam({ ...plan, name }, from, open);
}

function tellOthers(frame: Frame, root: string, name: Name): void {
  for (const other of abandonedRuns(root, name))
    frame.say(`Team ${other} is unfinished and has no lead; \`teams resume ${other}\` goes on with it.`);
}

/** A live view on a terminal, else plain lines. */
export const progressOf =
  (frame: Frame): ShowProgress =>
  async (paths) => {
    const { startProgress } = await import('../../terminal/main.ts');
    const { stderr, environment } = frame.outside;
    return startProgress(paths, { stream: stderr, environment, color: frame.flags.color });
  };
