/** The state of the dashboard, and what a key does to it: state and key in, next state and an order out. Pure. */
import type { TeamProblem } from '../../../app.ts';
import { charactersOf } from '../text-width.ts';

export type Key =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'up' | 'down' | 'pageUp' | 'pageDown' | 'enter' | 'escape' | 'erase' | 'interrupt' };

/** What is shown: the team, the help, or one member's output or mail. */
export type Pane =
  { readonly kind: 'team' } | { readonly kind: 'help' } | { readonly kind: 'log' | 'inbox'; readonly member: string };

/** A line that the person is typing. */
export interface Prompt {
  readonly label: string;
  readonly text: string;
  readonly then: (text: string) => Order | { readonly filter: string };
  /** An empty line is accepted. */
  readonly mayBeEmpty: boolean;
}

/** What the session must do outside this state. */
export type Order =
  | { readonly do: 'quit' | 'plain' }
  | { readonly do: 'send'; readonly to: string; readonly text: string }
  | { readonly do: 'answer'; readonly id: string; readonly text: string }
  | { readonly do: 'revise'; readonly task: string; readonly text: string }
  | { readonly do: 'decide'; readonly task: string; readonly approve: boolean; readonly text: string };

export interface State {
  readonly pane: Pane;
  /**
   * The key of the chosen row, so that the choice survives changes of the list; if it is gone, the first row is chosen.
   */
  readonly selected: string;
  /** Lines above the end, in a pane that scrolls. */
  readonly back: number;
  readonly filter: string;
  readonly prompt?: Prompt | undefined;
  /** The result of the last order. */
  readonly notice: string;
}

export const FIRST: State = { pane: { kind: 'team' }, selected: '', back: 0, filter: '', notice: '' };

/** The rows that can be chosen: problems first, then members. */
export type Row =
  { readonly kind: 'problem'; readonly problem: TeamProblem } | { readonly kind: 'member'; readonly member: string };

interface Pressed {
  readonly state: State;
  readonly order?: Order;
}

const PAGE = 10;

export function press(state: State, key: Key, rows: readonly Row[]): Pressed {
  if (state.prompt && key.kind !== 'interrupt') return typed(state, state.prompt, key);
  const quiet = { ...state, notice: '' };
  switch (key.kind) {
    case 'interrupt':
      return { state, order: { do: 'quit' } };
    case 'escape':
      return {
        state: { ...quiet, pane: { kind: 'team' }, back: 0, filter: state.pane.kind === 'team' ? '' : state.filter },
      };
    case 'up':
      return { state: moved(quiet, -1, rows) };
    case 'down':
      return { state: moved(quiet, 1, rows) };
    case 'pageUp':
      return { state: moved(quiet, -PAGE, rows) };
    case 'pageDown':
      return { state: moved(quiet, PAGE, rows) };
    case 'enter':
      return { state: shown(quiet, 'log', rows) };
    case 'erase':
      return { state: quiet };
    case 'text':
      return command(quiet, key.text, rows);
    default:
      return key satisfies never;
  }
}

function typed(state: State, prompt: Prompt, key: Key): Pressed {
  const next = (text: string): Pressed => ({ state: { ...state, prompt: { ...prompt, text } } });
  const { prompt: _, ...rest } = state;
  if (key.kind === 'escape') return { state: rest };
  if (key.kind === 'erase') return next(charactersOf(prompt.text).slice(0, -1).join(''));
  if (key.kind === 'text') return next(prompt.text + key.text);
  if (key.kind !== 'enter') return { state };
  const text = prompt.text.trim();
  if (text === '' && !prompt.mayBeEmpty) return { state: rest };
  const done = prompt.then(text);
  return 'filter' in done ? { state: { ...rest, filter: done.filter, selected: '' } } : { state: rest, order: done };
}

/** In a pane that scrolls, up moves back in time. */
function moved(state: State, by: number, rows: readonly Row[]): State {
  if (state.pane.kind !== 'team') return { ...state, back: Math.max(0, state.back - by) };
  const row = rows[Math.max(0, Math.min(rows.length - 1, chosenRow(state, rows) + by))];
  return { ...state, selected: row === undefined ? '' : keyOf(row) };
}

const keyOf = (row: Row): string =>
  row.kind === 'member'
    ? `member ${row.member}`
    : `${row.problem.kind} ${row.problem.subject} ${row.problem.since ?? ''}`;

/** The index of the chosen row. */
export const chosenRow = ({ selected }: Pick<State, 'selected'>, rows: readonly Row[]): number =>
  Math.max(
    0,
    rows.findIndex((row) => keyOf(row) === selected),
  );

/** The member of a row. */
const memberOf = (row: Row | undefined): string | undefined =>
  row?.kind === 'member' ? row.member : row?.kind === 'problem' ? row.problem.member : undefined;

function chosen(state: State, rows: readonly Row[]): string | undefined {
  const { pane } = state;
  return pane.kind === 'log' || pane.kind === 'inbox' ? pane.member : memberOf(rows[chosenRow(state, rows)]);
}

function shown(state: State, is: 'log' | 'inbox', rows: readonly Row[]): State {
  const member = chosen(state, rows);
  return member === undefined
    ? { ...state, notice: 'Choose a member first, with the arrow keys.' }
    : { ...state, pane: { kind: is, member }, back: 0 };
}

function command(state: State, text: string, rows: readonly Row[]): Pressed {
  switch (text) {
    case 'q':
      return { state, order: { do: 'quit' } };
    case 'p':
      return { state, order: { do: 'plain' } };
    case 'l':
      return { state: shown(state, 'log', rows) };
    case 'i':
      return { state: shown(state, 'inbox', rows) };
    case 'm':
      return { state: { ...state, pane: { kind: 'inbox', member: 'lead' }, back: 0 } };
    case 'k':
      return { state: moved(state, -1, rows) };
    case 'j':
      return { state: moved(state, 1, rows) };
    case '?':
      return { state: { ...state, pane: { kind: 'help' } } };
    case '/':
    case 'f':
      return { state: asking(state, 'filter', (filter) => ({ filter }), true) };
    case 's':
      return { state: sending(state, chosen(state, rows)) };
    case 'a':
    case 'r':
      return { state: deciding(state, text === 'a', rows) };
    default:
      return { state };
  }
}

const asking = (state: State, label: string, then: Prompt['then'], mayBeEmpty = false): State => ({
  ...state,
  prompt: { label, then, mayBeEmpty, text: '' },
});

const sending = (state: State, to: string | undefined): State =>
  to === undefined
    ? { ...state, notice: 'Choose a member first, with the arrow keys.' }
    : asking(state, `to ${to}`, (text) => ({ do: 'send', to, text }));

/** Acts on the chosen request, else that of the chosen member, else the first one. */
function deciding(state: State, approve: boolean, rows: readonly Row[]): State {
  const waiting = rows.flatMap((row) => (row.kind === 'problem' && row.problem.request ? [row.problem] : []));
  const at = rows[chosenRow(state, rows)];
  const own = at?.kind === 'problem' && at.problem.request ? at.problem : undefined;
  const member = chosen(state, rows);
  const problem = own ?? waiting.find((one) => one.member === member) ?? waiting[0];
  const { request, task } = problem ?? {};
  if (request === undefined) return { ...state, notice: 'No request waits for an answer.' };
  return request.kind === 'question' ? answering(state, request, approve) : judging(state, request, task, approve);
}

type Request = NonNullable<TeamProblem['request']>;

const answering = (state: State, { id, from }: Request, approve: boolean): State =>
  approve
    ? asking(state, `answer ${from}`, (text) => ({ do: 'answer', id, text }))
    : { ...state, notice: `${from} asked a question: press a to answer it.` };

/** Decides on a plan, or on work whose discussion ended without consensus. */
function judging(state: State, { from, kind }: Request, task: string | undefined, approve: boolean): State {
  if (task === undefined) return { ...state, notice: `The task of this request from ${from} no longer exists.` };
  const what = kind === 'plan' ? `${from}'s plan for #${task}` : `#${task} as it is`;
  if (approve) return asking(state, `approve ${what}, saying`, (text) => ({ do: 'decide', task, approve, text }), true);
  return kind === 'plan'
    ? asking(state, `refuse ${what}, because`, (text) => ({ do: 'decide', task, approve, text }))
    : asking(state, `have #${task} revised; requested changes`, (text) => ({ do: 'revise', task, text }));
}
