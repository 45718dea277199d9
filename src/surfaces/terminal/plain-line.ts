/** An event as one plain line: `12:03:04 [ada] task.claimed #3 Write tests`. */
import { eventLine, isSpeech, safeLine, timeOfDay, type ShownEvent } from '../../app.ts';

export const plainLine = (event: ShownEvent): string =>
  `${timeOfDay(event.at)} ${event.member === undefined ? '' : `[${safeLine(event.member)}] `}${safeLine(sayingOf(event))}`;

/** Whether another event says the same: the end of the task, what landed, or what the lead decided. */
export const isEcho = (event: ShownEvent): boolean =>
  (event.type === 'agent.failed' && 'fault' in event && event['fault'] === 'exit') ||
  (event.type === 'lead.decided' && 'act' in event && event['act'] === 'skip') ||
  event.type === 'log.opened' ||
  event.type === 'common.shared';

/** An agent's speech is printed as it is; any other event is described. */
const sayingOf = (event: ShownEvent): string => (isSpeech(event) ? (event.text ?? '') : eventLine(event));
