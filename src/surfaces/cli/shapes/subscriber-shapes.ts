/** What a subscriber gets on stdin: each event of the board has a schema of its own name, `#/$defs/task.failed`. */
import * as z from 'zod';
import type { Change } from '../../../app.ts';
import { text, time } from './base-shapes.ts';
import { anyTask } from './task-shapes.ts';

const head = {
  team: text,
  /** The directory that holds `.teams`. */
  root: text,
  at: time,
  /** The member that it is about, or that did it. */
  member: text.optional(),
  /** Its content in one line. */
  text: z.string().optional(),
};
const task = anyTask.meta({ id: 'task' });

/** What an event of the board tells beside its head. */
const EVENTS = {
  'log.opened': 'team',
  'team.opened': 'team',
  'team.closing': 'team',
  'team.closed': 'team',
  'team.paused': 'team',
  'team.unpaused': 'team',
  'member.joined': 'team',
  'member.left': 'team',
  'member.started': 'team',
  'lead.took': 'team',
  'common.shared': 'team',
  'task.created': 'task',
  'task.assigned': 'task',
  'task.claimed': 'task',
  'task.released': 'task',
  'task.completed': 'task',
  'task.failed': 'task',
  'task.submitted': 'task',
  'task.landed': 'task',
  'task.bounced': 'task',
  'task.retried': 'task',
  'task.skipped': 'task',
  'task.cancelled': 'task',
  'task.blocked': 'task',
  'task.unblocked': 'task',
  'task.updated': 'task',
  'task.changed': 'task',
  'request.made': 'request',
  'request.withdrawn': 'request',
  'request.answered': 'request',
} as const satisfies Record<Change['type'], 'task' | 'request' | 'team'>;

const own = { task: { task }, request: { request: text }, team: {} };
const boardEvents = Object.entries(EVENTS).map(([type, kind]) =>
  z.strictObject({ ...head, ...own[kind], type: z.literal(type) }).meta({ id: type }),
);
const names = Object.keys(EVENTS)
  .map((type) => type.replace('.', String.raw`\.`))
  .join('|');

/** An event that is not of the board: it has more fields of its own. */
const loggedEvent = z
  .looseObject({
    ...head,
    type: z.string().regex(new RegExp(`^(?!(?:${names})$)[a-z_]+\\.[a-z_]+$`)),
    task: text.optional(),
  })
  .meta({ id: 'logged' });

export const subscriberLine = z.union([...boardEvents, loggedEvent]);
