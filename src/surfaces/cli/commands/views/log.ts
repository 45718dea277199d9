/** `teams log`: the events of a team, from both of its logs. With `--session` it appends a record instead. */
import { eventLine, followEvents, teamEvents, timeOfDay } from '../../../../app.ts';
import { deliverMail } from '../../output/deliver-mail.ts';
import { jsonLine } from '../../output/json-line.ts';
import { noMore } from '../../input/options.ts';
import { flagField, readFields, wholeNumberField } from '../../input/plain-options.ts';
import { painter } from '../../output/painter.ts';
import { withTeamReader } from '../../input/team-reader-choice.ts';
import type { Act } from '../../verb.ts';

const fields = { follow: flagField, since: wholeNumberField };

export const act: Act = async (context, given) => {
  if (given.options['session'] !== undefined) return (await import('./log-record.ts')).act(context, given);
  const { follow, since = 0 } = readFields(fields, given);
  return withTeamReader(context, given.words, 0, async (store, words) => {
    noMore(words);
    const name = painter(context, store);
    const { gone } = context.io;
    const from = since + 1;
    for await (const event of follow ? followEvents(store, from, gone) : teamEvents(store, { from, signal: gone })) {
      const who = event.member === undefined ? '' : ` [${name(event.member)}]`;
      const line = context.flags.json
        ? jsonLine(event)
        : `${event.number}  ${timeOfDay(event.at)}${who} ${eventLine(event)}\n`;
      if (!(await deliverMail(context, line))) break;
    }
    return 0;
  });
};
