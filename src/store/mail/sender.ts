/**
 * Sends: appends to inboxes. All sends of one tick to one inbox go in one write, first in, first out: lock → open →
 * seal a torn tail → write → unlock → sync → receipts. The lock provides order and speed, never safety: each step is
 * correct without it. An unknown recipient has no bell, and gets no file.
 */
import type { Clock } from '../../model/text/clock.ts';
import { StoreError, UsageError } from '../../model/text/errors.ts';
import type { Name } from '../../model/text/names.ts';
import { hasBell, ringBell } from './bell.ts';
import { O_APPEND, O_CREAT, O_RDWR, onDisk, type Disk } from '../files/disk.ts';
import { openSeen, syncDirectory, type Opened } from '../files/file.ts';
import { isClosed } from './inbox-files.ts';
import { LOCK_TIMEOUT_MS, type Locks } from '../lock/lock.ts';
import { blobAddress, isControl, lineOf, needsBlob, storeBlob, type Outgoing } from './outgoing.ts';
import { newIds } from '../files/new-ids.ts';
import type { TeamPaths } from '../files/paths.ts';
import { reasonOf, type PinnedDirectory } from '../files/pinned.ts';
import { InboxQuota, type QueuedLine, type Quota } from './quota.ts';

export type { Quota } from './quota.ts';

export interface Receipt {
  readonly recipient: Name;
  readonly id: string;
}

interface SenderEnvironment {
  readonly disk: Disk;
  readonly clock: Pick<Clock, 'now'>;
  readonly locks: Locks;
  readonly pinned: PinnedDirectory;
  readonly quota: Quota;
  readonly lockTimeoutMs?: number | undefined;
  /** False leaves the flush to the system: a power loss may then lose mail that has a receipt. */
  readonly durable?: boolean | undefined;
  /** Stores the mail of a team that is not only in files; its relay delivers it. */
  readonly post?: ((mail: Posted) => Promise<void>) | undefined;
}

/** A line of mail on its way, with the whole body that it names. */
interface Posted {
  readonly recipient: Name;
  readonly line: string;
  readonly blob?: string | undefined;
}

/** A queued message. */
interface Waiting extends QueuedLine {
  /** Gives the receipt, or the error; only the first call counts. */
  readonly settle: (error?: Error) => void;
}

/** Messages of one write, and their lines. */
interface Batch {
  readonly messages: readonly Waiting[];
  readonly bytes: Buffer;
}

/** Characters of one write: the lock is held for microseconds only. */
const WRITE_LIMIT = 512 * 1024;
const NEWLINE = Buffer.from('\n');

/** The inboxes whose directory entry this process made durable, by path; a process may have many senders to one. */
const named = new WeakMap<Disk, Map<string, string>>();

export class Sender {
  readonly #paths: TeamPaths;
  readonly #environment: SenderEnvironment;
  readonly #room: InboxQuota;
  readonly #newId = newIds();
  readonly #waiting = new Map<Name, Waiting[]>();
  readonly #flushing = new Set<Promise<void>>();

  constructor(paths: TeamPaths, environment: SenderEnvironment) {
    this.#paths = paths;
    this.#environment = environment;
    this.#room = new InboxQuota(environment.disk, paths, environment.quota);
  }

  /**
   * Sends one message; resolves when its line is on disk.
   *
   * @throws UsageError `UNKNOWN_RECIPIENT`, `USAGE`; ConflictError `QUOTA`, `LOCK_TIMEOUT`; StoreError, `TEAM_GONE` if
   *   the team was archived meanwhile
   */
  send(outgoing: Outgoing): Promise<Receipt> {
    const { recipient, draft } = outgoing;
    if (this.#environment.post) return this.#post(outgoing, this.#environment.post);
    return new Promise((resolve, reject) => {
      const now = this.#environment.clock.now();
      const id = outgoing.id ?? this.#newId(now);
      const blob = needsBlob(draft) ? this.#store(recipient, draft.content) : undefined;
      const text = lineOf(outgoing, id, now / 1000, blob);
      this.#enqueue(recipient, {
        text,
        control: isControl(draft),
        settle: (error) => (error ? reject(error) : resolve({ recipient, id })),
      });
    });
  }

  async #post(outgoing: Outgoing, post: (mail: Posted) => Promise<void>): Promise<Receipt> {
    const { recipient, draft } = outgoing;
    const now = this.#environment.clock.now();
    const id = outgoing.id ?? this.#newId(now);
    const blob = needsBlob(draft) ? draft.content : undefined;
    const address = blob === undefined ? undefined : blobAddress(blob);
    const line = lineOf(outgoing, id, now / 1000, address);
    await post({ recipient, line: line.slice(0, -1), blob });
    return { recipient, id };
  }

  /**
   * Delivers a line as another machine's sender has made it.
   *
   * @throws those of {@link send}
   */
  deliver(recipient: Name, line: string, control: boolean): Promise<void> {
    const text = `${line}\n`;
    return new Promise((resolve, reject) =>
      this.#enqueue(recipient, {
        text,
        control,
        settle: (error) => (error ? reject(error) : resolve()),
      }),
    );
  }

  /** Resolves when everything that was sent so far has its receipt or its error. */
  async settled(): Promise<void> {
    while (this.#flushing.size > 0) await Promise.allSettled(this.#flushing);
  }

  /** Stores a long body; never for an unknown recipient, and never in a team that is gone. */
  #store(recipient: Name, content: string): string {
    const { disk, pinned, clock } = this.#environment;
    pinned.check();
    this.#requireRecipient(recipient);
    try {
      return storeBlob(disk, this.#paths, content, this.#newId(clock.now()));
    } catch (error) {
      throw reasonOf(this.#environment.pinned, error);
    }
  }

  #requireRecipient(recipient: Name): void {
    if (hasBell(this.#environment.disk, this.#paths.inbox(recipient).bell)) return;
    this.#environment.pinned.check();
    throw unknownRecipient(recipient, this.#paths.name);
  }

  #enqueue(recipient: Name, waiting: Waiting): void {
    const queue = this.#waiting.get(recipient);
    if (queue) return void queue.push(waiting);
    this.#waiting.set(recipient, [waiting]);
    const flushed = this.#drain(recipient);
    this.#flushing.add(flushed);
    void flushed.finally(() => this.#flushing.delete(flushed));
  }

  /**
   * Writes until the queue is empty: first what was sent in this tick, before the process waits for anything. What
   * arrives meanwhile goes with the next round, after other due work has run.
   */
  async #drain(recipient: Name): Promise<void> {
    for (let wait: typeof endOfTick = endOfTick; ; wait = otherWork) {
      await new Promise<void>(wait);
      const queue = this.#waiting.get(recipient) ?? [];
      if (queue.length === 0) break;
      this.#waiting.set(recipient, []);
      await this.#sendInOrder(recipient, queue);
    }
    this.#waiting.delete(recipient);
  }

  /**
   * When one batch fails, the batches behind it fail too: a later message never overtakes one that its sender tries
   * again.
   */
  async #sendInOrder(recipient: Name, queue: readonly Waiting[]): Promise<void> {
    let failure: Error | undefined;
    for (const batch of batches(queue)) {
      failure ??= await this.#flush(recipient, batch);
      if (failure) for (const one of batch.messages) one.settle(failure);
    }
  }

  /** @returns why a part of the batch, or all of it, was not sent */
  async #flush(recipient: Name, batch: Batch): Promise<Error | undefined> {
    const { disk, locks, lockTimeoutMs = LOCK_TIMEOUT_MS } = this.#environment;
    const inbox = this.#paths.inbox(recipient);
    const open: number[] = [];
    try {
      this.#requireRecipient(recipient);
      const write = (): Written => this.#write(recipient, batch, open);
      const { sent, to, failure } = await locks.withLock(inbox.lock, write, { timeoutMs: lockTimeoutMs });
      // Not inside the lock: the reader would wake up while the lock is still held.
      if (to?.stat.size === 0) ringBell(disk, inbox.bell);
      if (to) this.#sync(recipient, to);
      // Whoever moved the folder away in between may have read the inbox before.
      this.#environment.pinned.check();
      for (const one of sent) one.settle();
      return failure;
    } catch (error) {
      return reasonOf(this.#environment.pinned, error);
    } finally {
      for (const fd of open) disk.closeSync(fd);
    }
  }

  /** The critical section: check the room, open, seal, one write. */
  #write(recipient: Name, batch: Batch, open: number[]): Written {
    const { disk, pinned } = this.#environment;
    const { inbox: path } = this.#paths.inbox(recipient);
    pinned.check();
    // The member may have left while this process waited for the lock.
    this.#requireRecipient(recipient);
    const { allowed, refused, error } = this.#room.judge(recipient, batch.messages, batch.bytes.length);
    if (error) for (const one of refused) one.settle(error);
    if (allowed.length === 0) return { sent: [] };
    const fitting = refused.length === 0 ? batch : batchOf(allowed);
    for (;;) {
      const inbox = openSeen(disk, path, O_RDWR | O_APPEND | O_CREAT);
      open.push(inbox.fd);
      const written = this.#append(path, inbox, fitting);
      // The file was taken, read and removed while this process was stopped without its lock: write to the next inbox
      // file.
      if (!isClosed(disk, path, inbox)) return written;
    }
  }

  #append(path: string, inbox: Opened, { messages, bytes }: Batch): Written {
    const { disk } = this.#environment;
    const { size } = inbox.stat;
    const isSealed = size === 0 || endsInNewline(disk, inbox.fd, size, path);
    const whole = isSealed ? bytes : Buffer.concat([NEWLINE, bytes]);
    const written = onDisk('write to', path, () => disk.writeSync(inbox.fd, whole, 0, whole.length, null));
    if (written === whole.length) return { sent: messages, to: inbox };
    const sent = messages.slice(0, ended(messages, written - (whole.length - bytes.length)));
    return { sent, to: inbox, failure: shortWrite(written, whole.length, path) };
  }

  /**
   * The process that made the file may have died before its name was durable: each process that sends syncs the name
   * once itself.
   */
  #sync(recipient: Name, { fd, stat }: Opened): void {
    const { disk, pinned, durable = true } = this.#environment;
    if (!durable) return;
    const { inbox } = this.#paths.inbox(recipient);
    onDisk('sync', inbox, () => disk.fdatasyncSync(fd));
    const file = `${stat.ino} ${stat.birthtimeMs}`;
    const known = named.get(pinned.given) ?? new Map<string, string>();
    if (known.get(inbox) === file) return;
    syncDirectory(disk, this.#paths.folder);
    named.set(pinned.given, known.set(inbox, file));
  }
}

const endOfTick = (resolve: () => void): void => process.nextTick(resolve);
const otherWork = (resolve: () => void): void => void setImmediate(resolve);

interface Written {
  readonly sent: readonly Waiting[];
  /** The inbox, with its size before the write. */
  readonly to?: Opened;
  /** Why messages that were allowed and are not in `sent` were not sent. */
  readonly failure?: Error;
}

const shortWrite = (written: number, whole: number, path: string): StoreError =>
  new StoreError(
    'NO_SPACE',
    `Only ${written} of ${whole} bytes went to ${path}: free some space, or raise \`ulimit -f\`, and try again.`,
    {
      path,
    },
  );

const unknownRecipient = (recipient: Name, team: Name): UsageError =>
  new UsageError('UNKNOWN_RECIPIENT', `Team ${team} has no member ${recipient}; \`teams status ${team}\` lists them.`);

/** The queue in its order, cut into writes. */
function* batches(queue: readonly Waiting[]): Generator<Batch> {
  let messages: Waiting[] = [];
  let size = 0;
  for (const one of queue) {
    if (messages.length > 0 && size + one.text.length > WRITE_LIMIT) {
      yield batchOf(messages);
      messages = [];
      size = 0;
    }
    messages.push(one);
    size += one.text.length;
  }
  if (messages.length > 0) yield batchOf(messages);
}

const batchOf = (messages: readonly Waiting[]): Batch => ({
  messages,
  bytes: Buffer.from(messages.map(({ text }) => text).join('')),
});

function endsInNewline(disk: Disk, fd: number, size: number, path: string): boolean {
  const last = Buffer.alloc(1);
  onDisk('read', path, () => disk.readSync(fd, last, 0, 1, size - 1));
  return last.equals(NEWLINE);
}

/** How many lines end within the bytes that were written. */
function ended(batch: readonly QueuedLine[], written: number): number {
  let sum = 0;
  const first = batch.findIndex(({ text }) => (sum += Buffer.byteLength(text)) > written);
  return first < 0 ? batch.length : first;
}
