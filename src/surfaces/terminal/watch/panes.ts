/** The panes of the watch as lines: problems, members, board, messages. Values in, lines out; every text is made safe. */
import {
  safeLine,
  duration,
  timeOfDay,
  type Card,
  type BoardColumn,
  type MessageSummary,
  type TeamProblem,
} from '../../../app.ts';
import { clipped, padded, widest } from '../text-width.ts';
import { GREEN, plain, RED, YELLOW, type StyledLine, type Piece } from './styled-line.ts';
import type { DashboardModel } from './dashboard-model.ts';

const NAME_LIMIT = 20;

/** Whole seconds: a time that is read while it runs. */
export const elapsed = (ms: number): string => (ms < 1_000 ? '0s' : duration(ms));

const since = (at: string | undefined, now: number): string =>
  at === undefined ? '' : ` (${elapsed(now - Date.parse(at))})`;

/** Where one is: told by a sign too, for who sees no colours. */
const cursor = (isChosen: boolean): Piece => (isChosen ? { text: '> ', bold: true } : { text: '  ' });

export const problemLine = (
  { subject, text, since: at, kind }: TeamProblem,
  now: number,
  isChosen: boolean,
): StyledLine => [
  cursor(isChosen),
  { text: safeLine(subject), bold: true },
  { text: ` ${safeLine(text)}`, color: kind === 'request' || kind === 'rate-limited' ? YELLOW : RED },
  { text: since(at, now), dim: true },
];

type Member = DashboardModel['shown']['members'][number];

/** All members, so that their columns stand under each other. */
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
      ...(member.unread === 0 ? [] : [{ text: `  ${member.unread} unread` }]),
      ...(said === undefined ? [] : [{ text: `  | ${safeLine(said)}`, dim: true as const }]),
    ];
  });
}

const stateLook = (state: Member['state']): Pick<Piece, 'color' | 'dim'> => {
  if (state === 'working') return { color: GREEN };
  if (state === 'dead' || state === 'quarantined' || state === 'stalled') return { color: RED };
  return state === 'waiting' || state === 'rate-limited' ? { color: YELLOW } : { dim: true };
};

/** Its task and since when, or why it has none in hand. */
function workOf({ task, reason, state }: Member, { board, at }: DashboardModel['snapshot']): Piece[] {
  const own = board.tasks.get(task ?? '');
  if (own?.status !== 'in_progress' || state !== 'working') return [{ text: `  ${safeLine(reason)}` }];
  return [
    { text: `  #${own.id} ${safeLine(own.subject)}` },
    { text: `  ${elapsed(at - Date.parse(own.claimed_at))}`, dim: true },
  ];
}

/** Words, not signs: they are read out, and need no legend. */
const LABELS: Readonly<Record<BoardColumn, string>> = {
  in_progress: 'work',
  failed: 'FAIL',
  ready: 'ready',
  blocked: 'wait',
  completed: 'done',
  skipped: 'skip',
  cancelled: 'canc',
};

const LABEL_LOOKS: Readonly<Record<BoardColumn, Pick<Piece, 'color' | 'dim'>>> = {
  in_progress: { color: GREEN },
  failed: { color: RED },
  ready: {},
  blocked: { color: YELLOW },
  completed: { dim: true },
  skipped: { dim: true },
  cancelled: { dim: true },
};

/** Ids that a line names. */
const NAMED = 6;

const ids = (all: readonly string[]): string =>
  all
    .slice(0, NAMED)
    .map((id) => `#${id}`)
    .join(' ') + (all.length > NAMED ? ` +${all.length - NAMED}` : '');

export function cardLine(card: Card, { snapshot }: Pick<DashboardModel, 'snapshot'>): StyledLine {
  const { id, subject, column, member, waitsFor, holds, asks } = card;
  const color = snapshot.colors.get(member ?? '');
  const links = [
    ...(waitsFor.length === 0 ? [] : [`<- ${ids(waitsFor)}`]),
    ...(asks ? ['<- an answer'] : []),
    ...(holds.length === 0 || column === 'completed' ? [] : [`-> ${ids(holds)}`]),
  ];
  return [
    { text: `  ${padded(LABELS[column], 5)} `, ...LABEL_LOOKS[column] },
    { text: `#${id} ${safeLine(subject)}`, ...(column === 'completed' ? { dim: true as const } : {}) },
    ...(member === null ? [] : [{ text: `  ${safeLine(member)}`, color }]),
    ...(links.length === 0 ? [] : [{ text: `  ${links.join(' ')}`, dim: true as const }]),
    ...(column === 'failed' ? [{ text: `  ${safeLine(card.reason ?? '')}`, color: RED }] : []),
  ];
}

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
  '  up/down, j/k   choose a problem or a member; in a log or an inbox: scroll',
  '  enter, l       follow what the member prints',
  '  i              read its inbox (nothing is consumed); m: the inbox of the lead',
  '  s              send it a message',
  '  a              answer or approve what waits for a person; r: refuse a plan',
  '  f, /           show only what contains a text; an empty one shows all',
  '  p              to the plain stream of events; any key comes back',
  '  esc            back to the team; q: leave (the team goes on)',
].map(plain);
