/**
 * Which author may write which change on a board. A process is accepted by its incarnation, a lead by its epoch, a
 * person by the epoch that it read. An author that was replaced is refused. `task-law.ts` decides what a change does to
 * a task.
 */
import { refused, type Board, type Refused } from './board.ts';
import type { Author, Change } from './event.ts';
import { LEAD, type Name } from '../text/names.ts';
import { isExecutable } from './task.ts';

/** True for the lead, and for a person who writes as the lead. */
export const commands = (author: Author): boolean => 'lead' in author || ('person' in author && author.person === LEAD);

/** The author's member name, or `lead`. */
export const speaker = (author: Author): Name =>
  'by' in author ? author.by : 'person' in author ? author.person : LEAD;

/** The incarnation of a claim made by a person, who has no process. */
export const PERSON = 'person';

/** The author's incarnation: a process's, or {@link PERSON}. */
export const incarnationOf = (author: Author): string =>
  'by' in author ? author.inc : 'person' in author ? PERSON : author.lead;

const OPEN_TO_MEMBERS = new Set<Change['type']>([
  'member.started',
  'member.left',
  'task.created',
  'task.claimed',
  'task.released',
  'task.completed',
  'task.submitted',
  'task.failed',
  'task.updated',
  'request.made',
  'request.withdrawn',
]);

/**
 * Whether this author may write this change at all.
 *
 * @returns undefined if allowed, else the refusal
 */
export function authorRefusal(board: Board, change: Change, author: Author): Refused | undefined {
  // The first event is written before there is a lead; drawing an epoch makes a process the lead.
  if (change.type === 'log.opened')
    return commands(author) ? undefined : refused('POLICY_DENIED', 'only a lead opens a log');
  if (change.type === 'lead.took')
    return 'lead' in author ? undefined : refused('POLICY_DENIED', 'only a lead takes the lead');
  if (!('by' in author)) {
    if (isStaleLead(board, author))
      return refused('STALE_LEAD', `epoch ${author.epoch} is over; the lead's is ${board.lead.epoch}`);
    if (commands(author)) return undefined;
  }
  return OPEN_TO_MEMBERS.has(change.type)
    ? memberRefusal(board, change, author)
    : refused('POLICY_DENIED', `${change.type} may be written by the lead only`);
}

const isStaleLead = (board: Board, author: Exclude<Author, { by: Name }>): boolean =>
  author.epoch !== board.lead.epoch || ('lead' in author && author.lead !== board.lead.incarnation);

/**
 * A member's process creates no task with a command or with variables of its environment. Part of the law since
 * version 2 of the log; in a log of version 1 the writer asks.
 */
export const commandRefusal = (change: Change, author: Author): Refused | undefined =>
  'by' in author && change.type === 'task.created' && isExecutable(change.fields.work)
    ? refused(
        'POLICY_DENIED',
        `${author.by} may not create a task with run, verify or env; a command stands in the plan, or its lead creates the task`,
      )
    : undefined;

function memberRefusal(board: Board, change: Change, author: Author): Refused | undefined {
  const name = speaker(author);
  const member = board.members.get(name);
  if ('name' in change && change.name !== name)
    return refused('POLICY_DENIED', `${name} cannot speak for ${change.name}`);
  if (member?.state !== 'joined') return refused('UNKNOWN_MEMBER', `${name} is no member`);
  if (!('by' in author)) return undefined;
  const refusal = board.version === 1 ? undefined : commandRefusal(change, author);
  if (refusal) return refusal;
  // A new incarnation is not current yet; it may announce only itself.
  const life = change.type === 'member.started' ? change.inc : member.incarnation;
  return life === author.inc ? undefined : refused('STALE_MEMBER', `this process of ${name} was replaced`);
}
