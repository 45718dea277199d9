/** What a record of the log has beside its change: whether it is synced, its version, and who vouches for its commands. */
import type { Board, Refused } from '../../model/board/board.ts';
import { LOG_VERSION, type BoardEvent, type Body } from '../../model/board/event.ts';
import { commandsOf, vouchedText } from '../../model/board/vouched-commands.ts';
import { StoreError } from '../../model/text/errors.ts';

/**
 * These events are synced before the call returns. Claims and releases are not: after a power loss every claimant is
 * dead.
 */
const DURABLE = new Set<Body['type']>([
  'log.opened',
  'team.opened',
  'team.closed',
  'member.joined',
  'member.started',
  'lead.took',
  'task.created',
  'task.completed',
  'task.submitted',
  'task.landed',
  'task.bounced',
  'task.failed',
  'task.cancelled',
  'task.skipped',
  'task.retried',
  'task.changed',
  'request.made',
  'request.answered',
  'request.withdrawn',
  'batch',
]);

/** In the order of its line. */
export const recordOf = (event: BoardEvent): object => {
  const { id, v, at, author, mac, signature } = event;
  return Object.assign({ id, v, at, author, mac, signature }, event);
};

export const isDurable = ({ type }: Pick<Body, 'type'>): boolean => DURABLE.has(type);

/** Only the opener of a log and its lead raise its version: an older lead must still read every other record. */
export const raisesVersion = ({ type }: Body): boolean => type === 'log.opened' || type === 'lead.took';

/** What proves that commands come from the user. */
export type Proof = Pick<BoardEvent, 'mac' | 'signature'>;

/**
 * The proof of a record's commands; empty for a record without commands.
 *
 * @param vouch makes the proof of commands that a person or the lead writes
 */
export function proofOf({ team }: Board, id: string, body: Body, vouch: ((said: object) => Proof) | undefined): Proof {
  const commands = commandsOf(body);
  return team === undefined || commands.length === 0 ? {} : (vouch?.(vouchedText(team.id, id, commands)) ?? {});
}

/** Whether another process already created a task with an id that a refused change proposed. */
export function lostIdRace({ lastTaskId }: Board, { code }: Refused, body: Body): boolean {
  const changes = body.type === 'batch' ? body.changes : [body];
  const isTaken = (id: string): boolean => Number(id) <= lastTaskId;
  return code === 'DUPLICATE' && changes.some((change) => change.type === 'task.created' && isTaken(change.task));
}

export const newerLog = (path: string, version: number): StoreError =>
  new StoreError(
    'NEWER_VERSION',
    `${path} has events of version ${version}; this program knows ${LOG_VERSION}. Update it.`,
    { path },
  );

/** A log is never rewritten: somebody copied another one over it. */
export const replacedLog = (path: string): StoreError =>
  new StoreError(
    'TEAM_GONE',
    `What this process read of ${path} is not there any more: the team was replaced, perhaps by a copy of an earlier time.`,
    { path },
  );
