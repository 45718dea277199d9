/**
 * The files of one inbox, seen from outside: its taken segments in order, how far each is acknowledged, and its size.
 */
import { join } from 'node:path';
import type { InboxPaths } from '../files/paths.ts';
import { list, lookAt, O_CREAT, O_RDONLY, O_RDWR, onDisk, type Disk } from '../files/disk.ts';
import { openIfThere, openOurs, using, writeWhole, type Opened } from '../files/file.ts';

/**
 * An offset is written at a fixed width, so that one `pwrite` replaces all of it, and twice, to detect a torn write.
 */
const ACK = /^([0-9]{16}) \1\n$/;
const ACK_BYTES = 34;
/** Bytes of a file in which lines are counted; the rest is extrapolated. */
const SAMPLE = 64 * 1024;
const NEWLINE = 10;

/** Paths of the taken segments, oldest first. */
export function segmentsOf(disk: Disk, inbox: InboxPaths): string[] {
  const names = list(disk, inbox.directory).filter(
    (file) => file.startsWith(inbox.takenPrefix) && file.endsWith('.jsonl'),
  );
  const paths = names.map((file) => join(inbox.directory, file));
  return paths.sort((one, other) => numberOf(inbox, one) - numberOf(inbox, other));
}

export const numberOf = (inbox: InboxPaths, segment: string): number =>
  Number.parseInt(segment.slice(join(inbox.directory, inbox.takenPrefix).length), 10) || 0;

export const ackPath = (segment: string): string => `${segment.slice(0, -'.jsonl'.length)}.ack`;

/**
 * How many bytes of a segment were used, for a view. A closed segment without a record of its own was used as far as it
 * reaches; its reader looks through it again and asks the history.
 */
export function usedBytes(disk: Disk, segment: string): number {
  if (lookAt(disk, ackPath(segment)) !== undefined) return readAck(disk, segment);
  const stat = lookAt(disk, segment);
  return stat === undefined || (stat.mode & WRITABLE) !== 0 ? 0 : stat.size;
}

/**
 * How many bytes of a segment are recorded as acknowledged; 0 when the record is missing or torn: the history knows
 * which mail was used.
 */
export function readAck(disk: Disk, segment: string): number {
  const fd = openIfThere(disk, ackPath(segment), O_RDONLY);
  if (fd === undefined) return 0;
  return using(disk, fd, () => {
    const buffer = Buffer.alloc(ACK_BYTES);
    const read = onDisk('read', ackPath(segment), () => disk.readSync(fd, buffer, 0, ACK_BYTES, 0));
    return Number(ACK.exec(buffer.toString('latin1', 0, read))?.[1] ?? 0);
  });
}

export function writeAck(disk: Disk, segment: string, offset: number): void {
  const path = ackPath(segment);
  const digits = String(offset).padStart(16, '0');
  using(disk, openOurs(disk, path, O_RDWR | O_CREAT), (fd) =>
    writeWhole(disk, fd, Buffer.from(`${digits} ${digits}\n`), path),
  );
}

/** What is known of a taken file, beside how far it is acknowledged. Programs of the version before do not read it. */
interface SegmentNote {
  /** Bytes of the history when the file was taken: what was used of it is recorded after that. 0 if it is unknown. */
  readonly history: number;
  /** When a process closed it: boot, monotonic milliseconds, and the size of the file. */
  readonly closed?: { readonly boot: string; readonly at: number; readonly size: number } | undefined;
}

const NOTE = /^history ([0-9]{16})\n(?:closed ([0-9]{16}) ([0-9]{16}) ([0-9a-f-]{0,64})\n)?$/;
const NOTE_BYTES = 160;
const wide = (number: number): string => String(Math.trunc(number)).padStart(16, '0');

export function readNote(disk: Disk, segment: string): SegmentNote {
  const fd = openIfThere(disk, ackPath(segment), O_RDONLY);
  if (fd === undefined) return { history: 0 };
  return using(disk, fd, () => {
    const buffer = Buffer.alloc(NOTE_BYTES);
    const read = onDisk('read', ackPath(segment), () => disk.readSync(fd, buffer, 0, NOTE_BYTES, ACK_BYTES));
    const [, history = '0', at, size, boot = ''] = NOTE.exec(buffer.toString('latin1', 0, read)) ?? [];
    const closed = at === undefined ? undefined : { boot, at: Number(at), size: Number(size) };
    return { history: Number(history), closed };
  });
}

/** Writes the note behind the acknowledged offset, which begins with 0. */
export function writeNote(disk: Disk, segment: string, { history, closed }: SegmentNote): void {
  const path = ackPath(segment);
  const ended = closed ? `closed ${wide(closed.at)} ${wide(closed.size)} ${closed.boot}\n` : '';
  const note = Buffer.from(`history ${wide(history)}\n${ended}`);
  using(disk, openOurs(disk, path, O_RDWR | O_CREAT), (fd) => {
    if (disk.fstatSync(fd).size < ACK_BYTES) writeWhole(disk, fd, Buffer.from(`${wide(0)} ${wide(0)}\n`), path);
    onDisk('write to', path, () => disk.writeSync(fd, note, 0, note.length, ACK_BYTES));
  });
}

/**
 * The offset of the history behind which everything is that was used of the segments that are not wholly acknowledged;
 * undefined when there is no such segment.
 */
export function historySince(disk: Disk, inbox: InboxPaths): number | undefined {
  const open = segmentsOf(disk, inbox).filter((path) => (lookAt(disk, path)?.size ?? 0) > readAck(disk, path));
  return open.length === 0 ? undefined : Math.min(...open.map((path) => readNote(disk, path).history));
}

/** The mode of a taken file that its reader has finished. */
const CLOSED_MODE = 0o400;
const WRITABLE = 0o200;

/**
 * Closes a taken file, before its size is read for the last time. One of our senders may have opened it before it was
 * taken, and may have been stopped for any time. What it wrote until now is seen by that last look. What it writes from
 * now on it sends again, because it sees {@link isClosed}.
 */
export function closeSegment(disk: Disk, segment: string): void {
  const fd = openIfThere(disk, segment, O_RDONLY);
  if (fd === undefined) return;
  using(disk, fd, () => onDisk('close', segment, () => disk.fchmodSync(fd, CLOSED_MODE)));
}

/** Whether bytes written to a former inbox file may never be read there. Ask after the write. */
export const isClosed = (disk: Disk, path: string, { fd, stat }: Opened): boolean =>
  (disk.fstatSync(fd).mode & WRITABLE) === 0 && lookAt(disk, path)?.ino !== stat.ino;

interface Waiting {
  readonly bytes: number;
  /** Counted when little waits; estimated from the last lines when much does. */
  readonly messages: number;
}

/** What waits: the inbox, and what is not acknowledged in its segments. */
export function measureWaiting(disk: Disk, inbox: InboxPaths): Waiting {
  const taken = segmentsOf(disk, inbox)
    .filter((path) => !isFinished(disk, path))
    .map((path) => measure(disk, path, readAck(disk, path)));
  return [...taken, measure(disk, inbox.inbox, 0)].reduce(
    (sum, { bytes, messages }) => ({ bytes: sum.bytes + bytes, messages: sum.messages + messages }),
    { bytes: 0, messages: 0 },
  );
}

/** Only what is wholly acknowledged is closed, so it need not be opened to know that nothing waits in it. */
const isFinished = (disk: Disk, segment: string): boolean => ((lookAt(disk, segment)?.mode ?? 0) & WRITABLE) === 0;

function measure(disk: Disk, path: string, from: number): Waiting {
  const size = lookAt(disk, path)?.size ?? 0;
  const bytes = Math.max(0, size - from);
  if (bytes === 0) return { bytes, messages: 0 };
  const sample = Math.min(bytes, SAMPLE);
  return { bytes, messages: Math.round((countLines(disk, path, size - sample, sample) * bytes) / sample) };
}

function countLines(disk: Disk, path: string, at: number, length: number): number {
  const fd = openIfThere(disk, path, O_RDONLY);
  if (fd === undefined) return 0;
  return using(disk, fd, () => {
    const buffer = Buffer.allocUnsafe(length);
    const read = onDisk('read', path, () => disk.readSync(fd, buffer, 0, length, at));
    const end = buffer.subarray(0, read);
    let lines = 0;
    for (let newline = end.indexOf(NEWLINE); newline >= 0; newline = end.indexOf(NEWLINE, newline + 1)) lines += 1;
    return lines;
  });
}
