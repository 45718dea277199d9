/** Looks into an inbox without consuming it: what waits, and what was acknowledged. An id is shown once. */
import type { Message } from '../../model/team/message.ts';
import type { InboxPaths } from '../files/paths.ts';
import { lookAt, O_RDONLY, type Disk } from '../files/disk.ts';
import { chunks, openIfThere, using } from '../files/file.ts';
import { segmentsOf, usedBytes } from './inbox-files.ts';
import { usedIds } from './mail-history.ts';
import { mailIn, type MailLine } from './mail-lines.ts';

/** Yields the mail that waits: first what is not acknowledged in the segments, oldest first, then the inbox. */
export function* waitingMail(disk: Disk, inbox: InboxPaths): Generator<Message> {
  for (const { message } of waitingLines(disk, inbox)) yield message;
}

/** {@link waitingMail} with each message's line and place. */
export function* waitingLines(disk: Disk, inbox: InboxPaths): Generator<MailLine & { readonly ok: true }> {
  const shown = new Set<string>();
  const used = new Used(disk, inbox);
  for (const [path, from] of placesOf(disk, inbox)) yield* unseen(notUsed(mailIn(disk, path, from), used), shown);
}

/** Ids of mail that was used before older mail. A segment's offset cannot show these; the history can. */
class Used {
  readonly #load: () => Set<string>;
  #ids: Set<string> | undefined;

  constructor(disk: Disk, inbox: InboxPaths) {
    this.#load = () => usedIds(disk, inbox, true);
  }

  has(id: string): boolean {
    return (this.#ids ??= this.#load()).has(id);
  }
}

/** The first message after an offset is not used, or the offset would be behind it: so most looks need no history. */
function* notUsed(mail: Iterable<MailLine>, used: Used, isFirst = true): Generator<MailLine> {
  for (const line of mail) {
    if (line.ok && !isFirst && used.has(line.message.id)) continue;
    yield line;
    isFirst &&= !line.ok;
  }
}

/** Yields acknowledged mail in the order of its acknowledgement. */
export function* pastMail(disk: Disk, inbox: InboxPaths): Generator<Message> {
  for (const { message } of unseen(mailIn(disk, inbox.history), new Set())) yield message;
}

/**
 * Changes if and only if the waiting mail changes, without reading it: the files that hold some, their length, and how
 * much of each is acknowledged. A take changes nothing in it.
 */
export function waitingMark(disk: Disk, inbox: InboxPaths): string {
  const marks = placesOf(disk, inbox).map(([path, from]) => {
    const { ino = 0, size = 0 } = lookAt(disk, path) ?? {};
    return size > from ? `${ino}:${size}:${from}` : '';
  });
  return marks.filter(Boolean).join(' ');
}

/** Above this many bytes a file's lines are counted, not parsed: a bad line then counts until it is set aside. */
const PARSED_BYTES = 1024 * 1024;

/** How many messages wait; counted in bounded memory. */
export const countWaiting = (disk: Disk, inbox: InboxPaths): number => new WaitingCount(disk, inbox).look();

/** What was counted of one file: the lines between two offsets. */
interface CountedPlace {
  readonly ino: number;
  readonly from: number;
  readonly end: number;
  readonly messages: number;
}

/** Counts the messages that wait, again and again: each look reads only what came since the last. */
export class WaitingCount {
  readonly #disk: Disk;
  readonly #inbox: InboxPaths;
  #places = new Map<string, CountedPlace>();

  constructor(disk: Disk, inbox: InboxPaths) {
    this.#disk = disk;
    this.#inbox = inbox;
  }

  look(): number {
    const used = new Used(this.#disk, this.#inbox);
    const counted = placesOf(this.#disk, this.#inbox).map(
      ([path, from]) => [path, this.#counted(path, from, used)] as const,
    );
    this.#places = new Map(counted);
    return counted.reduce((sum, [, { messages }]) => sum + messages, 0);
  }

  #counted(path: string, from: number, used: Used): CountedPlace {
    const { ino = 0, size = 0 } = lookAt(this.#disk, path) ?? {};
    const before = this.#places.get(path);
    const isSame = before?.ino === ino && before.from === from && size >= before.end;
    let { end, messages } = isSame ? before : { end: from, messages: 0 };
    if (size <= end) return { ino, from, end, messages };
    if (size - end > PARSED_BYTES) return { ino, from, ...countLines(this.#disk, path, end, messages) };
    const mail = mailIn(this.#disk, path, end);
    let next = mail.next();
    const lines = (function* () {
      for (; !next.done; next = mail.next()) yield next.value;
    })();
    for (const line of notUsed(lines, used, messages === 0)) messages += line.ok ? 1 : 0;
    if (next.done === true) end = next.value;
    return { ino, from, end, messages };
  }
}

function countLines(disk: Disk, path: string, from: number, before: number): { end: number; messages: number } {
  const fd = openIfThere(disk, path, O_RDONLY);
  if (fd === undefined) return { end: from, messages: before };
  return using(disk, fd, () => {
    let [at, end, messages] = [from, from, before];
    for (const chunk of chunks(disk, fd, from)) {
      for (let to = chunk.indexOf(NEWLINE); to >= 0; to = chunk.indexOf(NEWLINE, to + 1)) {
        messages += 1;
        end = at + to + 1;
      }
      at += chunk.length;
    }
    return { end, messages };
  });
}

const NEWLINE = 10;

/** How many takes one look tolerates before it returns what it saw. */
const LOOKS = 8;

/** Segments, then the inbox. Looks again when the inbox became a segment meanwhile. */
function placesOf(disk: Disk, inbox: InboxPaths): [path: string, from: number][] {
  for (let looks = 1; ; looks += 1) {
    const before = lookAt(disk, inbox.inbox)?.ino;
    const taken = segmentsOf(disk, inbox).map((path): [string, number] => [path, usedBytes(disk, path)]);
    const now = lookAt(disk, inbox.inbox)?.ino;
    if (now === before || before === undefined || looks === LOOKS) return [...taken, [inbox.inbox, 0]];
  }
}

function* unseen(mail: Iterable<MailLine>, shown: Set<string>): Generator<MailLine & { readonly ok: true }> {
  for (const line of mail) {
    if (!line.ok || shown.has(line.message.id)) continue;
    shown.add(line.message.id);
    yield line;
  }
}
