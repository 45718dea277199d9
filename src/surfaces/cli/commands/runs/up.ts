/** `teams up`: a changed plan, compared with its team, and carried out if the person agrees. */
import * as z from 'zod';
import {
  carryOutUpdate,
  compareWithTeam,
  differenceLines,
  differenceSummary,
  earlierPlanOf,
  findTeam,
  finishUpdate,
  isLed,
  isSamePlan,
  lostWork,
  openHandle,
  parseName,
  UsageError,
  type Name,
  type TeamHandle,
  type TeamUpdate,
} from '../../../../app.ts';
import { fail } from '../../cli-failure.ts';
import type { CliContext } from '../../context.ts';
import { confirmed } from '../../input/confirm.ts';
import { flag, noMore, readOptions, text, texts } from '../../input/options.ts';
import { refuseMembers } from '../../input/own-member.ts';
import { readyPlan } from '../../input/plan-team.ts';
import { rootOf } from '../../input/root.ts';
import { settings } from '../../input/settings.ts';
import { chooseTeam, warnIfCopied } from '../../input/team-choice.ts';
import type { Act } from '../../verb.ts';

const schema = z.object({
  agent: text,
  name: text,
  var: texts,
  dryRun: flag,
  detailedExitcode: flag,
  back: flag,
});
type Options = z.infer<typeof schema>;

/** The exit code of `--detailed-exitcode` if something changes. */
const CHANGES = 2;

export const act: Act = async (context, given) => {
  const options = readOptions(schema, given);
  refuseMembers(context, 'change the plan of its team');
  try {
    const isChanged = await up(context, given.words, options);
    return isChanged && options.detailedExitcode ? CHANGES : 0;
  } catch (error) {
    if (!options.detailedExitcode) throw error;
    fail(error, context.flags, context.io);
    return 1;
  }
};

/** @returns whether something changes, or would */
async function up(context: CliContext, words: readonly string[], options: Options): Promise<boolean> {
  const { agents, open } = settings(context);
  const given = options.back ? undefined : await readyPlan(context, words, { agent: options.agent, var: options.var });
  const team = given === undefined ? teamBack(context, words) : teamOf(context, given.plan.name, options);
  await using handle = openHandle(team, open);
  const update = compareWithTeam(handle, given ?? earlierPlanOf(handle, agents), agents, options.back);
  const { difference } = update;
  const said = { team, ...jsonOf(update) };
  const shown = shownText(team, update);
  const isSame = isSamePlan(difference);
  if (isSame && !options.dryRun) await finishUpdate(handle, update, agents);
  if (isSame || options.dryRun) {
    context.result({ ...said, applied: false }, shown);
    return !isSame;
  }
  context.info(shown);
  if (await confirmed(context, questionOf(update))) {
    await carryOutUpdate(handle, update, agents);
    context.result({ ...said, applied: true }, doneText(handle));
  } else context.result({ ...said, applied: false }, 'Nothing was changed.');
  return true;
}

function teamBack(context: CliContext, words: readonly string[]): Name {
  const { team, words: rest } = chooseTeam(context, words);
  noMore(rest);
  return team.name;
}

/** @throws UsageError `UNKNOWN_TEAM` */
function teamOf(context: CliContext, planned: Name, { name }: Options): Name {
  const wanted = name === undefined ? planned : parseName('team', name);
  const team = findTeam(rootOf(context), wanted);
  if (team === undefined || team.archivedAt !== undefined)
    throw new UsageError(
      'UNKNOWN_TEAM',
      `There is no team ${wanted} whose plan could change; \`teams run\` makes it, and --name chooses another team.`,
    );
  warnIfCopied(context, team.paths);
  return wanted;
}

function shownText(team: Name, { difference }: TeamUpdate): string {
  const lines = differenceLines(difference).map((line) => `  ${line}`);
  if (lines.length === 0) return `Nothing changes: team ${team} is as the plan says.`;
  return [`Team ${team}`, ...lines, differenceSummary(difference)].join('\n');
}

function questionOf({ difference }: TeamUpdate): string {
  const lost = lostWork(difference);
  return lost.length === 0 ? 'Change the team so?' : `This loses ${lost.join(', ')}. Change the team so?`;
}

function doneText({ name, store }: TeamHandle): string {
  const back = `\`teams up --back ${name}\` takes it back.`;
  return isLed(store)
    ? `Team ${name} goes on with the changed plan; ${back}`
    : `The plan of team ${name} is changed; \`teams resume ${name}\` carries it out, ${back}`;
}

const jsonOf = ({ difference: { members, tasks, settings: keys } }: TeamUpdate) => ({
  members: members.map((one) => ({
    change: one.kind,
    name: one.name,
    what: one.kind === 'changed' ? one.what : [],
    why: one.kind === 'kept' ? one.why : null,
  })),
  tasks: tasks.map((one) => ({
    change: one.kind,
    id: 'id' in one ? one.id : null,
    subject: one.subject,
    what: one.kind === 'changed' ? one.what : [],
    retried: one.kind === 'changed' && one.isRetried,
    lost: one.kind === 'removed' ? (one.by ?? null) : null,
    why: one.kind === 'kept' ? one.why : null,
  })),
  settings: keys,
});
