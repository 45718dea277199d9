/** `teams report`: the results of a team so far. */
import { reportOf, reportText } from '../../../../app.ts';
import { noMore } from '../../input/options.ts';
import { settings } from '../../input/settings.ts';
import { withTeamReader } from '../../input/team-reader-choice.ts';
import type { Act } from '../../verb.ts';

export const act: Act = (context, given) =>
  withTeamReader(context, given.words, 0, (store, words) => {
    noMore(words);
    const report = reportOf(store, { prices: settings(context).merged.config.prices });
    context.result(report, reportText(report));
    return Promise.resolve(0);
  });
