/** An event of a team as one line for people: `began #3 Write tests`. */
import { safeLine } from '../../model/text/safe-text.ts';
import type { Fact } from '../../model/team/shown-event.ts';
import { eventSentence } from '../../policy/explain/event-sentence.ts';

/** Characters of one line; the whole text is in the log. */
const LINE_LIMIT = 240;
/** Whoever must answer reads all of it. */
const QUESTION_LIMIT = 4_200;

/** The line without time and member, which each view adds in its own way. */
export const eventLine = (event: Fact): string =>
  safeLine(eventSentence(event).slice(0, event.type === 'request.made' ? QUESTION_LIMIT : LINE_LIMIT));
