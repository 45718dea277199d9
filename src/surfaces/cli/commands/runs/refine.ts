/** `teams refine`: runs the do–review–decide loop, from a task to its synthesis. */
import * as z from 'zod';
import {
  findTeam,
  parseName,
  parseRounds,
  refineAt,
  refineRequest,
  sandboxSchema,
  UsageError,
  type RefineAsk,
} from '../../../../app.ts';
import { Interrupts } from '../../interrupts.ts';
import { excludeTeamFiles } from '../../input/git-exclude.ts';
import type { CliContext } from '../../context.ts';
import { isolationFlag } from '../../input/asked-isolation.ts';
import { applyAtEnd } from '../../input/apply-work.ts';
import { duration, flag, readOptions, text, texts } from '../../input/options.ts';
import { freeTerminal } from '../../output/lead-terminal.ts';
import { budgetFlags } from '../../input/limit-change.ts';
import { refuseMembers } from '../../input/own-member.ts';
import { progressLine } from '../../output/refine-progress.ts';
import { refinePlace } from '../../input/refine-place.ts';
import { rootOf } from '../../input/root.ts';
import { readStdin } from '../../input/stdin.ts';
import type { Act } from '../../verb.ts';

const schema = z.object({
  backend: texts,
  maxRounds: text,
  sandbox: sandboxSchema.optional(),
  reviewer: text,
  validate: text,
  includeDiff: flag,
  repo: text,
  isolation: isolationFlag,
  apply: flag,
  timeout: duration,
  team: z.boolean().default(true),
  ...budgetFlags,
});
type Options = z.infer<typeof schema>;

export const act: Act = async (context, given) => {
  const options = readOptions(schema, given);
  refuseMembers(context, 'run `refine`');
  const ask = await askOf(context, given.words, options);
  excludeTeamFiles(context);
  using interrupts = new Interrupts(options.timeout);
  freeTerminal(context);
  const report = await refineAt(ask, refinePlace(context, options.repo, options), {
    signal: interrupts.stop,
    onProgress: (progress) => context.info(progressLine(progress)),
  });
  const { text: said, ...data } = report;
  context.result(data, said);
  if (report.apply !== undefined && report.team !== null) await applyLanded(context, report.team, options);
  return interrupts.code !== undefined && !report.converged ? interrupts.code : report.exitCode;
};

async function applyLanded(context: CliContext, name: string, { apply }: Options): Promise<void> {
  const team = findTeam(rootOf(context), parseName('team', name));
  if (team !== undefined) await applyAtEnd(context, team.paths, apply);
}

async function askOf(context: CliContext, words: readonly string[], options: Options): Promise<RefineAsk> {
  const { backend, sandbox, reviewer, validate, includeDiff, team } = options;
  const rounds = options.maxRounds === undefined ? undefined : roundsOf(options.maxRounds);
  const { task, maxRounds } = await requestOf(context, words, rounds);
  return {
    task,
    maxRounds,
    backends: backend,
    includeDiff,
    team,
    sandbox,
    reviewer,
    validate,
  };
}

function roundsOf(given: string): number {
  const parsed = parseRounds(given);
  if (parsed.ok) return parsed.rounds;
  throw new UsageError('USAGE', `--max-rounds: ${parsed.why}`);
}

/** A task from stdin is used unchanged. A task in words may contain a limit of rounds. */
async function requestOf(context: CliContext, words: readonly string[], rounds: number | undefined) {
  if (words.length === 1 && words[0] === '-') {
    const task = (await readStdin(context.io)).trim();
    return mustBeTask({ ...refineRequest('', rounds), task });
  }
  const asked = refineRequest(words.join(' '), rounds);
  if (asked.clause !== undefined)
    context.info(
      `"${asked.clause}" is read as the limit of rounds, not as part of the task: at most ${asked.maxRounds}.`,
    );
  if (asked.task !== '' || !context.isInteractive) return mustBeTask(asked);
  const { question } = await import('../../input/confirm.ts');
  return mustBeTask({ ...asked, task: (await question('What is the task?')).trim() });
}

function mustBeTask<T extends { readonly task: string }>(asked: T): T {
  if (asked.task !== '') return asked;
  throw new UsageError('USAGE', 'The task is missing: teams refine "TASK".');
}
