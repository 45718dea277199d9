/**
 * What a view says about the time before the part of a log that it reads: when members and the team entered their
 * states, and where the latest records about them are. It is folded with the board.
 */
import { speaker } from '../board/authority.ts';
import type { Board } from '../board/board.ts';
import type { BoardEvent, Change } from '../board/event.ts';
import type { Name } from '../text/names.ts';

/** How many places of records are kept of each subject: a view shows at most as many. */
const KEPT = 8;

/** The latest times of one member, ISO 8601; a time is absent if the event never happened. */
export interface MemberTrace {
  joined?: string | undefined;
  /** Its present process started. */
  started?: string | undefined;
  /** Its last claim ended. */
  freed?: string | undefined;
  left?: string | undefined;
  /** The last record about it or by it. */
  acted?: string | undefined;
  /** Offsets of its latest records, ascending. */
  readonly records: number[];
  /** Those of them about its process. */
  readonly ofProcess: number[];
}

export interface BoardTrace {
  readonly members: Map<Name, MemberTrace>;
  /** When the team was last opened, began to close, was closed, and since when it is paused. */
  opened?: string | undefined;
  closing?: string | undefined;
  closed?: string | undefined;
  paused?: string | undefined;
  /** When a task changed last. */
  changed?: string | undefined;
  /** Offsets of the latest records, ascending. */
  readonly records: number[];
}

export const emptyTrace = (): BoardTrace => ({ members: new Map(), records: [] });

/**
 * Adds an accepted event.
 *
 * @param board with the event
 * @param place the offset of its record
 */
export function trace(traced: BoardTrace, board: Board, event: BoardEvent, place: number): void {
  if (event.type === 'batch') for (const change of event.changes) traceChange(traced, board, { change, event, place });
  else traceChange(traced, board, { change: event, event, place });
  keep(traced.records, place);
}

/** Notes that a claim of a member ended. */
export function traceFreed(traced: BoardTrace, member: Name, at: string): void {
  of(traced, member).freed = at;
}

/** Changes after which a task's present attempt is another one, or none. */
const MOVES: ReadonlySet<string> = new Set<Change['type']>([
  'task.claimed',
  'task.completed',
  'task.submitted',
  'task.landed',
  'task.bounced',
  'task.failed',
  'task.skipped',
  'task.cancelled',
]);

/**
 * The tasks that a record is about: those of its changes, also where nothing changed, and those of the requests that it
 * makes or answers.
 *
 * @param board with the event
 * @returns by id, whether a claim or an end of the task is among the changes
 */
export function tasksNamedBy(event: BoardEvent, board: Pick<Board, 'requests'>): Map<string, boolean> {
  const named = new Map<string, boolean>();
  for (const change of event.type === 'batch' ? event.changes : [event]) {
    const request = 'request' in change ? board.requests.get(change.request) : undefined;
    const id = 'task' in change ? change.task : request?.task;
    if (id !== undefined) named.set(id, named.get(id) === true || MOVES.has(change.type));
  }
  return named;
}

interface TracedChange {
  readonly change: Change;
  /** The event that it is or belongs to. */
  readonly event: BoardEvent;
  readonly place: number;
}

function traceChange(traced: BoardTrace, board: Board, { change, event: { at, author }, place }: TracedChange): void {
  traceTeam(traced, change, at);
  const member = of(traced, 'name' in change ? change.name : speaker(author));
  member.acted = at;
  keep(member.records, place);
  if (change.type.startsWith('member.')) keep(member.ofProcess, place);
  if (change.type === 'member.joined') member.joined = at;
  else if (change.type === 'member.started') member.started = at;
  else if (change.type === 'member.left') member.left = at;
  // A question and its answer belong to the asking member, not to the one that answered.
  const asker = 'request' in change ? board.requests.get(change.request)?.from : undefined;
  if (asker !== undefined) keep(of(traced, asker).records, place);
}

function traceTeam(traced: BoardTrace, { type }: Change, at: string): void {
  if (type === 'team.opened') {
    traced.opened = at;
    traced.closing = undefined;
    traced.paused = undefined;
  } else if (type === 'team.closing') traced.closing = at;
  else if (type === 'team.paused') traced.paused = at;
  else if (type === 'team.unpaused') traced.paused = undefined;
  else if (type === 'team.closed') traced.closed = at;
  else if (type.startsWith('task.') && at > (traced.changed ?? '')) traced.changed = at;
}

/** Adds a place, and drops the oldest one of too many. */
export function keep(places: number[], place: number): void {
  if (places.at(-1) === place) return;
  places.push(place);
  if (places.length > KEPT) places.shift();
}

function of({ members }: BoardTrace, name: Name): MemberTrace {
  const known = members.get(name) ?? { records: [], ofProcess: [] };
  members.set(name, known);
  return known;
}
