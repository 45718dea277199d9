/** An event as one plain line: `12:03:04 [ada] task.claimed #3 Write tests`. */
import { eventLine, isSpeech, safeLine, timeOfDay, type ShownEvent } from '../../app.ts';

export const plainLine = (event: ShownEvent): string =>
  `${timeOfDay(event.at)} ${event.member === undefined ? '' : `[${safeLine(event.member)}] `}${safeLine(sayingOf(event))}`;

/** An agent's speech is printed as it is; any other event is described. */
const sayingOf = (event: ShownEvent): string => (isSpeech(event) ? (event.text ?? '') : eventLine(event));
