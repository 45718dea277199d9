/** An event of a team for views: a change that the board accepted, or an event of the event log. */
import { speaker } from '../board/authority.ts';
import { allDependants, type Board } from '../board/board.ts';
import type { Author, BoardEvent, Change } from '../board/event.ts';
import type { Task } from '../board/task.ts';
import type { TeamEvent } from './team-event.ts';

interface Head {
  readonly at: string;
  /** The member that it is about, or that did it. */
  readonly member?: string | undefined;
  /** Its content in one line. */
  readonly text?: string | undefined;
  /** It was recorded before the place that its reader named. */
  readonly isPast?: boolean;
}

type TaskChange = Extract<Change, { task: string }>;
type TeamChange = Exclude<Change, { task: string }>;

/** A change of a task, with the task after the record. */
type TaskFact = Head & { readonly type: TaskChange['type']; readonly task: Task };
/** A change of the team or of its members. */
type TeamFact = Head & {
  readonly type: TeamChange['type'];
  /** The request that was made or answered. */
  readonly request?: string;
};

const FIRST_NOUNS = [
  'agent',
  'baseline',
  'board',
  'boundary',
  'bus',
  'discussion',
  'exploration',
  'checkpoint',
  'fast_advance',
  'fix',
  'gate',
  'hook',
  'landing',
  'lead',
  'lock',
  'mail',
  'member',
  'message',
  'plan',
] as const;
const LAST_NOUNS = [
  'phase',
  'reaper',
  'role',
  'run',
  'shutdown',
  'spawn',
  'start',
  'state',
  'subagent',
  'team',
  'teammate',
  'tree',
  'view',
  'watch',
  'wisdom',
  'other',
] as const;
/** Written out: a view needs them, and most need none of the schemas of the log. */
const CHANGE_TYPES: Readonly<Record<Change['type'], true>> = {
  'log.opened': true,
  'team.opened': true,
  'team.closing': true,
  'team.closed': true,
  'team.paused': true,
  'team.unpaused': true,
  'member.joined': true,
  'member.left': true,
  'member.started': true,
  'lead.took': true,
  'common.shared': true,
  'task.created': true,
  'task.assigned': true,
  'task.claimed': true,
  'task.released': true,
  'task.completed': true,
  'task.failed': true,
  'task.submitted': true,
  'task.landed': true,
  'task.bounced': true,
  'task.retried': true,
  'task.skipped': true,
  'task.cancelled': true,
  'task.blocked': true,
  'task.unblocked': true,
  'task.updated': true,
  'task.changed': true,
  'request.made': true,
  'request.withdrawn': true,
  'request.answered': true,
};
const CHANGES: ReadonlySet<string> = new Set(Object.keys(CHANGE_TYPES));

/** The nouns with which the names of events begin, those of the board included. */
export const EVENT_NOUNS: ReadonlySet<string> = new Set([
  ...[...CHANGES].map((type) => type.slice(0, type.indexOf('.'))),
  ...FIRST_NOUNS,
  ...LAST_NOUNS,
]);

type Noun = (typeof FIRST_NOUNS)[number] | (typeof LAST_NOUNS)[number];
const NOUNS: ReadonlySet<string> = new Set([...FIRST_NOUNS, ...LAST_NOUNS]);

/** An event that is not on the board; `task` is an id, and further fields follow. */
type LogFact = Head & {
  readonly type: `${Noun}.${string}` | 'task.given_back' | 'task.reported';
  readonly task?: string | undefined;
  readonly [field: string]: unknown;
};

export type Fact = TaskFact | TeamFact | LogFact;
/** With its number in the stream, from 1. */
export type ShownEvent = Fact & { readonly number: number };

/** Whether the fact is in the board's log; all others are in the event log. */
export const isOfBoard = ({ type }: Pick<Fact, 'type'>): boolean => CHANGES.has(type);

/** The changes of an accepted record; those of a batch one by one. `board` is the board after the whole record. */
export function factsOf(event: BoardEvent, board: Board): Fact[] {
  const { at, author } = event;
  const changes = event.type === 'batch' ? event.changes : [event];
  return changes.flatMap((change) => factOf(change, author, at, board) ?? []);
}

function factOf(change: Change, author: Author, at: string, board: Board): Fact | undefined {
  const head = { at, member: 'name' in change ? change.name : speaker(author), ...textOf(change) };
  if (!('task' in change))
    return { ...head, type: change.type, ...('request' in change ? { request: change.request } : {}) };
  const task = board.tasks.get(change.task);
  if (task === undefined) return undefined;
  const along = change.type === 'task.skipped' && change.cascade ? alongWith(board, task) : '';
  return {
    ...head,
    type: change.type,
    task,
    ...(along === '' ? {} : { text: `${head.text ?? ''} (with it ${along})` }),
  };
}

/** At most this many of the tasks that are skipped with another are named. */
const NAMED = 5;

function alongWith(board: Board, { id, updated_at: at }: Task): string {
  const skipped = allDependants(board, id).filter((one) => one.status === 'skipped' && one.updated_at === at);
  const ids = skipped.map((one) => `#${one.id}`);
  return ids.length <= NAMED ? ids.join(', ') : `${ids.slice(0, NAMED).join(', ')} and ${ids.length - NAMED} more`;
}

function textOf(change: Change): { text?: string } {
  if (change.type === 'task.created' || change.type === 'task.changed') return { text: change.fields.subject };
  if (change.type === 'task.assigned') return { text: `to ${change.owner ?? 'nobody'}` };
  if (change.type === 'task.completed' || change.type === 'task.submitted') return { text: change.result.summary };
  if (change.type === 'task.landed') return { text: `as ${change.commit.slice(0, 12)}` };
  if (change.type === 'task.bounced') return { text: `${change.cause}: ${change.why}` };
  if (change.type === 'task.released') return { text: `${change.reason}: ${change.why}` };
  if (change.type === 'member.joined') return { text: `as ${change.role}` };
  if (change.type === 'request.made') return { text: `${change.request}: ${change.text}` };
  if (change.type === 'request.answered') return { text: `${change.request}: ${change.text}` };
  return 'why' in change ? { text: change.why } : {};
}

/** An unknown type keeps its name, after the noun `other`. */
export function logFact({ type, ...facts }: TeamEvent): Fact {
  return { ...facts, type: isLogType(type) ? type : `other.${type}` };
}

const isLogType = (type: string): type is LogFact['type'] =>
  type === 'task.given_back' || type === 'task.reported' || NOUNS.has(type.slice(0, type.indexOf('.')));
