/** A message for people: id first, on one line unless its text has several. */
import { safeText, timeOfDay, type Message } from '../../../app.ts';
import type { Painter } from './painter.ts';

export function mailRow(message: Message, name: Painter): string {
  const { id, timestamp, sender, type, kind, task_id, content, redelivered } = message;
  const what = kind ?? (type === 'message' ? '' : type);
  const about = [what, task_id === undefined ? '' : `#${task_id}`, redelivered === true ? 'redelivered' : ''];
  const [first = '', ...rest] = safeText(content).trimEnd().split('\n');
  const head = [
    name('', id),
    timeOfDay(timestamp * 1_000),
    name(sender),
    ...about.map((word) => name('', word)),
    first,
  ];
  return [head.filter((word) => word !== '').join('  '), ...rest.map((line) => `    ${line}`)].join('\n');
}
