/** `teams log`: the events of a team, from both of its logs. With `--session` it appends a record instead. */
import { eventLine, followEvents, teamEvents, timeOfDay, UsageError } from '../../../../app.ts';
import { deliverMail } from '../../output/deliver-mail.ts';
import { jsonLine } from '../../output/json-line.ts';
import { noMore } from '../../input/options.ts';
import { flagField, readFields, wholeNumberField } from '../../input/plain-options.ts';
import { painter } from '../../output/painter.ts';
import { withTeamReader } from '../../input/team-reader-choice.ts';
import type { Act } from '../../verb.ts';

/** Options that belong to `--session`. */
const OF_RECORDS = ['from', 'to', 'type', 'summary', 'ref'] as const;
const fields = { follow: flagField, since: wholeNumberField };

export const act: Act = async (context, given) => {
  if (given.options['session'] !== undefined) return (await import('./log-record.ts')).act(context, given);
  const stray = OF_RECORDS.find((name) => given.options[name] !== undefined);
  if (stray !== undefined) throw new UsageError('USAGE', `--${stray} is for a record: give --session, too.`);
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
