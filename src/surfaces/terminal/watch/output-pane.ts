/** The right side: what the chosen member or task prints, and the facts about it above. Pure. */
import { printedLine, safeLine, safeText, type Task } from '../../../app.ts';
import type { DashboardModel } from './dashboard-model.ts';
import { chosenRow, subjectOf, type Row, type Subject } from './dashboard-rows.ts';
import { costText } from './header.ts';
import { elapsed, heldMs, ids, messageLine } from './panes.ts';
import {
  faint,
  GREEN,
  heading,
  plain,
  RED,
  within,
  wrapped,
  YELLOW,
  type Piece,
  type StyledLine,
} from './styled-line.ts';

/** Lines of a question that are shown at most. */
const QUESTION_LINES = 8;

/** Where an output is drawn. */
export interface OutputSpace {
  /** How many rows it has. */
  readonly height: number;
  /** How many lines can be below the last one shown; then the first line is at the top. */
  readonly mostBack: number;
}

interface OutputPane {
  readonly lines: readonly StyledLine[];
  readonly space: OutputSpace;
}

export const NO_SPACE: OutputSpace = { height: 1, mostBack: 0 };

/** What the chosen row is about, then the end of its output, or further back. */
export function outputPane(look: DashboardModel, room: number, columns: number): OutputPane {
  const row = look.rows[chosenRow(look.state, look.rows)];
  const subject = subjectOf(row);
  if (subject === undefined)
    return { lines: within(row?.kind === 'problem' ? problemFacts(row, columns) : [], room), space: NO_SPACE };
  const facts = [...questionOf(look, row, columns), ...factsOf(look, subject, columns)];
  return under(look, within(facts, 1 + Math.max(0, Math.floor(room / 2))), room, columns);
}

function under(look: DashboardModel, head: readonly StyledLine[], room: number, columns: number): OutputPane {
  const space = spaceFor(look.lines, Math.max(0, room - head.length), columns);
  return { lines: [...head, ...outputLines(look, space, columns)], space };
}

/** One thing on the whole screen: an output, an inbox, changes, a reason. */
export function wholePane(look: DashboardModel, room: number, columns: number): OutputPane {
  const { pane } = look.state;
  if (pane.kind === 'output') {
    const facts = factsOf(look, pane.of, columns);
    return under(look, within(facts, 1 + Math.max(0, Math.floor(room / 3))), room, columns);
  }
  const space = spaceFor(look.lines, room - 1, columns);
  return { lines: [heading(titleOf(look), whereIn(look, space)), ...outputLines(look, space, columns)], space };
}

function titleOf({ state: { pane }, team }: DashboardModel): string {
  if (pane.kind === 'inbox') return `INBOX of ${pane.member}`;
  if (pane.kind !== 'diff' && pane.kind !== 'why') return '';
  const what = pane.kind === 'diff' ? 'CHANGES' : 'WHY';
  return pane.task === undefined ? `${what} of ${safeLine(team)}` : `${what} of #${pane.task}`;
}

const whereIn = ({ state: { back }, lines }: DashboardModel, { mostBack }: OutputSpace): string => {
  const hidden = Math.min(back, mostBack);
  return hidden > 0 ? `${lines.length} lines, ${hidden} below` : `${lines.length} lines`;
};

/** A long line takes several rows. */
const rowsOfLine = (line: string, columns: number): string[] =>
  wrapped(printedLine(line).replaceAll('\t', '  '), columns);

function spaceFor(lines: readonly string[], height: number, columns: number): OutputSpace {
  let rows = 0;
  for (const [at, line] of lines.entries()) {
    rows += rowsOfLine(line, columns).length;
    if (rows >= height) return { height, mostBack: rows > height ? lines.length - at : lines.length - at - 1 };
  }
  return { height, mostBack: 0 };
}

/** The last lines that fit, above `back` lines; or the first ones, if it is all the way back. */
function outputLines(look: DashboardModel, { height, mostBack }: OutputSpace, columns: number): readonly StyledLine[] {
  const { lines, state, isAwaited } = look;
  if (height <= 0) return [];
  if (lines.length === 0)
    return [
      faint(isAwaited ? '  reading…' : state.pane.kind === 'inbox' ? '  no mail waits' : '  nothing printed yet'),
    ];
  const rows: string[] = [];
  if (mostBack > 0 && state.back >= mostBack) {
    for (let at = 0; at < lines.length && rows.length < height; at += 1)
      rows.push(...rowsOfLine(lines[at] ?? '', columns));
    return rows.slice(0, height).map((text) => styled(text, look));
  }
  for (let at = lines.length - Math.min(state.back, mostBack) - 1; at >= 0 && rows.length < height; at -= 1)
    rows.unshift(...rowsOfLine(lines[at] ?? '', columns));
  return rows.slice(-height).map((text) => styled(text, look));
}

function styled(text: string, { state: { find, pane } }: DashboardModel): StyledLine {
  const color = pane.kind === 'diff' ? diffColor(text) : undefined;
  const at = find === '' ? -1 : text.toLowerCase().indexOf(find.toLowerCase());
  if (at < 0) return [{ text, color }];
  const end = at + find.length;
  return [
    { text: text.slice(0, at), color },
    { text: text.slice(at, end), inverse: true },
    { text: text.slice(end), color },
  ];
}

const diffColor = (text: string): number | undefined =>
  text.startsWith('+') ? GREEN : text.startsWith('-') ? RED : text.startsWith('@@') ? YELLOW : undefined;

const problemFacts = ({ problem }: Extract<Row, { kind: 'problem' }>, columns: number): StyledLine[] => [
  heading(problem.subject.toUpperCase()),
  ...wrapped(safeLine(problem.text), columns).map(plain),
];

const HOW = {
  question: 'a: answer',
  plan: 'a: approve  r: refuse',
  consensus: 'a: approve  r: refuse',
  permission: 'a: allow  r: refuse',
  review: 'a: accept  r: send back  d: diff',
};
const WHAT = {
  question: 'QUESTION',
  plan: 'PLAN',
  consensus: 'NO CONSENSUS',
  permission: 'PERMISSION',
  review: 'REVIEW',
};

/** The whole question, and how to answer it. */
function questionOf({ past }: DashboardModel, row: Row | undefined, columns: number): StyledLine[] {
  const request = row?.kind === 'problem' ? row.problem.request : undefined;
  if (request === undefined) return [];
  const lines = safeText(request.text)
    .split('\n')
    .flatMap((line) => wrapped(line, columns));
  const how = past === undefined ? HOW[request.kind] : '';
  return [
    heading(`${WHAT[request.kind]} of ${safeLine(request.from)}`, how),
    ...within(
      lines.map((text): StyledLine => [{ text, color: YELLOW }]),
      QUESTION_LINES,
    ),
  ];
}

const factsOf = (look: DashboardModel, subject: Subject, columns: number): StyledLine[] =>
  subject.kind === 'member' ? memberFacts(look, subject.member) : taskFacts(look, subject.task, columns);

function memberFacts(look: DashboardModel, name: string): StyledLine[] {
  const member = look.snapshot.members.find((one) => one.name === name);
  const task = look.snapshot.board.tasks.get(member?.task ?? '');
  const cost = costText(look.spending.members.get(name) ?? NOTHING);
  const about = [member?.role, member?.state, cost].filter((part) => part !== undefined && part !== '').join(', ');
  return [
    heading(`OUTPUT of ${safeLine(name)}`, about),
    ...(task?.status === 'in_progress'
      ? [
          [
            { text: `#${task.id} ${safeLine(task.subject)}` },
            { text: `  ${elapsed(heldMs(look.snapshot, name, task.claimed_at))}`, dim: true as const },
          ],
        ]
      : []),
  ];
}

const NOTHING = { tokens: 0, usd: 0, unpriced: [], unknown: [] };

function taskFacts(look: DashboardModel, id: string, columns: number): StyledLine[] {
  const { snapshot, shown, spending, worked } = look;
  const task = snapshot.board.tasks.get(id);
  if (task === undefined) return [heading(`OUTPUT of #${id}`)];
  const card = shown.cards.find((one) => one.id === id);
  const ms = task.status === 'in_progress' ? heldMs(snapshot, task.claim.member, task.claimed_at) : worked.get(id);
  const facts = [
    statusText(task),
    card?.member === null || card === undefined ? '' : `by ${safeLine(card.member)}`,
    task.attempts > 1 ? `attempt ${task.attempts}` : '',
    ms === undefined ? '' : elapsed(ms),
    costText(spending.tasks.get(id) ?? NOTHING),
  ].filter((part) => part !== '');
  const links = [
    ...(card === undefined || card.waitsFor.length === 0 ? [] : [`waits for ${ids(card.waitsFor)}`]),
    ...(card === undefined || card.holds.length === 0 ? [] : [`holds ${ids(card.holds)}`]),
  ];
  const reason = 'reason' in task ? wrapped(safeLine(task.reason), columns) : [];
  return [
    heading(`#${id} ${safeLine(task.subject)}`),
    [{ text: facts.join(', '), ...statusLook(task) }],
    ...reason.slice(0, 3).map((text): StyledLine => [{ text, color: RED }]),
    ...(links.length === 0 ? [] : [faint(links.join(', '))]),
  ];
}

const statusText = ({ status }: Task): string => status.replace('_', ' ');

const statusLook = ({ status }: Task): Pick<Piece, 'color' | 'dim'> => {
  if (status === 'failed') return { color: RED };
  if (status === 'completed' || status === 'in_progress') return { color: GREEN };
  return { dim: true };
};

/** The newest message is at the bottom. */
export function messagesPane(look: DashboardModel, room: number): readonly StyledLine[] {
  if (room < 2) return [];
  const last = look.shown.messages.slice(1 - room);
  const { unread } = look.snapshot;
  return [
    heading('MESSAGES', unread === 0 ? '' : `${unread ?? 'unknown how many'} unread for the lead`),
    ...last.map((one) => messageLine(one, look)),
  ];
}
