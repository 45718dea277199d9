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
import { excludeTeamFiles } from './git-exclude.ts';
import { settings } from './settings.ts';

/**
 * @param flag the value of `--agent`
 * @throws AgentError `AGENT_UNAVAILABLE`; UsageError `USAGE` without a working directory
 */
export async function teamOfPipeline(
  context: CliContext,
  given: GivenPipeline,
  requirement: string,
  flag: string | undefined,
): Promise<TeamPaths> {
  const agent = await agentFor(settings(context), context.io, flag, 'for the roles');
  const { cwd, environment } = context.io;
  if (!isDirectory(cwd)) throw new UsageError('USAGE', `${cwd} is not a directory.`);
  await requireAvailable(agent, 'every role', environment, cwd);
  excludeTeamFiles(context);
  // With --agent, no other agent is used.
  const subagents = flag === undefined ? await perspectiveAgents(agent, environment) : [];
  const paths = await makePipelineTeam({ given, requirement, agent, subagents, cwd }, settings(context).open);
  context.info(`Session ${paths.name}; after an interruption, \`teams resume ${paths.name}\` continues it.`);
  return paths;
}
