/** `teams pipeline NAME "REQUIREMENT"`: from the requirement to the team that carries it out. */
import {
  isDirectory,
  makePipelineTeam,
  perspectiveAgents,
  requireAvailable,
  UsageError,
  type GivenPipeline,
  type TeamPaths,
} from '../../../app.ts';
import type { CliContext } from '../context.ts';
import { agentFor } from './default-agent.ts';
import { askedIsolationOf, type IsolationFlag } from './asked-isolation.ts';
import { excludeTeamFiles } from './git-exclude.ts';
import { settings } from './settings.ts';

interface PipelineFlags extends IsolationFlag {
  readonly agent?: string | undefined;
}

/**
 * @throws AgentError `AGENT_UNAVAILABLE`; UsageError `USAGE` without a working directory; `NO_ISOLATION`
 */
export async function teamOfPipeline(
  context: CliContext,
  given: GivenPipeline,
  requirement: string,
  flags: PipelineFlags,
): Promise<TeamPaths> {
  const { agent: flag } = flags;
  const agent = await agentFor(settings(context), context.io, flag, 'for the roles');
  const { cwd, environment } = context.io;
  if (!isDirectory(cwd)) throw new UsageError('USAGE', `${cwd} is not a directory.`);
  await requireAvailable(agent, 'every role', environment, cwd);
  // With --agent, no other agent is used.
  const subagents = flag === undefined ? await perspectiveAgents(agent, environment) : [];
  const isolation = askedIsolationOf(context, flags);
  const paths = await makePipelineTeam(
    { given, requirement, agent, subagents, cwd, isolation },
    settings(context).open,
  );
  excludeTeamFiles(context);
  context.info(`Session ${paths.name}; after an interruption, \`teams resume ${paths.name}\` continues it.`);
  return paths;
}
