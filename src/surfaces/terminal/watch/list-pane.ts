/**
 * The list of problems, members and tasks. The chosen row is always visible. Members that do not fit one below the
 * other are drawn in two columns.
 */
import { count, safeLine } from '../../../app.ts';
import type { DashboardModel } from './dashboard-model.ts';
import { chosenRow, keyOf } from './dashboard-rows.ts';
import { cardLine, memberCell, memberLines, problemLine } from './panes.ts';
import { allocateLines } from './screen-space.ts';
import { filled, heading, type StyledLine } from './styled-line.ts';

/** Columns of one of two members in a line, at least. */
const CELL = 28;

/** A row that the mouse can choose, and the column in which it begins. */
export interface RowPlace {
  readonly from: number;
  readonly key: string;
}

export interface ListLine {
  readonly line: StyledLine;
  readonly places: readonly RowPlace[];
}

export function listPane(look: DashboardModel, room: number, columns: number): readonly ListLine[] {
  const { problems, members } = look.shown;
  const at = chosenRow(look.state, look.rows);
  const inMembers = at - problems.length;
  const inTasks = inMembers - members.length;
  const isInMembers = inMembers >= 0 && inTasks < 0;
  const { forProblems, forMembers, forTasks, isGrid } = divided(look, {
    room,
    columns,
    isInMembers,
    isInTasks: inTasks >= 0,
  });
  return [
    ...problemPart(look, at, forProblems),
    ...(isGrid ? memberGrid(look, inMembers, { room: forMembers, columns }) : memberPart(look, inMembers, forMembers)),
    ...taskPart(look, inTasks, forTasks),
  ];
}

interface DivisionOf {
  readonly room: number;
  readonly columns: number;
  /** Where the chosen row is. */
  readonly isInMembers: boolean;
  readonly isInTasks: boolean;
}

interface Divided {
  readonly forProblems: number;
  readonly forMembers: number;
  readonly forTasks: number;
  /** Two members share a line. */
  readonly isGrid: boolean;
}

/** Members that do nothing any more: where lines are scarce, the heading counts them. */
const AT_REST: ReadonlySet<string> = new Set(['stopped', 'left', 'joined']);

/**
 * Gives each part its lines. Members at rest get what the tasks leave, unless one is chosen. If all members fit once
 * the tasks are left out, they are left out until one is chosen: the members name the tasks that are worked on, and the
 * header counts the others.
 */
function divided(
  { shown: { problems, members, cards } }: DashboardModel,
  { room, columns, isInMembers, isInTasks }: DivisionOf,
): Divided {
  const wish = (lines: number) => ({ least: 2, want: lines + 1 });
  const awake = isInMembers ? members.length : members.filter(({ state }) => !AT_REST.has(state)).length;
  const forProblem = problems.length === 0 ? { least: 0, want: 0 } : wish(problems.length);
  const share = (lines: number): Divided => {
    const [forProblems = 0, forAwake = 0, forTasks = 0] = allocateLines(room, [
      forProblem,
      wish(Math.min(lines, awake)),
      wish(cards.length),
    ]);
    const left = forAwake === 0 ? 0 : room - forProblems - forAwake - forTasks;
    const forMembers = Math.min(lines + 1, forAwake + left);
    return { forProblems, forMembers, forTasks, isGrid: lines < members.length };
  };
  const single = share(members.length);
  if (single.forMembers > awake || columns < 2 * CELL) return single;
  const lines = Math.ceil(members.length / 2);
  const grid = share(lines);
  if (grid.forMembers > lines || isInTasks) return grid;
  const [forProblems = 0, forMembers = 0] = allocateLines(room, [forProblem, wish(lines)]);
  return forMembers > lines ? { forProblems, forMembers, forTasks: 0, isGrid: true } : grid;
}

function problemPart({ shown, snapshot }: DashboardModel, at: number, room: number): ListLine[] {
  if (room === 0) return [];
  const [from, to] = windowAround(shown.problems.length, at, room - 1);
  const lines = shown.problems
    .slice(from, to)
    .map((problem, index) =>
      single(problemLine(problem, snapshot.at, from + index === at), keyOf({ kind: 'problem', problem })),
    );
  return part('NEEDS YOU', String(shown.problems.length), lines, { from, to, of: shown.problems.length });
}

function memberPart(look: DashboardModel, at: number, room: number): ListLine[] {
  if (room === 0) return [];
  const { members } = look.shown;
  const [from, to] = windowAround(members.length, at, room - 1);
  const some = { ...look, shown: { ...look.shown, members: members.slice(from, to) } };
  const lines = memberLines(some, (name) => members[at]?.name === name).map((line, index) =>
    single(line, memberKey(members[from + index])),
  );
  return part('MEMBERS', membersNote(look), lines, { from, to, of: members.length });
}

/** Two members in a line; the order goes down the left column, then down the right one. */
function memberGrid(
  look: DashboardModel,
  at: number,
  { room, columns }: { room: number; columns: number },
): ListLine[] {
  if (room === 0) return [];
  const { members } = look.shown;
  const [from, to] = windowAround(members.length, at, 2 * (room - 1));
  const some = members.slice(from, to);
  const height = Math.ceil(some.length / 2);
  const width = Math.floor((columns - 1) / 2);
  const cells = some.map((member, index) => ({
    line: memberCell(member, look, from + index === at),
    key: memberKey(member),
  }));
  const lines = cells.slice(0, height).map(({ line, key }, index): ListLine => {
    const right = cells[height + index];
    const places = [{ from: 0, key }];
    if (right === undefined) return { line, places };
    return {
      line: [...filled(line, width), { text: ' ' }, ...right.line],
      places: [...places, { from: width + 1, key: right.key }],
    };
  });
  return part('MEMBERS', membersNote(look), lines, { from, to, of: members.length });
}

const memberKey = (member: DashboardModel['shown']['members'][number] | undefined): string =>
  keyOf({ kind: 'member', member: member?.name ?? '' });

function membersNote(look: DashboardModel): string {
  const { members } = look.shown;
  const working = members.filter(({ state }) => state === 'working').length;
  return [`${working} of ${members.length} working`, filterNote(look)].filter((text) => text !== '').join(', ');
}

const filterNote = ({ state }: DashboardModel): string =>
  state.filter === '' ? '' : `only with "${safeLine(state.filter)}"`;

/** Only lines that fit are made, because a board may have thousands. */
function taskPart(look: DashboardModel, at: number, room: number): ListLine[] {
  if (room === 0) return [];
  const { cards } = look.shown;
  const [from, to] = windowAround(cards.length, at, room - 1);
  const lines = cards
    .slice(from, to)
    .map((card, index) => single(cardLine(card, look, from + index === at), keyOf({ kind: 'task', card })));
  return part('TASKS', countsOf(look), lines, { from, to, of: cards.length });
}

const single = (line: StyledLine, key: string): ListLine => ({ line, places: [{ from: 0, key }] });

interface Part {
  readonly from: number;
  readonly to: number;
  readonly of: number;
}

/** A heading, the lines, and how many are hidden above and below. */
function part(title: string, note: string, lines: readonly ListLine[], { from, to, of }: Part): ListLine[] {
  // Without a line there is no above and below.
  const around = lines.length === 0 ? [] : [from > 0 ? `${from} above` : '', to < of ? `${of - to} below` : ''];
  const hidden = around.filter((text) => text !== '');
  const rest = [note, ...(hidden.length === 0 ? [] : [`(${hidden.join(', ')})`])]
    .filter((text) => text !== '')
    .join(' ');
  return [{ line: heading(title, rest), places: [] }, ...lines];
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
