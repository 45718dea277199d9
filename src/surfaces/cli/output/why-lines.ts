/** The answer of `why` in lines: the paragraph, then its events. */
import { eventLine, realClock, timeOfDay, whyText, type Why } from '../../../app.ts';

/** Events of the asked member do not name it; all others name theirs. */
export function whyLines(answer: Why): string {
  const events = answer.events.map((event) => {
    const { member } = event;
    const who = member === undefined || answer.subject === `member ${member}` ? '' : `[${member}] `;
    return `  ${timeOfDay(event.at)} ${who}${eventLine(event)}`;
  });
  return [whyText(answer, realClock.now()), ...events].join('\n');
}
