/** `teams at`: the board, the members and the mail of a team as they stood at a moment of its past. */
import { teamAt } from '../../../../app.ts';
import { momentIn } from '../../input/moment.ts';
import { noMore } from '../../input/options.ts';
import { withTeamReader } from '../../input/team-reader-choice.ts';
import { countsView } from '../../output/json-view.ts';
import { momentLines } from '../../output/moment-lines.ts';
import type { Act } from '../../verb.ts';

export const act: Act = (context, given) =>
  withTeamReader(context, given.words, 1, async (store, [text, ...rest]) => {
    noMore(rest);
    const moment = momentIn(text);
    const then = await teamAt(store, moment);
    context.result({ ...then, counts: countsView(then.counts) }, momentLines(then));
    return 0;
  });
