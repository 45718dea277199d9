/** A run of a pipeline: creates its team, its session folder and all of its tasks before any process starts. */
import { join, relative } from 'node:path';
import type { AgentSpec } from '../../../model/agent/agent.ts';
import { timestamp } from '../../../model/text/clock.ts';
import { codeOf } from '../../../model/text/errors.ts';
import type { Change } from '../../../model/board/event.ts';
import { LEAD, parseName } from '../../../model/text/names.ts';
import type { Pipeline, PipelineTask } from '../../../model/pipeline/pipeline-definition.ts';
import { slug } from '../../../model/text/slug.ts';
import { newTaskSchema } from '../../../model/board/task.ts';
import { defined } from '../../../model/text/defined.ts';
import { teamPaths, type TeamPaths } from '../../../store/files/paths.ts';
import { keepFile } from '../../../store/session/session-folder.ts';
import { realClock } from '../../../os/system-clock.ts';
import { roleFile, type MemberInput } from '../../team/membership.ts';
import type { GivenPipeline, GivenRole } from './pipeline-shelf.ts';
import { treesFor, type SaidOfTrees } from '../trees-for.ts';
import { makeTeam, type OpenOptions } from '../../team/team-handle.ts';

interface PipelineRun {
  readonly given: GivenPipeline;
  readonly requirement: string;
  readonly agent: AgentSpec;
  /** Agents that subagents may use, besides `agent`. */
  readonly subagents: readonly AgentSpec[];
  /** The working directory of the agents. */
  readonly cwd: string;
  readonly isolation?: SaidOfTrees | undefined;
}

interface NamedRun extends PipelineRun {
  readonly trees: 'trees' | undefined;
}

/** Characters of a requirement in a team's name; the date must fit, too. */
const SLUG = 44;
/** More sessions with one name on one day count as a mistake. */
const MOST_TWINS = 100;

/**
 * The session id, `TLS-<slug>-<date>` (docs/specification.md R10.3). The team's name is its lower case. Another session
 * of the same day with this name gets a number.
 */
function sessionId(requirement: string, now: number, twin: number): string {
  const words = slug(requirement.slice(0, SLUG), parseName('team', 'session')).slice(0, SLUG).replace(/-+$/, '');
  return `TLS-${words}-${timestamp(now).slice(0, 10)}${twin === 1 ? '' : `-${twin}`}`;
}

/**
 * Creates the team of a pipeline, with its tasks; starts nothing.
 *
 * @throws ConflictError `TEAM_EXISTS` after a hundred of one name; AgentError `NO_ISOLATION`; StoreError
 */
export async function makePipelineTeam(run: PipelineRun, options: OpenOptions): Promise<TeamPaths> {
  const members = run.given.roles.map(({ spec }) => ({ role: spec.name, ...readOnlyOf(spec) }));
  const isolation = await treesFor({ members }, run.isolation, { cwd: run.cwd, root: options.root });
  for (let twin = 1; ; twin += 1) {
    try {
      return await makeNamed({ ...run, trees: isolation }, sessionId(run.requirement, realClock.now(), twin), options);
    } catch (error) {
      if (codeOf(error) !== 'TEAM_EXISTS' || twin >= MOST_TWINS) throw error;
    }
  }
}

async function makeNamed(run: NamedRun, id: string, options: OpenOptions): Promise<TeamPaths> {
  const { given, requirement, agent, cwd } = run;
  const { pipeline, roles } = given;
  const name = parseName('team', id.toLowerCase());
  const { folder } = teamPaths(options.root, name);
  const team = makeTeam(
    name,
    {
      profile: 'pipeline',
      members: roles.map((role) => memberOf(role, agent)),
      cwd,
      isolation: run.trees,
      trees: run.isolation?.needs,
      asked: { requirement, pipeline: pipeline.name, subagents: run.subagents.map((spec) => ({ ...spec })) },
      changes: changesOf(pipeline, (artifact) => relative(cwd, join(folder, artifact))),
    },
    options,
  );
  // Write the files before anything starts: a role without its file reports that, and stops.
  for (const { spec, text } of roles) keepFile(team.store.disk, join(folder, roleFile(spec.name)), text);
  await team.store.close();
  return team.paths;
}

const memberOf = ({ spec }: GivenRole, agent: AgentSpec): MemberInput => ({
  name: spec.name,
  role: spec.name,
  prefixes: spec.prefixes,
  roleSpec: roleFile(spec.name),
  agent: spec.tier === undefined || agent.kind === 'exec' ? agent : { tier: spec.tier, ...agent },
  ...readOnlyOf(spec),
});

const readOnlyOf = ({ readOnly }: GivenRole['spec']): Pick<MemberInput, 'sandbox'> =>
  readOnly ? { sandbox: 'read-only' } : {};

/** @param place the path of a session's artifact, as agents name it */
function changesOf({ tasks }: Pipeline, place: (artifact: string) => string): Change[] {
  const ids = new Map(tasks.map(({ code }, at) => [code, String(at + 1)]));
  return tasks.map((task, at): Change => ({
    type: 'task.created',
    task: String(at + 1),
    fields: fieldsOf(task, ids, place),
  }));
}

const fieldsOf = (
  { code, role, subject, description, after, artifact, discuss, fix, timeoutMs, retries }: PipelineTask,
  ids: ReadonlyMap<string, string>,
  place: (artifact: string) => string,
) =>
  newTaskSchema.parse({
    subject: `${code} ${subject}`,
    description,
    retries,
    blockedBy: after.flatMap((one) => ids.get(one) ?? []),
    ...(role === null ? { owner: LEAD } : { owner: role, role }),
    metadata: {
      ...(role === null ? { _checkpoint: true } : {}),
      ...defined({ _discuss: discuss, _fix: fix?.length === 1 ? fix[0] : fix && [...fix] }),
    },
    work: {
      ...(role === null ? {} : { timeoutMs }),
      artifact: artifact === undefined ? undefined : place(artifact),
    },
  });
