/** `teams pipeline`: lists pipelines, shows one, copies one, or runs one. */
import * as z from 'zod';
import {
  ejectPipeline,
  listPipelines,
  pipelineGraph,
  pipelineNamed,
  resumeTeam,
  UsageError,
  type GivenPipeline,
} from '../../../../app.ts';
import type { CliContext } from '../../context.ts';
import { isolationFlag } from '../../input/asked-isolation.ts';
import { budgetFlags } from '../../input/limit-change.ts';
import { duration, flag, noMore, readOptions, text } from '../../input/options.ts';
import { detachRun, leadRun, sessionOf, type RunFlags } from '../../input/lead-run.ts';
import { teamOfPipeline } from '../../input/pipeline-team.ts';
import { refuseMembers } from '../../input/own-member.ts';
import { rootOf } from '../../input/root.ts';
import { settings } from '../../input/settings.ts';
import { readStdin } from '../../input/stdin.ts';
import { table } from '../../output/table.ts';
import type { Act } from '../../verb.ts';
import { progressOf } from './run.ts';

const schema = z.object({
  list: flag,
  graph: flag,
  eject: flag,
  agent: text,
  isolation: isolationFlag,
  apply: flag,
  timeout: duration,
  detach: flag,
  ...budgetFlags,
});
type Options = z.infer<typeof schema>;

export const act: Act = async (context, given) => {
  const options = readOptions(schema, given);
  const [name, ...words] = given.words;
  if (options.list || name === undefined) {
    if (!options.list) throw new UsageError('USAGE', 'Which pipeline? `teams pipeline --list` shows them.');
    noMore(given.words);
    return list(context);
  }
  if (options.eject) return eject(context, name, words);
  const pipeline = pipelineNamed(rootOf(context), name);
  for (const warning of pipeline.warnings) context.warn(warning);
  if (options.graph) {
    const { description, tasks } = pipeline.pipeline;
    context.result({ pipeline: pipeline.pipeline }, [description, '', ...pipelineGraph({ tasks })].join('\n'));
    return 0;
  }
  refuseMembers(context, 'run a pipeline');
  return run(context, pipeline, await requirementOf(context, words), options);
};

function list(context: CliContext): number {
  const pipelines = listPipelines(rootOf(context));
  const rows = pipelines.map(({ name, from, description, tasks, roles, problem }) => [
    name,
    from === 'project' ? 'yours' : 'shipped',
    ...(problem === undefined ? [`${tasks} tasks`, description, roles.join(', ')] : ['', `cannot be run: ${problem}`]),
  ]);
  context.result({ pipelines }, table(rows));
  return 0;
}

function eject(context: CliContext, name: string, [directory, ...more]: readonly string[]): number {
  noMore(more);
  const { cwd } = context.io;
  const { made, kept } = ejectPipeline(rootOf(context), name, directory === undefined ? undefined : { cwd, directory });
  for (const file of kept) context.warn(`${file} exists already and is not changed.`);
  context.result({ made, kept }, made.join('\n'));
  return made.length === 0 ? 1 : 0;
}

async function requirementOf(context: CliContext, words: readonly string[]): Promise<string> {
  const isPiped = words.length === 1 && words[0] === '-';
  const said = (isPiped ? await readStdin(context.io) : words.join(' ')).trim();
  const requirement = said === '' && context.isInteractive && !isPiped ? await asked() : said;
  if (requirement === '')
    throw new UsageError('USAGE', 'The requirement is missing: teams pipeline NAME "REQUIREMENT".');
  return requirement;
}

async function asked(): Promise<string> {
  const { question } = await import('../../input/confirm.ts');
  return (await question('What is the requirement?')).trim();
}

async function run(context: CliContext, given: GivenPipeline, requirement: string, options: Options): Promise<number> {
  const { session } = settings(context);
  const paths = await teamOfPipeline(context, given, requirement, options);
  const flags: RunFlags = { ...options, failFast: false, strict: false, takeover: false };
  if (options.detach) return detachRun(context, paths, flags);
  const lead = { ...sessionOf(session, flags), passesCheckpoints: context.flags.yes };
  return leadRun(context, paths, flags, (how) => resumeTeam(paths, lead, how), progressOf(context));
}
