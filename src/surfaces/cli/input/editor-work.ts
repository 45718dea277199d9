/**
 * A prompt of an editor as a verb of the command line, by the mode of its session. The modes are the profiles of teams,
 * with one for each pipeline.
 */
import {
  archiveFinished,
  chooseAgent,
  isPlanWord,
  isTeamError,
  listPipelines,
  notEnforcedText,
  openHandle,
  parseName,
  pipelineNamed,
  planHash,
  planInText,
  relayOnce,
  resumeTeam,
  AUTO,
  type GivenPlan,
  type Prices,
  type Report,
  type RunOptions,
  type TeamHandle,
  type TeamPaths,
} from '../../../app.ts';
import { CliContext } from '../context.ts';
import { isStoreNamed, useStore } from '../named-store.ts';
import { configuredIsolation } from './asked-isolation.ts';
import { chooseDefaultAgent, defaultAgent, requireAgents } from './default-agent.ts';
import { leadTeamOf, sessionOf, type RunFlags, type TeamToLead } from './lead-run.ts';
import { teamOfPipeline } from './pipeline-team.ts';
import { listAbandoned, readyPlan, replaceTeam, teamOfPlan } from './plan-team.ts';
import { refinePlace } from './refine-place.ts';
import { rootOf } from './root.ts';
import { settings } from './settings.ts';
import { teamOfTask, type RemotePerson } from './task-team.ts';
import type { BudgetFlags } from './limit-change.ts';
import { warnIfCopied } from './team-choice.ts';

interface EditorFlags extends BudgetFlags {
  readonly agent?: string | undefined;
  readonly planner?: string | undefined;
  readonly reviewer?: string | undefined;
}

interface SpeakingPerson extends RemotePerson {
  say(text: string): void;
}

interface LeadableTeam {
  readonly paths: TeamPaths;
  readonly isContinuedByPrompt: boolean;
  readonly prices: Prices | undefined;
  readonly maxTokens: number | undefined;
  open(): TeamHandle;
  lead(run: RunOptions): Promise<Report>;
  finish(report: Report): Promise<Report>;
}

/** What a prompt asks for, and how. */
interface Asked {
  readonly text: string;
  readonly cwd: string;
  readonly mode: string;
}

const PIPELINE = 'pipeline-';

const MODES = [
  {
    id: 'forge',
    name: 'Team',
    description: 'A planner divides the task, you approve it, members do it. Also a plan file.',
  },
  { id: 'v8', name: 'One member', description: 'One member does the task, without a planner.' },
  { id: 'relay', name: 'Ask', description: 'One agent answers, and only reads.' },
];

export const editorWork = (context: CliContext, flags: EditorFlags, relays: EditorRelays) => ({
  /** A project whose files cannot be read has no pipelines; a prompt there says why. */
  modes(cwd: string) {
    return [...MODES, ...pipelineModes(contextAt(context, cwd, () => {}))];
  },
  async make(
    { text, cwd, mode }: Asked,
    person: SpeakingPerson,
  ): Promise<LeadableTeam | { readonly answer: string } | undefined> {
    const here = contextAt(context, cwd, (remark) => person.say(remark));
    if (mode !== 'relay') await relays.useStoreOf(here);
    const options: PromptOptions = { ...flags, ...ALWAYS };
    if (mode === 'relay') return answerTo(here, text, options, person);
    if (mode.startsWith(PIPELINE)) return pipelineTeam(here, mode.slice(PIPELINE.length), text, options);
    const team = mode === 'v8' ? await memberTeam(here, text, options) : await dividedTeam(here, text, options, person);
    return team && leadable(here, team.paths, options, true, (run) => leadTeamOf(here, team, options, run));
  },
});

/** The relays of the stores that sessions work in, one for each store. */
export class EditorRelays implements Disposable {
  readonly #kept = new Map<string, Disposable>();

  /** The store that counts in the directory of a session: that of the editor's command, or of the configuration there. */
  async useStoreOf(context: CliContext): Promise<void> {
    const relay = await useStore(context, { name: 'acp' });
    const root = context.store?.root;
    if (relay === undefined || root === undefined) return;
    this.#kept.get(root)?.[Symbol.dispose]();
    this.#kept.set(root, relay);
  }

  [Symbol.dispose](): void {
    for (const relay of this.#kept.values()) relay[Symbol.dispose]();
  }
}

/** None in a store, where no pipeline runs. */
function pipelineModes(context: CliContext): typeof MODES {
  try {
    if (isStoreNamed(context)) return [];
    return listPipelines(rootOf(context)).flatMap(({ name, description, problem }) =>
      problem === undefined ? [{ id: `${PIPELINE}${name}`, name: `Pipeline ${name}`, description }] : [],
    );
  } catch (error) {
    if (isTeamError(error)) return [];
    throw error;
  }
}

const leadable = (
  context: CliContext,
  paths: TeamPaths,
  flags: RunFlags,
  isContinuedByPrompt: boolean,
  lead: LeadableTeam['lead'],
): LeadableTeam => ({
  paths,
  isContinuedByPrompt,
  prices: settings(context).merged.config.prices,
  maxTokens: flags.maxTokens ?? settings(context).merged.config.budget.tokens,
  open: () => openHandle(paths.name, settings(context).open),
  lead,
  finish: (report) => archiveFinished(paths, report, settings(context).session),
});

/** A prompt has no flags of its own. */
const ALWAYS = {
  var: [],
  dryRun: false,
  resume: false,
  fresh: false,
  failFast: false,
  strict: false,
  takeover: false,
} as const;

type PromptOptions = EditorFlags & RunFlags & typeof ALWAYS;

/** As `teams run`: a plan file is carried out, any other text is a task that a planner divides. */
async function dividedTeam(
  context: CliContext,
  text: string,
  options: PromptOptions,
  person: SpeakingPerson,
): Promise<TeamToLead | undefined> {
  if (isPlanWord([text], context.io.cwd)) {
    const plan = await readyPlan(context, [text], options);
    return teamOfPlan(context, plan, plan.plan.name, options);
  }
  const putAway = (paths: TeamPaths): Promise<void> => replaceTeam(context, paths, options);
  // An editor shows the files that change: trees, whose work must be applied, only where they are configured.
  const isolation = configuredIsolation(context).configured === 'trees' ? 'trees' : 'off';
  const team = await teamOfTask(context, [text], undefined, { ...options, isolation }, putAway, person);
  if (team.kind === 'ended') return undefined;
  if (team.given === undefined) warnIfCopied(context, team.paths);
  listAbandoned(context, rootOf(context), team.paths.name);
  return team;
}

const SUBJECT = 120;

/** A plan with one task and one member. Its name comes from its words, so that the same words continue it. */
async function memberTeam(context: CliContext, text: string, options: PromptOptions): Promise<TeamToLead> {
  const here = settings(context);
  const [line = ''] = text.trim().split('\n', 1);
  const plan = {
    name: 'task',
    profile: 'v8',
    members: [{ name: 'worker-1' }],
    tasks: [{ subject: line.slice(0, SUBJECT), owner: 'worker-1', prompt: text }],
  };
  const written = planInText(
    `${JSON.stringify(plan, null, 2)}\n`,
    {
      cwd: context.io.cwd,
      vars: {},
      agents: here.agents,
      defaultAgent: defaultAgent(here, options.agent),
      maxMembers: here.merged.config.maxMembers,
    },
    'prompt.json',
  );
  const given: GivenPlan = await chooseDefaultAgent(written, here, context.io);
  await requireAgents(given, context.io);
  return teamOfPlan(context, given, parseName('team', `task-${planHash(given.plan).slice(0, 12)}`), options);
}

/** As `teams pipeline`. */
async function pipelineTeam(
  context: CliContext,
  name: string,
  requirement: string,
  options: PromptOptions,
): Promise<LeadableTeam> {
  const pipeline = pipelineNamed(rootOf(context), name);
  for (const warning of pipeline.warnings) context.warn(warning);
  const paths = await teamOfPipeline(context, pipeline, requirement, { agent: options.agent });
  const { session } = settings(context);
  const lead = { ...sessionOf(session, options), passesCheckpoints: context.flags.yes };
  return leadable(context, paths, options, false, (run) => resumeTeam(paths, lead, run));
}

/** As `teams relay`, with the agent of members. */
async function answerTo(
  context: CliContext,
  prompt: string,
  { agent, ...limits }: PromptOptions,
  { stop }: SpeakingPerson,
): Promise<{ readonly answer: string } | undefined> {
  const { merged } = settings(context);
  const named = agent ?? merged.config.defaultAgent;
  const chosen = named === AUTO ? await chooseAgent(merged.config, context.io.environment) : undefined;
  const to = typeof chosen === 'object' ? chosen.kind : named;
  const answer = await relayOnce(
    {
      to,
      prompt,
      includeDiff: false,
      sandbox: 'read-only',
      isAsked: false,
      onNotEnforced: (told) => context.warn(`not enforced: ${notEnforcedText(told)}`),
    },
    refinePlace(context, undefined, limits),
    stop,
  );
  return answer === undefined ? undefined : { answer };
}

/** The command line in another directory, whose remarks go to the person. The streams are the protocol's. */
function contextAt(context: CliContext, cwd: string, say: (remark: string) => void): CliContext {
  const { environment, gone } = context.io;
  const remarks = { write: say };
  const stdin = {
    async *[Symbol.asyncIterator](): AsyncGenerator<string> {
      yield* await Promise.resolve([]);
    },
  };
  const io = { stdin, stdout: remarks, stderr: remarks, environment, cwd, gone };
  const made = new CliContext(io, { ...context.flags, json: false });
  made.trust = context.trust;
  return made;
}
