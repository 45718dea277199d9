/** `teams why`: what a team, a member or a task waits for, and whose move it is. */
import { eventLine, timeOfDay, realClock, why, whyText } from '../../../../index.ts';
import { noMore } from '../../input/options.ts';
import { withSeenTeam } from '../../input/team-reader-choice.ts';
import { settings } from '../../input/settings.ts';
import type { Act } from '../../verb.ts';

export const act: Act = (frame, given) =>
  withSeenTeam(frame, given.words, 1, async (store, [subject, ...rest]) => {
    noMore(rest);
    const { watchdogWarningMs, watchdogReassignMs, shutdownTimeoutMs } = settings(frame).merged.config;
    const answer = await why(store, subject, { watchdogWarningMs, watchdogReassignMs, shutdownTimeoutMs });
    const events = answer.events.map((event) => `  ${timeOfDay(event.at)} ${eventLine(event)}`);
    frame.answer(answer, [whyText(answer, realClock.now()), ...events].join('\n'));
    return 0;
  });
