/**
 * Makes one drawing: a header, the panes that fit, a footer. It is always one line lower than the screen, and never
 * wider.
 */
import { count, safeLine, safeText, type Spending } from '../../../app.ts';
import { faint, fitted, heading, plain, within, YELLOW, type StyledLine } from './styled-line.ts';
import type { DashboardModel, DashboardSize } from './dashboard-model.ts';
import { cardLine, elapsed, HELP, memberLines, messageLine, problemLine } from './panes.ts';
import { allocateLines } from './screen-space.ts';
import { rowsOf } from './dashboard-rows.ts';
import { chosenRow, type Row } from './dashboard-state.ts';

/** From this width on, board and messages are side by side. */
const WIDE = 120;

export interface Drawing {
  /** From top to bottom. */
  readonly above: readonly StyledLine[];
  /** Side by side on a wide screen; else `right` is empty and `left` has both. */
  readonly left: readonly StyledLine[];
  readonly right: readonly StyledLine[];
  readonly below: readonly StyledLine[];
}

/** Columns of each half of a wide screen. */
export const halfOf = (columns: number): number => Math.floor((columns - 2) / 2);

export function draw(look: DashboardModel, { columns, rows }: DashboardSize): Drawing {
  const fit = (lines: readonly StyledLine[], width = columns): StyledLine[] => lines.map((line) => fitted(line, width));
  // The last line stays free, because a full screen scrolls.
  const room = Math.max(0, rows - 3);
  const [above, left, right] = bodyOf(look, room, columns);
  const half = halfOf(columns);
  return {
    above: fit([headerOf(look), ...above]),
    left: fit(left, right.length > 0 ? half : columns),
    right: fit(right, half),
    below: fit([footerOf(look)]),
  };
}

type Body = readonly [above: readonly StyledLine[], left: readonly StyledLine[], right: readonly StyledLine[]];

function bodyOf(look: DashboardModel, room: number, columns: number): Body {
  const { pane } = look.state;
  if (pane.kind === 'help') return [within([heading('keys'), ...HELP], room), [], []];
  if (pane.kind === 'log' || pane.kind === 'inbox') return [memberPane(look, room), [], []];
  const { problems, members, cards, messages } = look.shown;
  const rows = rowsOf(look.shown);
  const isWide = columns >= WIDE;
  const most = Math.max(cards.length, isWide ? messages.length : 0);
  const [forProblems = 0, forMembers = 0, forBoard = 0, forFlow = 0] = allocateLines(room, [
    { least: 2, want: problems.length === 0 ? 0 : problems.length + 1 },
    { least: 2, want: members.length + 1 },
    { least: 2, want: most + 1 },
    { least: 2, want: isWide ? 0 : messages.length + 1 },
  ]);
  const flow = flowPane(look, isWide ? forBoard : forFlow);
  const board = boardPane(look, forBoard);
  const above = [...problemPane(look, rows, forProblems), ...memberPaneOf(look, rows, forMembers)];
  return isWide ? [above, board, flow] : [above, [...board, ...flow], []];
}

/** Keeps the chosen row visible in a long list. */
function around(lines: readonly StyledLine[], chosen: number, room: number): readonly StyledLine[] {
  if (room === 1) return lines.slice(chosen, chosen + 1);
  if (chosen < room - 1 || lines.length <= room) return within(lines, room);
  const from = Math.min(chosen - room + 2, lines.length - room + 1);
  return [faint(`… ${from} before`), ...within(lines.slice(from), room - 1)];
}

function problemPane(
  { shown, state, snapshot }: DashboardModel,
  rows: readonly Row[],
  room: number,
): readonly StyledLine[] {
  if (room === 0) return [];
  const at = chosenRow(state, rows);
  const lines = shown.problems.map((problem, index) => problemLine(problem, snapshot.at, index === at));
  return [heading('problems', String(lines.length)), ...around(lines, at < lines.length ? at : 0, room - 1)];
}

function memberPaneOf(look: DashboardModel, rows: readonly Row[], room: number): readonly StyledLine[] {
  if (room === 0) return [];
  const at = chosenRow(look.state, rows);
  const row = rows[at];
  const chosen = row?.kind === 'member' ? row.member : undefined;
  const lines = memberLines(look, (member) => member === chosen);
  const note = lines.length === 0 ? '' : filterNote(look);
  return [heading('members', note), ...around(lines, Math.max(0, at - look.shown.problems.length), room - 1)];
}

const filterNote = ({ state }: DashboardModel): string =>
  state.filter === '' ? '' : `only with "${safeLine(state.filter)}"`;

function boardPane(look: DashboardModel, room: number): readonly StyledLine[] {
  if (room === 0) return [];
  // Only lines that fit are made, because a board may have thousands.
  const cards = look.shown.cards.slice(0, room).map((card) => cardLine(card, look));
  const hidden = look.shown.cards.length - cards.length;
  const lines =
    hidden > 0 ? [...cards.slice(0, room - 2), faint(`… and ${hidden + Math.min(2, cards.length)} more`)] : cards;
  return [heading('board', countsOf(look)), ...within(lines, room - 1)];
}

function countsOf({ snapshot }: DashboardModel): string {
  const { total: _, ...counts } = count(snapshot.board);
  return Object.entries(counts)
    .flatMap(([what, number]) => (number === 0 ? [] : [`${number} ${what.replace('_', ' ')}`]))
    .join(', ');
}

/** The newest message is at the bottom. */
function flowPane(look: DashboardModel, room: number): readonly StyledLine[] {
  if (room < 2) return [];
  const last = look.shown.messages.slice(1 - room);
  return [
    heading('messages', `${look.snapshot.unread} unread for the lead`),
    ...last.map((one) => messageLine(one, look)),
  ];
}

/** The output or the mail of one member: its end, or further back. */
function memberPane({ state, lines }: DashboardModel, room: number): readonly StyledLine[] {
  const { pane, back } = state;
  if (pane.kind !== 'log' && pane.kind !== 'inbox') return [];
  const size = Math.max(0, room - 1);
  const end = Math.max(Math.min(size, lines.length), lines.length - back);
  const shown = lines.slice(Math.max(0, end - size), end);
  const title = pane.kind === 'log' ? `output of ${pane.member}` : `inbox of ${pane.member}`;
  const where = end < lines.length ? `${lines.length - end} lines below` : `${lines.length} lines`;
  return [
    heading(title, where),
    ...(shown.length === 0 ? [faint('  nothing yet')] : shown.map((text) => plain(safeLine(text)))),
  ];
}

function headerOf({ team, snapshot, spending, startedAt }: DashboardModel): StyledLine {
  const { outcome, lead, board, at } = snapshot;
  const { total, completed } = count(board);
  const led = lead.alive ? `led by pid ${lead.pid ?? 'unknown'}` : 'no lead runs';
  return [
    { text: `teams ${safeLine(team)}`, bold: true },
    { text: `  ${outcome}; ${led}` },
    { text: `  ${completed}/${total} done  ${elapsed(at - startedAt)}${spent(spending)}`, dim: true },
  ];
}

const spent = ({ tokens, usd, unpriced }: Spending): string =>
  tokens === 0 ? '' : `  ${tokens} tokens  $${usd.toFixed(2)}${unpriced.length > 0 ? '+' : ''}`;

function footerOf({ state }: DashboardModel): StyledLine {
  const { prompt, notice } = state;
  if (prompt)
    return [{ text: `${prompt.label}: `, bold: true }, { text: safeText(prompt.text) }, { text: ' ', inverse: true }];
  if (notice !== '') return [{ text: safeLine(notice), color: YELLOW }];
  return faint('enter log  i inbox  s send  a approve/answer  r refuse  f filter  p plain  ? help  q quit');
}
