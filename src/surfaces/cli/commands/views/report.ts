/** `teams report`: what came of a team so far. */
import { reportOf, reportText } from '../../../../index.ts';
import { noMore } from '../../input/options.ts';
import { settings } from '../../input/settings.ts';
import { withSeenTeam } from '../../input/team-reader-choice.ts';
import type { Act } from '../../verb.ts';

export const act: Act = (frame, given) =>
  withSeenTeam(frame, given.words, 0, (store, words) => {
    noMore(words);
    const report = reportOf(store, { prices: settings(frame).merged.config.prices });
    frame.answer(report, reportText(report));
    return Promise.resolve(0);
  });
