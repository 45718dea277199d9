/** A prompt of an editor as a run: a plan file is carried out, any other text is a task that a planner divides. */
import {
  archiveFinished,
  isPlanWord,
  openHandle,
  type Report,
  type RunOptions,
  type TeamHandle,
  type TeamPaths,
} from '../../../app.ts';
import { CliContext } from '../context.ts';
import { leadTeamOf, type RunFlags, type TeamToLead } from './lead-run.ts';
import { listAbandoned, readyPlan, replaceTeam, teamOfPlan } from './plan-team.ts';
import { rootOf } from './root.ts';
import { settings } from './settings.ts';
import { teamOfTask, type RemotePerson } from './task-team.ts';
import { warnIfCopied } from './team-choice.ts';

interface EditorFlags {
  readonly agent?: string | undefined;
  readonly planner?: string | undefined;
  readonly reviewer?: string | undefined;
  readonly maxCost?: number | undefined;
  readonly maxTokens?: number | undefined;
}

interface SpeakingPerson extends RemotePerson {
  say(text: string): void;
}

interface LeadableTeam {
  readonly paths: TeamPaths;
  open(): TeamHandle;
  lead(run: RunOptions): Promise<Report>;
  finish(report: Report): Promise<Report>;
}

export const editorWork = (context: CliContext, flags: EditorFlags) => ({
  async make(
    { text, cwd }: { readonly text: string; readonly cwd: string },
    person: SpeakingPerson,
  ): Promise<LeadableTeam | undefined> {
    const here = contextAt(context, cwd, (remark) => person.say(remark));
    const options = { ...flags, ...ALWAYS };
    const team = await teamOf(here, text, options, person);
    if (team === undefined) return undefined;
    return {
      paths: team.paths,
      open: () => openHandle(team.paths.name, settings(here).open),
      lead: (run) => leadTeamOf(here, team, options, run),
      finish: (report) => archiveFinished(team.paths, report, settings(here).session),
    };
  },
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

async function teamOf(
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
  const team = await teamOfTask(context, [text], undefined, options, putAway, person);
  if (team.kind === 'ended') return undefined;
  if (team.given === undefined) warnIfCopied(context, team.paths);
  listAbandoned(context, rootOf(context), team.paths.name);
  return team;
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
  return new CliContext(io, { ...context.flags, json: false });
}
