/** The past in the dashboard: the bar above the footer, and what keys do there. Pure. */
import { timeOfDay, timestamp, type PastMove, type PastShown } from '../../../app.ts';
import type { Key, Order, State } from './dashboard-state.ts';
import { CYAN, plain, type Piece, type StyledLine } from './styled-line.ts';

/** The bar, and the cells of it that stand for the time. */
export interface PastBar {
  readonly line: StyledLine;
  readonly from: number;
  readonly width: number;
}

/** `19:03:56  15/240  [####------]  > 10x`: the time, the event, how far, and how fast it plays. */
export function pastBar(
  { now, number, events, firstAt, lastAt, isPlaying, speed }: PastShown,
  columns: number,
): PastBar {
  const before = `${timeOfDay(timestamp(now))}  ${number}/${events}  [`;
  const after = `]  ${isPlaying ? '>' : '='} ${speed}x`;
  const width = Math.max(0, columns - before.length - after.length);
  const share = lastAt > firstAt ? (now - firstAt) / (lastAt - firstAt) : 1;
  const done = Math.round(Math.max(0, Math.min(1, share)) * width);
  const line: Piece[] = [
    { text: before, bold: true },
    { text: '#'.repeat(done), color: CYAN },
    { text: '-'.repeat(width - done), dim: true },
    { text: after, bold: true },
  ];
  return { line, from: before.length, width };
}

/** @returns a part of the time, 0 to 1; undefined beside the bar */
export const shareOn = ({ from, width }: PastBar, x: number): number | undefined =>
  x < from || x >= from + width ? undefined : width > 1 ? (x - from) / (width - 1) : 1;

const MOVES: Readonly<Record<string, PastMove>> = {
  left: { to: 'event', by: -1 },
  right: { to: 'event', by: 1 },
  stepLeft: { to: 'step', by: -1 },
  stepRight: { to: 'step', by: 1 },
  home: { to: 'first' },
  end: { to: 'last' },
  '<': { to: 'step', by: -1 },
  '>': { to: 'step', by: 1 },
  ' ': { to: 'play' },
  '+': { to: 'faster' },
  '-': { to: 'slower' },
};

/** What would change the team, or is known of the present only. */
const NOT_THEN = new Set('arRxPsdwp');
const NOTICE = 'This is the past: it cannot be changed. `teams watch` without --from shows the present.';

/** @returns undefined for a key that does what it does in the present */
export function pressInPast(
  state: State,
  key: Key,
  shareAt: (x: number, y: number) => number | undefined,
): { readonly state: State; readonly order?: Order } | undefined {
  const name = key.kind === 'text' ? key.text : key.kind;
  const share = key.kind === 'click' ? shareAt(key.x, key.y) : undefined;
  const move: PastMove | undefined = share === undefined ? MOVES[name] : { to: 'share', share };
  if (move !== undefined) return { state, order: { do: 'past', move } };
  return NOT_THEN.has(name) ? { state: { ...state, notice: NOTICE } } : undefined;
}

export const PAST_HELP: readonly StyledLine[] = [
  '  left/right      one event back, forward; with shift, or < and >: a larger step',
  '  space  +  -     play and stop; faster; slower',
  '  home/end        the first event, the last one; the mouse on the bar: any time',
].map(plain);
