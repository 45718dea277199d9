/** `teams at`: the board, the members and the mail of a team as they stood at a moment of its past. */
import { parseMoment, teamAt, UsageError } from '../../../../app.ts';
import { noMore } from '../../input/options.ts';
import { withTeamReader } from '../../input/team-reader-choice.ts';
import { countsView } from '../../output/json-view.ts';
import { momentLines } from '../../output/moment-lines.ts';
import type { Act } from '../../verb.ts';

const FORMS = "an event (15), a line of the board's log (b12), or a time (19:03:56, 2026-11-24T19:03:56Z)";

export const act: Act = (context, given) =>
  withTeamReader(context, given.words, 1, async (store, [text, ...rest]) => {
    noMore(rest);
    if (text === undefined)
      throw new UsageError('USAGE', `Which moment? Name ${FORMS}; \`teams log\` shows both numbers and times.`);
    const moment = parseMoment(text);
    if (moment === undefined) throw new UsageError('USAGE', `${JSON.stringify(text)} is no moment: expected ${FORMS}.`);
    const then = await teamAt(store, moment);
    context.result({ ...then, counts: countsView(then.counts) }, momentLines(then));
    return 0;
  });
