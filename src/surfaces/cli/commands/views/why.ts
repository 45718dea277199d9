/** `teams why`: explains what a team, a member or a task waits for, and who must act next. */
import { why } from '../../../../app.ts';
import { whyLines } from '../../output/why-lines.ts';
import { noMore } from '../../input/options.ts';
import { withTeamReader } from '../../input/team-reader-choice.ts';
import { settings } from '../../input/settings.ts';
import type { Act } from '../../verb.ts';

export const act: Act = (context, given) =>
  withTeamReader(context, given.words, 1, async (store, [subject, ...rest]) => {
    noMore(rest);
    const { watchdogWarningMs, watchdogReassignMs, shutdownTimeoutMs } = settings(context).merged.config;
    const answer = await why(store, subject, { watchdogWarningMs, watchdogReassignMs, shutdownTimeoutMs });
    context.result(answer, whyLines(answer));
    return 0;
  });
