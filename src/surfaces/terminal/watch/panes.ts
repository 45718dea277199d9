/** The rows of the list: problems, members, tasks, messages. Pure; every text is made safe. */
import {
  safeLine,
  duration,
  timeOfDay,
  type Card,
  type BoardColumn,
  type MessageSummary,
  type TeamProblem,
  type TeamSnapshot,
  placeOfMember,
} from '../../../app.ts';
import { clipped, padded, widest } from '../text-width.ts';
import { CYAN, GREEN, plain, RED, YELLOW, type StyledLine, type Piece } from './styled-line.ts';
import type { DashboardModel } from './dashboard-model.ts';

const NAME_LIMIT = 20;
/** Where two members share a line. */
const CELL_NAME_LIMIT = 12;

/** Whole seconds, because the time is redrawn while it runs. */
export const elapsed = (ms: number): string => (ms < 1_000 ? '0s' : duration(ms));

const since = (at: string | undefined, now: number): string =>
  at === undefined ? '' : ` ${elapsed(now - Date.parse(at))}`;

/** Marks the chosen row with a sign, for people who see no colours. */
const cursor = (isChosen: boolean): Piece => (isChosen ? { text: '> ', bold: true, color: CYAN } : { text: '  ' });

/** The text of a problem follows its age, so that a narrow screen cuts the text. */
export const problemLine = (
  { subject, text, since: at, kind }: TeamProblem,
  now: number,
  isChosen: boolean,
): StyledLine => [
  cursor(isChosen),
  { text: kind === 'request' ? '? ' : '! ', bold: true, color: kind === 'request' ? YELLOW : RED },
  { text: safeLine(subject.replace(/^(?:member|task) /, '')), bold: true },
  { text: since(at, now), dim: true },
  { text: ` ${safeLine(text)}`, color: kind === 'request' || kind === 'rate-limited' ? YELLOW : RED },
];

type Member = DashboardModel['shown']['members'][number];

/** The lines of members, with aligned columns. */
export function memberLines(
  { shown, snapshot, words }: DashboardModel,
  isChosen: (member: string) => boolean,
): StyledLine[] {
  const names = Math.min(NAME_LIMIT, widest(shown.members.map(({ name }) => name)));
  const states = widest(shown.members.map(({ state }) => state));
  return shown.members.map((member) => {
    const color = snapshot.colors.get(member.name);
    const said = words.get(member.name);
    return [
      cursor(isChosen(member.name)),
      { text: padded(clipped(safeLine(member.name), names), names), color },
      { text: `  ${padded(member.state, states)}`, ...stateLook(member.state) },
      ...workOf(member, snapshot),
      ...unreadPieces(member),
      ...placePieces(member),
      ...(said === undefined || member.state !== 'working'
        ? []
        : [{ text: `  | ${safeLine(said)}`, dim: true as const }]),
    ];
  });
}

/** A member in half a line: the state only of those that do not work, because a time and a task say that one does. */
export function memberCell(member: Member, { shown, snapshot }: DashboardModel, isChosen: boolean): StyledLine {
  const names = Math.min(CELL_NAME_LIMIT, widest(shown.members.map(({ name }) => name)));
  const { name, state } = member;
  const work = workOf(member, snapshot);
  return [
    cursor(isChosen),
    { text: padded(clipped(safeLine(name), names), names), color: snapshot.colors.get(name) },
    ...(state === 'working' ? [] : [{ text: `  ${state}`, ...stateLook(state) }]),
    ...unreadPieces(member),
    ...work,
  ];
}

const unreadPieces = ({ unread }: Member): Piece[] =>
  unread === null || unread === 0 ? [] : [{ text: `  ${unread} unread` }];

/** The machine of a member that runs elsewhere. */
function placePieces(member: Member): Piece[] {
  const place = placeOfMember(member);
  return place === undefined ? [] : [{ text: `  ${safeLine(place)}`, dim: true }];
}

const stateLook = (state: Member['state']): Pick<Piece, 'color' | 'dim'> => {
  if (state === 'working') return { color: GREEN };
  if (state === 'dead' || state === 'quarantined' || state === 'stalled') return { color: RED };
  return state === 'waiting' || state === 'rate-limited' ? { color: YELLOW } : { dim: true };
};

/** The current task with its elapsed time, or the reason why there is none. */
function workOf({ task, reason, state }: Member, { board, at }: DashboardModel['snapshot']): Piece[] {
  const own = board.tasks.get(task ?? '');
  if (own?.status !== 'in_progress' || state !== 'working') return [{ text: `  ${safeLine(reason)}`, dim: true }];
  return [
    { text: `  ${elapsed(at - Date.parse(own.claimed_at))}`, dim: true },
    { text: `  #${own.id} ${safeLine(own.subject)}` },
  ];
}

/** Words, not symbols: a screen reader can read them, and they need no legend. */
const LABELS: Readonly<Record<BoardColumn, string>> = {
  in_progress: 'work',
  landing: 'land',
  failed: 'FAIL',
  ready: 'ready',
  blocked: 'wait',
  completed: 'done',
  skipped: 'skip',
  cancelled: 'canc',
};

const LABEL_LOOKS: Readonly<Record<BoardColumn, Pick<Piece, 'color' | 'dim'>>> = {
  in_progress: { color: GREEN },
  landing: { color: GREEN },
  failed: { color: RED },
  ready: {},
  blocked: { color: YELLOW },
  completed: { dim: true },
  skipped: { dim: true },
  cancelled: { dim: true },
};

const REASON_LOOKS: Readonly<Partial<Record<BoardColumn, Pick<Piece, 'color' | 'dim'>>>> = {
  failed: { color: RED },
  skipped: { dim: true },
  cancelled: { dim: true },
};

/** How many ids a line names. */
const NAMED = 6;

export const ids = (all: readonly string[]): string =>
  all
    .slice(0, NAMED)
    .map((id) => `#${id}`)
    .join(' ') + (all.length > NAMED ? ` +${all.length - NAMED}` : '');

/** How long a task in progress is held: until now, or until its member's process was heard last that is gone. */
export const heldMs = ({ at, gone }: TeamSnapshot, member: string | null, since: string): number =>
  Math.max(0, (gone.get(member ?? '') ?? at) - Date.parse(since));

export function cardLine(card: Card, { snapshot, worked }: DashboardModel, isChosen: boolean): StyledLine {
  const { id, subject, column, member, waitsFor, holds, asks } = card;
  const color = snapshot.colors.get(member ?? '');
  const links = [
    ...(waitsFor.length === 0 ? [] : [`<- ${ids(waitsFor)}`]),
    ...(asks ? ['<- an answer'] : []),
    ...(holds.length === 0 || isOver(column) ? [] : [`-> ${ids(holds)}`]),
  ];
  const ms = column === 'in_progress' ? heldMs(snapshot, member, card.since) : worked.get(id);
  return [
    cursor(isChosen),
    { text: `${padded(LABELS[column], 5)} `, ...LABEL_LOOKS[column] },
    { text: `#${id} ${safeLine(subject)}`, ...(column === 'completed' ? { dim: true as const } : {}) },
    ...(member === null ? [] : [{ text: `  ${safeLine(member)}`, color }]),
    ...(ms === undefined ? [] : [{ text: `  ${elapsed(ms)}`, dim: true as const }]),
    ...(links.length === 0 ? [] : [{ text: `  ${links.join(' ')}`, dim: true as const }]),
    ...(card.reason === undefined ? [] : [{ text: `  ${safeLine(card.reason)}`, ...REASON_LOOKS[column] }]),
  ];
}

/** Nothing waits for it any more. */
const isOver = (column: BoardColumn): boolean =>
  column === 'completed' || column === 'skipped' || column === 'cancelled';

export function messageLine(
  { at, from, to, kind, text }: MessageSummary,
  { snapshot }: Pick<DashboardModel, 'snapshot'>,
): StyledLine {
  const named = (name: string): Piece => {
    const color = snapshot.colors.get(name);
    return { text: safeLine(name), color };
  };
  return [
    { text: `  ${timeOfDay(at)} `, dim: true },
    named(from),
    { text: ' > ', dim: true },
    named(to),
    ...(kind === 'message' ? [] : [{ text: ` ${safeLine(kind)}`, dim: true as const }]),
    { text: ` ${safeLine(text)}` },
  ];
}

export const HELP: readonly StyledLine[] = [
  '  up/down, j/k    choose a problem, a member or a task; in an output: scroll',
  '  tab             the next part of the list; g, G: first and last row',
  '  page up/down    scroll the output',
  '  enter, o        the output on the whole screen; esc: back',
  '  /  n  N         search the output; next match above, below',
  '  a               answer a question, approve a plan, a change; r: refuse it',
  '  r  R            retry the chosen task; all failed tasks',
  '  x               skip the chosen task, or have the chosen member leave',
  '  P               pause: present turns end, nothing begins; again: go on',
  '  d  w            the changes; why it waits and whose move is next',
  '  s  i  I         send a message; read an inbox; the inbox of the lead',
  '  f               show only rows that contain a text; an empty text shows all',
  '  y               copy the lines of the output (OSC 52)',
  '  m               give the mouse to the terminal, to select text, and back',
  '  p               the plain event stream; any key returns',
  '  q               quit; a run in the foreground ends in order (Ctrl-C, too)',
].map(plain);
