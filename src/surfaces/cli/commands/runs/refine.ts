/** `teams refine`: the do–review–decide loop, from a task to its synthesis. */
import * as z from 'zod';
import { parseRounds, refineAt, refineRequest, sandboxSchema, UsageError, type RefineAsk } from '../../../../index.ts';
import { Endings } from '../../interrupts.ts';
import { tellExcluded } from '../../input/git-exclude.ts';
import type { Frame } from '../../context.ts';
import { duration, flag, readOptions, text, texts } from '../../input/options.ts';
import { mustNotBeMember } from '../../input/own-member.ts';
import { progressLine } from '../../output/refine-progress.ts';
import { refinePlace } from '../../input/refine-place.ts';
import { readStdin } from '../../input/stdin.ts';
import type { Act } from '../../verb.ts';

const schema = z.object({
  ...{ backend: texts, maxRounds: text, sandbox: sandboxSchema.optional(), reviewer: text, validate: text },
  ...{ includeDiff: flag, repo: text, timeout: duration, team: z.boolean().default(true) },
});
type Options = z.infer<typeof schema>;

export const act: Act = async (frame, given) => {
  const options = readOptions(schema, given);
  mustNotBeMember(frame, 'refines anything');
  const ask = await askOf(frame, given.words, options);
  tellExcluded(frame);
  using endings = new Endings(options.timeout);
  const report = await refineAt(ask, refinePlace(frame, options.repo), {
    signal: endings.stop,
    onProgress: (progress) => frame.say(progressLine(progress)),
  });
  const { text: said, ...data } = report;
  frame.answer(data, said);
  return endings.code !== undefined && !report.converged ? endings.code : report.exitCode;
};

async function askOf(frame: Frame, words: readonly string[], options: Options): Promise<RefineAsk> {
  const { backend, sandbox, reviewer, validate, includeDiff, team } = options;
  const rounds = options.maxRounds === undefined ? undefined : roundsOf(options.maxRounds);
  const { task, maxRounds } = await requestOf(frame, words, rounds);
  return {
    ...{ task, maxRounds, backends: backend, includeDiff, team },
    ...(sandbox === undefined ? {} : { sandbox }),
    ...(reviewer === undefined ? {} : { reviewer }),
    ...(validate === undefined ? {} : { validate }),
  };
}

function roundsOf(given: string): number {
  const parsed = parseRounds(given);
  if (parsed.ok) return parsed.rounds;
  throw new UsageError('USAGE', `--max-rounds: ${parsed.why}`);
}

/** A text from stdin is the task as it is; in words, a cap of rounds may stand. */
async function requestOf(frame: Frame, words: readonly string[], rounds: number | undefined) {
  if (words.length === 1 && words[0] === '-') {
    const task = (await readStdin(frame.outside)).trim();
    return mustBeTask({ ...refineRequest('', rounds), task });
  }
  const asked = refineRequest(words.join(' '), rounds);
  if (asked.clause !== undefined)
    frame.say(`Taking "${asked.clause}" as the cap of rounds, not as a part of the task: at most ${asked.maxRounds}.`);
  if (asked.task !== '' || !frame.isInteractive) return mustBeTask(asked);
  const { question } = await import('../../input/confirm.ts');
  return mustBeTask({ ...asked, task: (await question('What is to be done?')).trim() });
}

function mustBeTask<T extends { readonly task: string }>(asked: T): T {
  if (asked.task !== '') return asked;
  throw new UsageError('USAGE', 'There is no task; say what is to be done: teams refine "TASK".');
}
