/** What a key does to the dashboard: state and key in, next state and an order out. Pure. */
import { charactersOf } from '../text-width.ts';
import { chosenRow, keyOf, subjectOf, type Row, type Subject } from './dashboard-rows.ts';
import type { Key, Order, Pane, Prompt, State } from './dashboard-state.ts';
import { NO_SPACE, type OutputSpace } from './output-pane.ts';
import { pressInPast } from './past-bar.ts';
import { confirming, deciding, filtering, searching, sending } from './prompts.ts';

/** What is on the screen when a key is pressed. */
export interface Shown {
  readonly rows: readonly Row[];
  /** The lines of the output, all that are kept. */
  readonly lines: readonly string[];
  /** Where they are drawn. */
  readonly space: OutputSpace;
  /** The key of the row that is drawn at a cell; undefined where there is none. */
  readonly rowAt: (x: number, y: number) => string | undefined;
  /** In a view of the past: where in its time a cell of the bar stands, 0 to 1; undefined elsewhere. */
  readonly shareAt?: ((x: number, y: number) => number | undefined) | undefined;
}

export const NOTHING_SHOWN: Shown = { rows: [], lines: [], space: NO_SPACE, rowAt: () => undefined };

interface Pressed {
  readonly state: State;
  readonly order?: Order | undefined;
}

const WHEEL = 3;

export function press(state: State, key: Key, shown: Shown): Pressed {
  if (state.prompt && key.kind !== 'interrupt' && key.kind !== 'suspend') return typed(state, state.prompt, key, shown);
  const quiet = { ...state, notice: '' };
  const inPast = shown.shareAt === undefined ? undefined : pressInPast(quiet, key, shown.shareAt);
  if (inPast !== undefined) return inPast;
  const page = Math.max(1, shown.space.height - 1);
  switch (key.kind) {
    case 'interrupt':
      return { state, order: { do: 'quit' } };
    case 'suspend':
      return { state, order: { do: 'suspend' } };
    case 'escape':
      return { state: left(quiet) };
    case 'up':
      return { state: moved(quiet, -1, shown) };
    case 'down':
      return { state: moved(quiet, 1, shown) };
    case 'pageUp':
      return { state: scrolled(quiet, page, shown) };
    case 'pageDown':
      return { state: scrolled(quiet, -page, shown) };
    case 'home':
      return { state: isList(quiet) ? chose(quiet, shown.rows[0]) : scrolled(quiet, Infinity, shown) };
    case 'end':
      return { state: isList(quiet) ? chose(quiet, shown.rows.at(-1)) : { ...quiet, back: 0 } };
    case 'tab':
      return { state: isList(quiet) ? nextPart(quiet, shown.rows) : quiet };
    case 'enter':
      return { state: isList(quiet) ? opened(quiet, shown.rows) : quiet };
    case 'erase':
    case 'left':
    case 'right':
    case 'stepLeft':
    case 'stepRight':
      return { state: quiet };
    case 'click':
    case 'wheelUp':
    case 'wheelDown':
      return { state: pointed(quiet, key, shown) };
    case 'text':
      return command(quiet, key.text, shown);
    default:
      return key satisfies never;
  }
}

function typed(state: State, prompt: Prompt, key: Key, shown: Shown): Pressed {
  const next = (text: string): Pressed => ({ state: { ...state, prompt: { ...prompt, text } } });
  const { prompt: _, ...rest } = state;
  if (key.kind === 'escape') return { state: rest };
  if (key.kind === 'erase') return next(charactersOf(prompt.text).slice(0, -1).join(''));
  if (key.kind === 'text') return next(prompt.text + key.text);
  if (key.kind !== 'enter') return { state };
  const text = prompt.text.trim();
  if (text === '' && !prompt.mayBeEmpty) return { state: rest };
  const asked = prompt.then(text);
  if ('order' in asked) return { state: rest, order: asked.order };
  if ('filter' in asked) return { state: { ...rest, filter: asked.filter, selected: '' } };
  return { state: found({ ...rest, find: asked.find }, shown, 'first') };
}

const isList = ({ pane }: State): boolean => pane.kind === 'team';

/** From a pane back to the team; from the team, without its filter and its search. */
const left = (state: State): State =>
  isList(state) ? { ...state, filter: '', find: '', back: 0 } : { ...state, pane: { kind: 'team' }, back: 0, find: '' };

const chose = (state: State, row: Row | undefined): State => ({
  ...state,
  selected: row === undefined ? '' : keyOf(row),
  back: 0,
});

/** In the list, to the next row; elsewhere up moves back in time. */
function moved(state: State, by: number, shown: Shown): State {
  if (!isList(state)) return scrolled(state, -by, shown);
  const { rows } = shown;
  return chose(state, rows[Math.max(0, Math.min(rows.length - 1, chosenRow(state, rows) + by))]);
}

const scrolled = (state: State, by: number, { space: { mostBack } }: Shown): State => ({
  ...state,
  back: Math.max(0, Math.min(Math.min(state.back, mostBack) + by, mostBack)),
});

/** The first row of the next part: problems, members, tasks. */
function nextPart(state: State, rows: readonly Row[]): State {
  const at = chosenRow(state, rows);
  const kind = rows[at]?.kind;
  return chose(state, rows.slice(at).find((row) => row.kind !== kind) ?? rows[0]);
}

function pointed(state: State, { kind, x, y }: Extract<Key, { x: number }>, shown: Shown): State {
  const at = shown.rowAt(x, y);
  if (kind === 'click') return at === undefined || !isList(state) ? state : { ...state, selected: at, back: 0 };
  const isUp = kind === 'wheelUp';
  return at === undefined ? scrolled(state, isUp ? WHEEL : -WHEEL, shown) : moved(state, isUp ? -1 : 1, shown);
}

/** What the person looks at: in a pane its own subject, else that of the chosen row. */
export function subjectIn(
  { pane, selected }: Pick<State, 'pane' | 'selected'>,
  rows: readonly Row[],
): Subject | undefined {
  if (pane.kind === 'output') return pane.of;
  if (pane.kind === 'inbox') return { kind: 'member', member: pane.member };
  if ((pane.kind === 'diff' || pane.kind === 'why') && pane.task !== undefined)
    return { kind: 'task', task: pane.task };
  return subjectOf(rows[chosenRow({ selected }, rows)]);
}

function opened(state: State, rows: readonly Row[]): State {
  const of = subjectIn(state, rows);
  return of === undefined
    ? { ...state, notice: 'This row has no output.' }
    : { ...state, pane: { kind: 'output', of }, back: 0, find: '' };
}

function command(state: State, text: string, shown: Shown): Pressed {
  const { rows } = shown;
  const row = rows[chosenRow(state, rows)];
  const subject = subjectIn(state, rows);
  const member = memberIn(state, row);
  // Changes and reasons are read from their beginning, outputs and mail from their end.
  const at = (pane: Pane): Pressed => ({
    state: { ...state, pane, back: pane.kind === 'diff' || pane.kind === 'why' ? Infinity : 0, find: '' },
  });
  const task = subject?.kind === 'task' ? subject.task : undefined;
  switch (text) {
    case 'q':
      return isList(state) ? { state, order: { do: 'quit' } } : { state: left(state) };
    case 'p':
      return { state, order: { do: 'plain' } };
    case 'l':
    case 'o':
      return { state: opened(state, rows) };
    case 'i':
      return member === undefined
        ? { state: { ...state, notice: 'Choose a member first, with the arrow keys.' } }
        : at({ kind: 'inbox', member });
    case 'I':
      return at({ kind: 'inbox', member: 'lead' });
    case 'd':
      return at({ kind: 'diff', task });
    case 'w':
      return at({ kind: 'why', task });
    case 'k':
      return { state: moved(state, -1, shown) };
    case 'j':
      return { state: moved(state, 1, shown) };
    case 'g':
      return press(state, { kind: 'home' }, shown);
    case 'G':
      return press(state, { kind: 'end' }, shown);
    case '?':
      return { state: { ...state, pane: { kind: 'help' } } };
    case 'f':
      return { state: filtering(state) };
    case '/':
      return { state: isList(state) ? filtering(state) : searching(state) };
    case 'n':
      return { state: found(state, shown, 'older') };
    case 'N':
      return { state: found(state, shown, 'newer') };
    case 'y':
      return { state, order: { do: 'copy' } };
    case 'm':
      return { state: { ...state, hasMouse: !state.hasMouse, notice: mouseNotice(!state.hasMouse) } };
    case 's':
      return { state: sending(state, member) };
    case 'a':
      return { state: deciding(state, true, { rows, row, member }) };
    case 'r':
      return retrying(state, row, task, () => deciding(state, false, { rows, row, member }));
    case 'R':
      return { state, order: { do: 'retryAll' } };
    case 'P':
      return { state, order: { do: 'pause' } };
    case 'x':
      return { state: confirming(state, subject) };
    default:
      return { state };
  }
}

const mouseNotice = (isOn: boolean): string =>
  isOn ? 'The mouse chooses rows and scrolls.' : "The mouse is the terminal's again; m gives it back.";

/** Retries the chosen task; on a request it refuses instead. */
function retrying(state: State, row: Row | undefined, task: string | undefined, refuse: () => State): Pressed {
  const isRequest = isList(state) && row?.kind === 'problem' && row.problem.request !== undefined;
  if (isRequest || task === undefined) return { state: refuse() };
  return { state, order: { do: 'retry', task } };
}

/** The member of the chosen row: for a task, the one that works on it or did. */
function memberIn({ pane }: State, row: Row | undefined): string | undefined {
  if (pane.kind === 'inbox') return pane.member;
  if (pane.kind === 'output' && pane.of.kind === 'member') return pane.of.member;
  if (row?.kind === 'member') return row.member;
  if (row?.kind === 'task') return row.card.member ?? undefined;
  return row?.problem.member;
}

/** Scrolls to a line with the searched text: the last one, or the next one in a direction. */
function found(state: State, { lines, space: { mostBack } }: Shown, which: 'first' | 'older' | 'newer'): State {
  const wanted = state.find.toLowerCase();
  if (wanted === '') return { ...state, notice: 'Nothing is searched; / asks for a text.' };
  const bottom = lines.length - 1 - Math.min(state.back, mostBack);
  const has = (line: string): boolean => line.toLowerCase().includes(wanted);
  const at =
    which === 'newer'
      ? lines.findIndex((line, index) => index > bottom && has(line))
      : lines.findLastIndex((line, index) => (which === 'first' ? true : index < bottom) && has(line));
  if (at < 0) return { ...state, notice: `No ${which === 'first' ? '' : `${which} `}line has "${state.find}".` };
  // The line found is the last one on the screen, unless the text begins below it.
  return {
    ...state,
    back: Math.max(0, Math.min(lines.length - 1 - at, mostBack)),
    notice: '',
  };
}
