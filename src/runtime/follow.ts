/** Looking at a team from outside, without taking anything: a member's mail, as it comes, and what its agent prints. */
import { dirname } from 'node:path';
import { UsageError } from '../model/errors.ts';
import type { Message } from '../model/message.ts';
import { LEAD, parseMemberName, type Name } from '../model/names.ts';
import { isOver } from '../model/request.ts';
import { InboxTail } from '../store/inbox-tail.ts';
import { pastMail, waitingMail, waitingMark } from '../store/inbox-view.ts';
import { OutputReader } from '../store/output-reader.ts';
import type { TeamReader } from '../store/team-reader.ts';
import { looks } from './looks.ts';
import type { TeamHandle } from './team.ts';

type Seen = Pick<TeamReader, 'paths' | 'disk' | 'clock'>;
type Asked = Pick<TeamReader, 'board'>;

/** @throws UsageError `BAD_NAME`, `UNKNOWN_MEMBER` */
export function knownMember({ board, paths }: Pick<TeamReader, 'board' | 'paths'>, text: string): Name {
  const name = parseMemberName(text);
  if (name === LEAD || board.fold().members.has(name)) return name;
  throw new UsageError(
    'UNKNOWN_MEMBER',
    `Team ${paths.name} has no member ${name}; \`teams status ${paths.name}\` lists them.`,
  );
}

/** A member's mail, without consuming it: what waits, or with `history` what was acknowledged. */
export const mailOf = (store: Seen & Asked, member: Name, { history = false } = {}): Iterable<Message> =>
  history ? pastMail(store.disk, store.paths.inbox(member)) : waitingOf(store, member);

/** Mail that waits; a question that was answered, wherever that was, waits no longer. */
function* waitingOf({ paths, disk, board }: Seen & Asked, member: Name): Generator<Message> {
  const folded = board.fold();
  for (const message of waitingMail(disk, paths.inbox(member))) if (!isOver(folded, message.id)) yield message;
}

/** What tells whether a member's waiting mail is still the same, without reading it. */
export const mailMark = ({ store }: TeamHandle, member: string): string =>
  waitingMark(store.disk, store.paths.inbox(knownMember(store, member)));

/** The mail that waits, then what comes, until `signal` aborts. */
export async function* followMail(
  { paths, disk, clock }: Seen,
  member: Name,
  signal: AbortSignal,
): AsyncGenerator<Message> {
  const inbox = paths.inbox(member);
  const tail = new InboxTail(disk, inbox);
  for await (const _ of looks(paths.folder, (path) => path === inbox.inbox, clock, signal)) yield* tail.look();
}

/**
 * Resolves when a member has mail.
 *
 * @returns false when there was none until `signal` aborted
 */
export async function mailCame({ paths, disk, clock }: Seen, member: Name, signal: AbortSignal): Promise<boolean> {
  const inbox = paths.inbox(member);
  for await (const _ of looks(paths.folder, (path) => path === inbox.inbox, clock, signal))
    for (const _message of waitingMail(disk, inbox)) return true;
  return false;
}

/** What a member's agent printed so far. */
export const outputOf = ({ paths, disk }: Seen, member: Name): Iterable<Buffer> =>
  new OutputReader(disk, paths.output(member)).look();

/** The same, and what it prints from now on, until `signal` aborts. */
export async function* followOutput(
  { paths, disk, clock }: Seen,
  member: Name,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const path = paths.output(member);
  const reader = new OutputReader(disk, path);
  for await (const _ of looks(dirname(path), (one) => one === path, clock, signal)) yield* reader.look();
}
