/** What a record of the log has beside its change: whether it is synced, its version, and who vouches for its commands. */
import type { Board } from '../../model/board/board.ts';
import type { Body } from '../../model/board/event.ts';
import { commandsOf, vouchedText } from '../../model/board/vouched-commands.ts';

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
  'task.failed',
  'task.cancelled',
  'task.skipped',
  'task.retried',
  'request.made',
  'request.answered',
  'batch',
]);

export const isDurable = ({ type }: Pick<Body, 'type'>): boolean => DURABLE.has(type);

/** Only the opener of a log and its lead raise its version: an older lead must still read every other record. */
export const raisesVersion = ({ type }: Body): boolean => type === 'log.opened' || type === 'lead.took';

/**
 * The mac of a record's commands; undefined for a record without commands.
 *
 * @param vouch makes the mac of commands that a person or the lead writes
 */
export function macOf(
  { team }: Board,
  id: string,
  body: Body,
  vouch: ((said: object) => string) | undefined,
): string | undefined {
  const commands = commandsOf(body);
  return team === undefined || commands.length === 0 ? undefined : vouch?.(vouchedText(team.id, id, commands));
}
