/** A moment of a team as a person gives it on the command line. */
import { parseMoment, UsageError, type Moment } from '../../../app.ts';

const FORMS = "an event (15), a line of the board's log (b12), or a time (19:03:56, 2026-11-24T19:03:56Z)";

/** @throws UsageError `USAGE` that lists the forms */
export function momentIn(text: string | undefined): Moment {
  if (text === undefined)
    throw new UsageError('USAGE', `Which moment? Name ${FORMS}; \`teams log\` shows both numbers and times.`);
  const moment = parseMoment(text);
  if (moment === undefined) throw new UsageError('USAGE', `${JSON.stringify(text)} is no moment: expected ${FORMS}.`);
  return moment;
}
