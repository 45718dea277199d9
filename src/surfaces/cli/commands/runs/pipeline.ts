/** `teams pipeline`: what there is, what one would do, a copy of one, or a run of it. */
import * as z from 'zod';
import {
  ejectPipeline,
  isDirectory,
  listPipelines,
  makePipelineTeam,
  mustBeAvailable,
  perspectiveAgents,
  pipelineGraph,
  pipelineNamed,
  resumeTeam,
  UsageError,
  type GivenPipeline,
} from '../../../../index.ts';
import { agentFor } from '../../input/default-agent.ts';
import { tellExcluded } from '../../input/git-exclude.ts';
import type { Frame } from '../../context.ts';
import { duration, flag, money, noMore, readOptions, text, wholeNumber } from '../../input/options.ts';
import { detachRun, leadRun, sessionOf, type RunFlags } from '../../input/lead-run.ts';
import { mustNotBeMember } from '../../input/own-member.ts';
import { rootOf } from '../../input/root.ts';
import { settings } from '../../input/settings.ts';
import { readStdin } from '../../input/stdin.ts';
import { table } from '../../output/table.ts';
import type { Act } from '../../verb.ts';
import { progressOf } from './run.ts';

const schema = z.object({
  ...{ list: flag, graph: flag, eject: flag, agent: text, timeout: duration, detach: flag },
  ...{ maxCost: money, maxTokens: wholeNumber },
});
type Options = z.infer<typeof schema>;

export const act: Act = async (frame, given) => {
  const options = readOptions(schema, given);
  const [name, ...words] = given.words;
  if (options.list || name === undefined) {
    if (!options.list) throw new UsageError('USAGE', 'Which pipeline? `teams pipeline --list` shows them.');
    noMore(given.words);
    return list(frame);
  }
  if (options.eject) return eject(frame, name, words);
  const pipeline = pipelineNamed(rootOf(frame), name);
  for (const warning of pipeline.warnings) frame.warn(warning);
  if (options.graph) {
    const { description, tasks } = pipeline.pipeline;
    frame.answer({ pipeline: pipeline.pipeline }, [description, '', ...pipelineGraph({ tasks })].join('\n'));
    return 0;
  }
  mustNotBeMember(frame, 'runs a pipeline of its own');
  return run(frame, pipeline, await requirementOf(frame, words), options);
};

function list(frame: Frame): number {
  const pipelines = listPipelines(rootOf(frame));
  const rows = pipelines.map(({ name, from, description, tasks, roles, problem }) => [
    name,
    from === 'project' ? 'yours' : 'shipped',
    ...(problem === undefined ? [`${tasks} tasks`, description, roles.join(', ')] : ['', `cannot be run: ${problem}`]),
  ]);
  frame.answer({ pipelines }, table(rows));
  return 0;
}

function eject(frame: Frame, name: string, [directory, ...more]: readonly string[]): number {
  noMore(more);
  const { cwd } = frame.outside;
  const { made, kept } = ejectPipeline(rootOf(frame), name, directory === undefined ? undefined : { cwd, directory });
  for (const file of kept) frame.warn(`${file} is there already and stays as it is.`);
  frame.answer({ made, kept }, made.join('\n'));
  return made.length === 0 ? 1 : 0;
}

async function requirementOf(frame: Frame, words: readonly string[]): Promise<string> {
  const isPiped = words.length === 1 && words[0] === '-';
  const said = (isPiped ? await readStdin(frame.outside) : words.join(' ')).trim();
  const requirement = said === '' && frame.isInteractive && !isPiped ? await asked() : said;
  if (requirement === '')
    throw new UsageError('USAGE', 'There is no requirement; say what is wanted: teams pipeline NAME "REQUIREMENT".');
  return requirement;
}

async function asked(): Promise<string> {
  const { question } = await import('../../input/confirm.ts');
  return (await question('What is wanted?')).trim();
}

async function run(frame: Frame, given: GivenPipeline, requirement: string, options: Options): Promise<number> {
  const { session, open } = settings(frame);
  const agent = await agentFor(settings(frame), frame.outside, options.agent, 'for the roles');
  await mustBeAvailable(agent, 'every role', frame.outside.environment);
  const { cwd } = frame.outside;
  if (!isDirectory(cwd)) throw new UsageError('USAGE', `${cwd} is not a directory.`);
  tellExcluded(frame);
  // Who named an agent gets no other.
  const subagents = options.agent === undefined ? await perspectiveAgents(agent, frame.outside.environment) : [];
  const paths = await makePipelineTeam({ given, requirement, agent, subagents, cwd }, open);
  frame.say(`Session ${paths.name}; \`teams resume ${paths.name}\` goes on with it whatever happens.`);
  const flags: RunFlags = { ...options, failFast: false, strict: false, takeover: false };
  if (options.detach) return detachRun(frame, paths, flags);
  const lead = { ...sessionOf(session, flags), passesCheckpoints: frame.flags.yes };
  return leadRun(frame, paths, flags, (how) => resumeTeam(paths, lead, how), progressOf(frame));
}
