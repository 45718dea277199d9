/**
 * Makes one drawing: a header, the list on the left, the output on the right or below, a footer. It is always one line
 * lower than the screen, and never wider.
 */
import { count, safeLine } from '../../../app.ts';
import type { DashboardModel, DashboardSize } from './dashboard-model.ts';
import { chosenRow, keyOf } from './dashboard-rows.ts';
import { footerOf, headerOf } from './header.ts';
import { messagesPane, NO_SPACE, outputPane, wholePane, type OutputSpace } from './output-pane.ts';
import { cardLine, HELP, memberLines, problemLine } from './panes.ts';
import { allocateLines } from './screen-space.ts';
import { faint, fitted, heading, within, type StyledLine } from './styled-line.ts';

/** From this width on, list and output are side by side. */
const WIDE = 100;
/** From this height on, a narrow screen shows the output below the list. */
const HIGH = 20;
/** Lines of messages on a wide and high screen. */
const MESSAGES = 7;

export interface Drawing {
  /** From top to bottom. */
  readonly above: readonly StyledLine[];
  /** Side by side on a wide screen; else `right` is empty. */
  readonly left: readonly StyledLine[];
  readonly right: readonly StyledLine[];
  readonly below: readonly StyledLine[];
  /** Columns of the left side. */
  readonly leftWidth: number;
  /** The key of the row in each line from the top of the screen, for the mouse. */
  readonly hits: readonly (string | undefined)[];
  /** Where the output is drawn. */
  readonly space: OutputSpace;
}

interface ListLine {
  readonly line: StyledLine;
  readonly key?: string | undefined;
}

export function draw(look: DashboardModel, { columns, rows }: DashboardSize): Drawing {
  // The last line stays free, because a full screen scrolls.
  const room = Math.max(0, rows - 3);
  const fit = (lines: readonly StyledLine[], width: number): StyledLine[] => lines.map((line) => fitted(line, width));
  const body = bodyOf(look, room, columns);
  return {
    above: fit([headerOf(look, columns)], columns),
    left: fit(
      body.left.map(({ line }) => line),
      body.leftWidth,
    ),
    right: fit(body.right, columns - body.leftWidth - 2),
    below: fit([footerOf(look, columns)], columns),
    leftWidth: body.leftWidth,
    hits: [undefined, ...body.left.map(({ key }) => key)],
    space: body.space,
  };
}

interface Body {
  readonly left: readonly ListLine[];
  readonly right: readonly StyledLine[];
  readonly leftWidth: number;
  readonly space: OutputSpace;
}

const unkeyed = (lines: readonly StyledLine[]): ListLine[] => lines.map((line) => ({ line }));

function bodyOf(look: DashboardModel, room: number, columns: number): Body {
  const { pane } = look.state;
  const whole = (lines: readonly StyledLine[], space = NO_SPACE): Body => ({
    left: unkeyed(lines),
    right: [],
    leftWidth: columns,
    space,
  });
  if (pane.kind === 'help') return whole(within([heading('KEYS'), ...HELP], room));
  if (pane.kind !== 'team') {
    const { lines, space } = wholePane(look, room, columns);
    return whole(lines, space);
  }
  if (columns >= WIDE) {
    const leftWidth = Math.min(76, Math.floor(columns * 0.46));
    const forMessages = room >= 24 && look.shown.messages.length > 0 ? MESSAGES : 0;
    const forOutput = room - forMessages;
    const { lines: right, space } = outputPane(look, forOutput, columns - leftWidth - 2);
    const gap = Array.from({ length: Math.max(0, forOutput - right.length) }, (): StyledLine => []);
    return {
      left: listPane(look, room),
      right: forMessages === 0 ? right : [...right, ...gap, ...messagesPane(look, forMessages)],
      leftWidth,
      space,
    };
  }
  if (room < HIGH - 3) return { ...whole([]), left: listPane(look, room) };
  const forOutput = Math.floor(room * 0.42);
  const list = listPane(look, room - forOutput - 1);
  const { lines: output, space } = outputPane(look, forOutput, columns);
  return {
    left: [...list, { line: faint('-'.repeat(columns)) }, ...unkeyed(output)],
    right: [],
    leftWidth: columns,
    space,
  };
}

/** Problems, members, tasks: each has lines, and the chosen row is always among them. */
function listPane(look: DashboardModel, room: number): readonly ListLine[] {
  const { problems, members, cards } = look.shown;
  const [forProblems = 0, forMembers = 0, forTasks = 0] = allocateLines(room, [
    { least: 2, want: problems.length === 0 ? 0 : problems.length + 1 },
    { least: 2, want: members.length + 1 },
    { least: 2, want: cards.length + 1 },
  ]);
  const at = chosenRow(look.state, look.rows);
  const inMembers = at - problems.length;
  const inTasks = inMembers - members.length;
  return [
    ...problemPart(look, at, forProblems),
    ...memberPart(look, inMembers, forMembers),
    ...taskPart(look, inTasks, forTasks),
  ];
}

function problemPart({ shown, snapshot }: DashboardModel, at: number, room: number): ListLine[] {
  if (room === 0) return [];
  const [from, to] = windowAround(shown.problems.length, at, room - 1);
  const lines = shown.problems.slice(from, to).map((problem, index): ListLine => ({
    line: problemLine(problem, snapshot.at, from + index === at),
    key: keyOf({ kind: 'problem', problem }),
  }));
  return part('NEEDS YOU', String(shown.problems.length), lines, { from, to, of: shown.problems.length, room });
}

function memberPart(look: DashboardModel, at: number, room: number): ListLine[] {
  if (room === 0) return [];
  const { members } = look.shown;
  const [from, to] = windowAround(members.length, at, room - 1);
  const some = { ...look, shown: { ...look.shown, members: members.slice(from, to) } };
  const lines = memberLines(some, (name) => members[at]?.name === name).map((line, index): ListLine => ({
    line,
    key: keyOf({ kind: 'member', member: members[from + index]?.name ?? '' }),
  }));
  const working = members.filter(({ state }) => state === 'working').length;
  const note = [`${working} of ${members.length} working`, filterNote(look)].filter((text) => text !== '').join(', ');
  return part('MEMBERS', note, lines, { from, to, of: members.length, room });
}

const filterNote = ({ state }: DashboardModel): string =>
  state.filter === '' ? '' : `only with "${safeLine(state.filter)}"`;

/** Only lines that fit are made, because a board may have thousands. */
function taskPart(look: DashboardModel, at: number, room: number): ListLine[] {
  if (room === 0) return [];
  const { cards } = look.shown;
  const [from, to] = windowAround(cards.length, at, room - 1);
  const lines = cards.slice(from, to).map((card, index): ListLine => ({
    line: cardLine(card, look, from + index === at),
    key: keyOf({ kind: 'task', card }),
  }));
  return part('TASKS', countsOf(look), lines, { from, to, of: cards.length, room });
}

interface Part {
  readonly from: number;
  readonly to: number;
  readonly of: number;
  readonly room: number;
}

/** A heading, the lines, and how many are hidden above and below. */
function part(title: string, note: string, lines: readonly ListLine[], { from, to, of }: Part): ListLine[] {
  const hidden = [from > 0 ? `${from} above` : '', to < of ? `${of - to} below` : ''].filter((text) => text !== '');
  const rest = [note, ...(hidden.length === 0 ? [] : [`(${hidden.join(', ')})`])]
    .filter((text) => text !== '')
    .join(' ');
  return [{ line: heading(title, rest) }, ...lines];
}

/** Which rows are shown: so many, and the chosen one is among them. */
function windowAround(length: number, at: number, room: number): readonly [from: number, to: number] {
  if (length <= room || at < room - 1) return [0, Math.min(length, room)];
  const from = Math.max(0, Math.min(Math.min(at, length - 1) - room + 2, length - room));
  return [from, from + room];
}

function countsOf({ snapshot }: DashboardModel): string {
  const { total: _, ...counts } = count(snapshot.board);
  return Object.entries(counts)
    .flatMap(([what, number]) => (number === 0 ? [] : [`${number} ${what.replace('_', ' ')}`]))
    .join(', ');
}
