/** `teams wait`: waits until a run ends and exits with its code. */
import * as z from 'zod';
import { openForReading, realClock, reportOf, reportText, waitForEnd } from '../../../../app.ts';
import type { CliContext } from '../../context.ts';
import { Interrupts, TIMED_OUT } from '../../interrupts.ts';
import { duration, noMore, readOptions } from '../../input/options.ts';
import { settings } from '../../input/settings.ts';
import { chooseTeam } from '../../input/team-choice.ts';
import { freeTerminal } from '../../output/lead-terminal.ts';
import type { Act } from '../../verb.ts';
import { chooseRun } from './run-choice.ts';

const schema = z.object({ timeout: duration });

export const act: Act = async (context, given) => {
  const { timeout } = readOptions(schema, given);
  const { team, words } = chooseRun(context, given.words);
  noMore(words);
  using interrupts = new Interrupts(timeout);
  freeTerminal(context);
  const ended = await waitForEnd(team.paths, interrupts.stop);
  const exitCode = ended ?? interrupts.code ?? TIMED_OUT;
  const head = ended === undefined ? '' : reportHead(context, team.name);
  context.result({ team: team.name, ended: ended !== undefined, exitCode }, head);
  if (ended === undefined) context.info(`Team ${team.name} has not ended yet.`);
  return exitCode;
};

/** The report's first lines, up to its first empty one; a team that was archived meanwhile is found by its name. */
function reportHead(context: CliContext, name: string): string {
  const { team } = chooseTeam(context, [name], { archived: true });
  const store = openForReading(team.paths, { clock: realClock });
  try {
    const [head = ''] = reportText(reportOf(store, { prices: settings(context).merged.config.prices })).split('\n\n');
    return head;
  } finally {
    store.close();
  }
}
