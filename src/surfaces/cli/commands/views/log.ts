/** `teams log`: what happened in a team, from both of its logs; with `--session` something is written there instead. */
import * as z from 'zod';
import { eventLine, followEvents, safeJson, teamEvents, timeOfDay } from '../../../../index.ts';
import { delivered } from '../../output/deliver-mail.ts';
import { flag, noMore, readOptions, wholeNumber } from '../../input/options.ts';
import { painter } from '../../output/painter.ts';
import { withSeenTeam } from '../../input/team-reader-choice.ts';
import type { Act } from '../../verb.ts';

const schema = z.object({ follow: flag, since: wholeNumber });

export const act: Act = async (frame, given) => {
  if (given.options['session'] !== undefined) return (await import('./log-record.ts')).act(frame, given);
  const { follow, since = 0 } = readOptions(schema, given);
  return withSeenTeam(frame, given.words, 0, async (store, words) => {
    noMore(words);
    const name = painter(frame, store);
    const { gone } = frame.outside;
    const from = since + 1;
    for await (const event of follow ? followEvents(store, from, gone) : teamEvents(store, { from, signal: gone })) {
      const who = event.member === undefined ? '' : ` [${name(event.member)}]`;
      const line = frame.flags.json
        ? safeJson(event)
        : `${event.number}  ${timeOfDay(event.at)}${who} ${eventLine(event)}`;
      if (!(await delivered(frame, `${line}\n`))) break;
    }
    return 0;
  });
};
