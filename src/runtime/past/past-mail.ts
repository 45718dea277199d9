/**
 * The mail of a team's past: what was sent to whom by a moment, and how much of it was unread. Mail had been read by then
 * if its receipt says so (`store/mail/receipts.ts`); of mail that was read and has none, the time is unknown.
 */
import type { Message } from '../../model/team/message.ts';
import type { Name } from '../../model/text/names.ts';
import { receiptsIn, type AcknowledgedAt } from '../../store/mail/receipts.ts';
import type { TeamReader } from '../../store/team/team-reader.ts';
import { mailOf } from '../views/follow.ts';

/** A moment, as far as mail is concerned. */
export interface MailMoment {
  /** Milliseconds since 1970. */
  readonly ms: number;
  /** The size that the board's log had, in bytes. */
  readonly log: number;
  /** Its last event is of the board's log. */
  readonly isOfBoard: boolean;
}

/** One message, without its text. */
interface SentMail {
  /** Milliseconds since 1970. */
  readonly sentAt: number;
  readonly read: 'no' | 'unknown' | AcknowledgedAt;
}

/** What one member or the lead was sent until it was looked at, without the texts. */
export class PastInbox {
  readonly #sent: readonly SentMail[];

  constructor(store: TeamReader, to: Name) {
    const receipts = receiptsIn(store.disk, store.paths.inbox(to));
    const used = new Set(Array.from(mailOf(store, to, { history: true }), ({ id }) => id));
    this.#sent = allMail(store, to).map(({ id, timestamp }) => ({
      sentAt: msOf(timestamp),
      read: receipts.get(id) ?? (used.has(id) ? 'unknown' : 'no'),
    }));
  }

  /** How many messages that were sent by then were not read yet; null if that was not recorded. */
  unreadAt(then: MailMoment): number | null {
    let unread = 0;
    for (const { sentAt, read } of this.#sent) {
      if (sentAt > then.ms) continue;
      if (read === 'unknown') return null;
      if (read === 'no' || isLater(read, then)) unread += 1;
    }
    return unread;
  }
}

/** What was sent to an inbox by then, read or not, the oldest first. */
export const mailSentBy = (store: TeamReader, to: Name, ms: number): Message[] =>
  allMail(store, to).filter(({ timestamp }) => msOf(timestamp) <= ms);

/** The place of the board decides; with the same place, and among events that are not of the board, the times do. */
function isLater(read: AcknowledgedAt, then: MailMoment): boolean {
  if (read.log !== then.log) return read.log > then.log;
  return then.isOfBoard || Date.parse(read.at) > then.ms;
}

/** @param seconds since 1970 */
const msOf = (seconds: number): number => Math.round(seconds * 1_000);

function allMail(store: TeamReader, to: Name): Message[] {
  const byId = new Map<string, Message>();
  for (const history of [true, false])
    for (const message of mailOf(store, to, { history })) byId.set(message.id, message);
  return [...byId.values()].sort((one, other) => one.timestamp - other.timestamp);
}
