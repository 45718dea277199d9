/** `teams wait`: until a run ends, with its exit code. */
import * as z from 'zod';
import { waitForEnd } from '../../../../index.ts';
import { Endings, TIMED_OUT } from '../../interrupts.ts';
import { duration, noMore, readOptions } from '../../input/options.ts';
import { chooseTeam } from '../../input/team-choice.ts';
import type { Act } from '../../verb.ts';

const schema = z.object({ timeout: duration });

export const act: Act = async (frame, given) => {
  const { timeout } = readOptions(schema, given);
  const { team, words } = chooseTeam(frame, given.words, { archived: true });
  noMore(words);
  using endings = new Endings(timeout);
  const ended = await waitForEnd(team.paths, endings.stop);
  const exitCode = ended ?? endings.code ?? TIMED_OUT;
  frame.answer({ team: team.name, ended: ended !== undefined, exitCode }, '');
  if (ended === undefined) frame.say(`Team ${team.name} has not ended yet.`);
  return exitCode;
};
