/** A moment of a team in lines: the moment, the members, the board, the mail. */
import { eventLine, timeOfDay, type ShownEvent, type TeamMoment } from '../../../app.ts';
import { table } from './table.ts';

export function momentLines({ team, event, events, line, phase, members, counts, tasks, mail }: TeamMoment): string {
  const counted = Object.entries(counts).flatMap(([what, of]) =>
    of > 0 && what !== 'total' ? [`${of} ${what.replace('_', ' ')}`] : [],
  );
  return [
    `Team ${team} at ${timeOfDay(event.at)} (${event.at}): event ${event.number} of ${events}, line ${line} of the board's log; ${phase}`,
    `  ${said(event)}`,
    ...section(
      'Members',
      members.map(({ name, role, state, task, last }) => [
        name,
        role,
        state === 'left' ? 'left' : task === null ? 'no task' : `on #${task}`,
        last === null ? '' : `${timeOfDay(last.at)} ${eventLine(last)}`,
      ]),
    ),
    '',
    `Tasks: ${counts.total}${counted.length === 0 ? '' : ` (${counted.join(', ')})`}`,
    ...rows(
      tasks.map(({ id, column, member, subject, reason, waitsFor }) => [
        `#${id}`,
        column.replace('_', ' '),
        member ?? '-',
        subject,
        reason ?? (waitsFor.length === 0 ? '' : `waits for ${waitsFor.map((one) => `#${one}`).join(', ')}`),
      ]),
    ),
    ...section(
      'Mail sent by then',
      mail.map(({ to, sent, unread, last }) => [
        to,
        `${sent}`,
        `${unread ?? 'unknown'} unread`,
        `last ${timeOfDay(last.at)} from ${last.from}: ${last.text}`,
      ]),
    ),
  ].join('\n');
}

const said = (event: ShownEvent): string =>
  `${timeOfDay(event.at)} ${event.member === undefined ? '' : `[${event.member}] `}${eventLine(event)}`;

const rows = (cells: readonly (readonly string[])[]): string[] =>
  cells.length === 0 ? [] : [table(cells).replaceAll(/^/gm, '  ')];

const section = (title: string, cells: readonly (readonly string[])[]): string[] =>
  cells.length === 0 ? [] : ['', title, ...rows(cells)];
