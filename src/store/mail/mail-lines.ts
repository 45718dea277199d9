/** What a line of an inbox file is: a message with its place, or a bad line with the reason. */
import { parseMail, type Message, type Stored } from '../../model/team/message.ts';
import { isAscii } from 'node:buffer';
import { O_RDONLY, onDisk, storeFailure, type Disk } from '../files/disk.ts';
import { openIfThere } from '../files/file.ts';
import { LINE_LIMIT, lines, linesIn, takeLinesOf, type FileLine, type TakeLine } from '../files/lines.ts';

export interface LinePosition {
  readonly file: string;
  readonly at: number;
  readonly end: number;
}

export type MailLine = LinePosition &
  /** `text`: the line as it is on disk, when it has its own id. */
  (
    | { readonly ok: true; readonly message: Message; readonly text: string | undefined }
    | { readonly ok: false; readonly why: string; readonly raw: string }
  );

export type GoodLine = MailLine & { readonly ok: true };

/** Characters of a bad line that are kept beside the reason; a longer one has an empty `raw`. */
export const RAW_LIMIT = 64 * 1024;

const keptRaw = (text: string): string => (text.length > RAW_LIMIT ? '' : text);

/**
 * The mail of a line. A line is usually one record. If a writer was killed in the middle of a record, the next writer's
 * record may follow on the same line: then the first part is a bad line, and the rest is mail.
 *
 * @param identity makes an id from the offset, for a line without one; such ids are never compared across files
 */
export function toMail(line: FileLine, file: string, identity: (at: number) => string): MailLine | readonly MailLine[] {
  const whole = parsedLine(line, file, identity);
  const glued = whole.ok ? undefined : gluedRecord(line);
  if (whole.ok || glued === undefined) return whole;
  const { at, end } = line;
  const start = end - 1 - Buffer.byteLength(glued.text);
  return [
    { file, at, end: start, ok: false, why: whole.why, raw: keptRaw(glued.torn) },
    { file, at: start, end, ok: true, message: { ...glued.mail, id: identity(start) }, text: undefined },
  ];
}

/** How a record begins, as every writer of ours and of v8 writes it. */
const RECORD_START = /\{\s?"type"\s?:/g;

/**
 * The foreign record that ends a bad line, if there is one. Our own senders never write behind a torn end, so a record
 * with an id is a part of the torn one, and would speak with an authority that nobody gave it.
 */
function gluedRecord(line: FileLine): { torn: string; text: string; mail: Stored } | undefined {
  const whole = line.kind === 'text' ? line.text : line.kind === 'invalid' ? line.bytes.toString('latin1') : '';
  const from = [...whole.matchAll(RECORD_START)].at(-1)?.index ?? 0;
  if (from === 0) return undefined;
  const rest = whole.slice(from);
  const text = line.kind === 'text' ? rest : Buffer.from(rest, 'latin1').toString('utf8');
  if (line.kind !== 'text' && text.includes('\uFFFD')) return undefined;
  const mail = parseMail(text);
  return mail.ok && !hasId(mail.line) ? { torn: whole.slice(0, from), text, mail: mail.line } : undefined;
}

function parsedLine(line: FileLine, file: string, identity: (at: number) => string): MailLine {
  const { at, end } = line;
  if (line.kind === 'oversized') return { file, at, end, ok: false, why: `a line of ${end - at} bytes`, raw: '' };
  if (line.kind === 'invalid')
    return { file, at, end, ok: false, why: 'invalid UTF-8', raw: keptRaw(line.bytes.toString('latin1')) };
  const mail = parseMail(line.text);
  if (!mail.ok) return { file, at, end, ok: false, why: mail.why, raw: keptRaw(line.text) };
  if (hasId(mail.line)) return { file, at, end, ok: true, message: mail.line, text: line.text };
  return { file, at, end, ok: true, message: { ...mail.line, id: identity(at) }, text: undefined };
}

const hasId = (line: Stored): line is Stored & { id: string } => line.id !== undefined;

/** Yields the mail of a file; a missing file has none. */
export function* mailIn(disk: Disk, path: string, from = 0, identity = idFrom(path)): Generator<MailLine, number> {
  const fd = openIfThere(disk, path, O_RDONLY);
  if (fd === undefined) return from;
  try {
    const reader = lines(disk, fd, from);
    for (let next = reader.next(); ; next = reader.next()) {
      if (next.done) return next.value;
      const mail = toMail(next.value, path, identity);
      if ('ok' in mail) yield mail;
      else yield* mail;
    }
  } catch (error) {
    throw storeFailure('read', path, error);
  } finally {
    disk.closeSync(fd);
  }
}

/** Bytes of a file that are read at once. */
const PIECE = 64 * 1024;

/**
 * Passes on the mail of an open file as long as it is plain: each line a message, and shorter than what is read at once.
 * Nearly all mail is, and no generator runs for each line of ASCII.
 *
 * @param place where to begin, and how long the file is
 * @param take gets each message; false: it wants no more
 * @returns whether the end was reached. What was not passed on must be read by {@link mailIn}
 */
export function takePlainMail(
  disk: Disk,
  fd: number,
  { file, at: from, end: until }: LinePosition,
  take: (line: GoodLine) => boolean,
): boolean {
  const identity = idFrom(file);
  const takeLine = (line: FileLine): boolean => {
    const mail = toMail(line, file, identity);
    return 'ok' in mail && mail.ok && take(mail);
  };
  for (let at = from; at < until;) {
    const bytes = readPiece(disk, fd, { file, at, end: Math.min(until, at + PIECE) });
    const next = isAscii(bytes)
      ? takeLinesOf(bytes.toString('latin1'), at, takeLine)
      : takeDecoded(bytes, at, takeLine);
    if (next === undefined || next === at) return false;
    at = next;
  }
  return true;
}

/** As {@link takeLinesOf}, of any bytes. */
function takeDecoded(bytes: Buffer, from: number, take: TakeLine): number | undefined {
  const found = linesIn([bytes], from, LINE_LIMIT);
  for (;;) {
    const next = found.next();
    if (next.done === true) return next.value;
    if (!take(next.value)) return undefined;
  }
}

function readPiece(disk: Disk, fd: number, { file, at, end }: LinePosition): Buffer {
  const bytes = Buffer.allocUnsafe(end - at);
  return bytes.subarray(
    0,
    onDisk('read', file, () => disk.readSync(fd, bytes, 0, end - at, at)),
  );
}

/** Identifies a foreign line by its file and offset. */
export const idFrom =
  (path: string) =>
  (at: number): string =>
    `${path.slice(path.lastIndexOf('/') + 1).replace(/\.jsonl$/, '')}-${at}`;

const MADE_UP = /^[a-z0-9-]+_(?:inbox(?:\.taken\.\d+-[0-9A-Z]{26})?|history)-\d+$/;

/** A line without an id was written by a foreign program. It is mail like any other, but it carries no authority. */
export const isForeign = ({ id }: Message): boolean => MADE_UP.test(id);

/** A message as its line has it: without the id that {@link idFrom} made for a line without one. */
export function storedLine(message: Message): Stored {
  const isMade = isForeign(message);
  if (!isMade && message.redelivered === undefined) return message;
  const { redelivered: _, id, ...line } = message;
  return isMade ? line : { ...line, id };
}
