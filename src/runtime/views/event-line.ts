/** An event of a team as one line for people: `task.claimed #3 Write tests`. */
import { safeLine } from '../../model/text/safe-text.ts';
import type { Fact } from '../../model/team/shown-event.ts';
import { decisionText } from '../../policy/decision.ts';

/** Characters of one line; the whole text is in the log. */
const LINE_LIMIT = 240;

/** The line without time and member, which each view adds in its own way. */
export function eventLine(event: Fact): string {
  if (event.type === 'lead.decided') return safeLine(`${event.type} ${decisionText(event)}`.slice(0, LINE_LIMIT));
  const task = 'task' in event ? event.task : undefined;
  const id = typeof task === 'object' ? task.id : task;
  const text = event.text ?? '';
  const subject = typeof task === 'object' && task.subject !== text ? task.subject : '';
  const said = subject !== '' && text !== '' ? `${subject} - ${text}` : `${subject}${text}`;
  return safeLine(`${event.type} ${id === undefined ? '' : `#${id} `}${said}`.slice(0, LINE_LIMIT));
}
