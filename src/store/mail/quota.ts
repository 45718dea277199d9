/**
 * Room in an inbox. Measuring it lists a directory, so a sender measures rarely. Between measurements it may use a
 * share of the free room. The share is so small that all members together cannot use more than the whole.
 */
import { ConflictError } from '../../model/text/errors.ts';
import type { Name } from '../../model/text/names.ts';
import type { Disk } from '../files/disk.ts';
import { measureWaiting } from './inbox-files.ts';
import type { TeamPaths } from '../files/paths.ts';

export interface Quota {
  readonly inboxMaxMessages: number;
  readonly inboxMaxBytes: number;
}

/** A line for an inbox, with its newline; control mail passes a full one. */
export interface QueuedLine {
  readonly text: string;
  readonly control: boolean;
}

interface QuotaDecision<T> {
  readonly allowed: readonly T[];
  readonly refused: readonly T[];
  /** Why; set when a message is refused. */
  readonly error?: ConflictError;
}

interface Amount {
  bytes: number;
  messages: number;
}

/** Bytes of control mail that each sender may add to a full inbox, however full foreign writers made it. */
const CONTROL_RESERVE = 1024 * 1024;
/** Senders that may write at the same time: 64 members, two each. */
const SHARES = 128;

export class InboxQuota {
  readonly #disk: Disk;
  readonly #paths: TeamPaths;
  readonly #quota: Quota;
  /** What may still be sent before the next measurement. */
  readonly #share = new Map<Name, Amount>();
  /** Bytes of control mail that were added since the inbox was full. */
  readonly #overdrawn = new Map<Name, number>();

  constructor(disk: Disk, paths: TeamPaths, quota: Quota) {
    this.#disk = disk;
    this.#paths = paths;
    this.#quota = quota;
  }

  /**
   * Which messages are allowed: all, or the first ones and, in a full inbox, control mail within its reserve.
   *
   * @param bytes of all of them
   */
  judge<T extends QueuedLine>(recipient: Name, batch: readonly T[], bytes: number): QuotaDecision<T> {
    if (this.#spend(recipient, { messages: batch.length, bytes })) return { allowed: batch, refused: [] };
    const waiting = measureWaiting(this.#disk, this.#paths.inbox(recipient));
    const { inboxMaxBytes, inboxMaxMessages } = this.#quota;
    const { allowed, refused, after, overdrawn } = admit(
      batch,
      waiting,
      this.#quota,
      this.#overdrawn.get(recipient) ?? 0,
    );
    this.#overdrawn.set(recipient, overdrawn);
    this.#share.set(recipient, {
      bytes: Math.floor((inboxMaxBytes - after.bytes) / SHARES),
      messages: Math.floor((inboxMaxMessages - after.messages) / SHARES),
    });
    return refused.length === 0 ? { allowed, refused } : { allowed, refused, error: full(recipient, waiting) };
  }

  #spend(recipient: Name, { bytes, messages }: Readonly<Amount>): boolean {
    const share = this.#share.get(recipient);
    if (share === undefined || share.bytes < bytes || share.messages < messages) return false;
    share.bytes -= bytes;
    share.messages -= messages;
    return true;
  }
}

/** First in, first out: after one message is refused for lack of room, only control mail is allowed. */
function admit<T extends QueuedLine>(batch: readonly T[], waiting: Amount, quota: Quota, overdrawnBefore: number) {
  const after: Amount = { ...waiting };
  let overdrawn = overdrawnBefore;
  const allowed: T[] = [];
  const refused: T[] = [];
  for (const one of batch) {
    const bytes = Buffer.byteLength(one.text);
    const hasRoom = after.bytes + bytes <= quota.inboxMaxBytes && after.messages < quota.inboxMaxMessages;
    if (hasRoom) overdrawn = 0;
    const fits = hasRoom && refused.length === 0;
    const passes = fits || (one.control && overdrawn + bytes <= CONTROL_RESERVE);
    (passes ? allowed : refused).push(one);
    if (!passes) continue;
    if (!fits) overdrawn += bytes;
    after.bytes += bytes;
    after.messages += 1;
  }
  return { allowed, refused, after, overdrawn };
}

const full = (recipient: Name, { bytes, messages }: Amount): ConflictError =>
  new ConflictError(
    'QUOTA',
    `The inbox of ${recipient} is full (about ${messages} messages, ${bytes} bytes); wait until it is read, or raise inboxMaxMessages or inboxMaxBytes.`,
  );
