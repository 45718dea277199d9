/** An event as one plain line: `12:03:04 [ada] task.claimed #3 Write tests`. */
import { eventLine, isSpeech, safeLine, timeOfDay, type ShownEvent } from '../../app.ts';

export const plainLine = (event: ShownEvent): string =>
  `${timeOfDay(event.at)} ${event.member === undefined ? '' : `[${safeLine(event.member)}] `}${safeLine(sayingOf(event))}`;

/** Speech of an agent is its own line; anything else is told. */
const sayingOf = (event: ShownEvent): string => (isSpeech(event) ? (event.text ?? '') : eventLine(event));
