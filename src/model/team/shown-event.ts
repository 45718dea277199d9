/** An event of a team as views see it: a change that the board accepted, or a fact of the event log. */
import { speaker } from '../board/authority.ts';
import type { Board } from '../board/board.ts';
import { changeSchema, type Author, type BoardEvent, type Change } from '../board/event.ts';
import type { Task } from '../board/task.ts';
import type { TeamEvent } from './team-config.ts';

interface Head {
  readonly at: string;
  /** Whom it is about, or who did it. */
  readonly member?: string | undefined;
  /** What there is to say of it, in one line. */
  readonly text?: string | undefined;
}

type TaskChange = Extract<Change, { task: string }>;
type TeamChange = Exclude<Change, { task: string }>;

/** A change of a task, with the task as its record left it. */
type TaskFact = Head & { readonly type: TaskChange['type']; readonly task: Task };
/** A change of the team or of its members. */
type TeamFact = Head & {
  readonly type: TeamChange['type'];
  /** Which request was made or answered. */
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
  'view',
  'watch',
  'wisdom',
  'other',
] as const;
type Noun = (typeof FIRST_NOUNS)[number] | (typeof LAST_NOUNS)[number];
const NOUNS: ReadonlySet<string> = new Set([...FIRST_NOUNS, ...LAST_NOUNS]);

/** A fact that is not on the board; `task` is an id, and fields of its own follow. */
type LogFact = Head & {
  readonly type: `${Noun}.${string}` | 'task.given_back' | 'task.reported';
  readonly task?: string | undefined;
  readonly [field: string]: unknown;
};

export type Fact = TaskFact | TeamFact | LogFact;
/** With its place in the stream, from 1. */
export type ShownEvent = Fact & { readonly number: number };

const CHANGES: ReadonlySet<string> = new Set(changeSchema.options.map(({ shape }) => shape.type.value));

/** Whether it stands in the board's log; all else is in the event log. */
export const isOfBoard = ({ type }: Pick<Fact, 'type'>): boolean => CHANGES.has(type);

/** The changes of an accepted record, a batch's one by one; the board is as the whole record left it. */
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
  return task && { ...head, type: change.type, task };
}

function textOf(change: Change): { text?: string } {
  if (change.type === 'task.created') return { text: change.fields.subject };
  if (change.type === 'task.assigned') return { text: `to ${change.owner ?? 'nobody'}` };
  if (change.type === 'task.completed') return { text: change.result.summary };
  if (change.type === 'task.released') return { text: `${change.reason}: ${change.why}` };
  if (change.type === 'member.joined') return { text: `as ${change.role}` };
  if (change.type === 'request.made') return { text: `${change.request}: ${change.text}` };
  if (change.type === 'request.answered') return { text: `${change.request}: ${change.text}` };
  return 'why' in change ? { text: change.why } : {};
}

/** A type that is not ours keeps its name, under the noun `other`. */
export function logFact({ type, ...facts }: TeamEvent): Fact {
  return { ...facts, type: isLogType(type) ? type : `other.${type}` };
}

const isLogType = (type: string): type is LogFact['type'] =>
  type === 'task.given_back' || type === 'task.reported' || NOUNS.has(type.slice(0, type.indexOf('.')));
