/** `teams wait`: waits until a run ends and exits with its code. */
import * as z from 'zod';
import { waitForEnd } from '../../../../app.ts';
import { Interrupts, TIMED_OUT } from '../../interrupts.ts';
import { duration, noMore, readOptions } from '../../input/options.ts';
import { chooseTeam } from '../../input/team-choice.ts';
import type { Act } from '../../verb.ts';

const schema = z.object({ timeout: duration });

export const act: Act = async (context, given) => {
  const { timeout } = readOptions(schema, given);
  const { team, words } = chooseTeam(context, given.words, { archived: true });
  noMore(words);
  using interrupts = new Interrupts(timeout);
  const ended = await waitForEnd(team.paths, interrupts.stop);
  const exitCode = ended ?? interrupts.code ?? TIMED_OUT;
  context.result({ team: team.name, ended: ended !== undefined, exitCode }, '');
  if (ended === undefined) context.info(`Team ${team.name} has not ended yet.`);
  return exitCode;
};
