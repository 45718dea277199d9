/** A message to send, as its line on disk; a body too large for a line goes to `blobs/` first. */
import { needsNoEscape, quoted, safeJson } from '../../model/text/safe-text.ts';
import { createHash } from 'node:crypto';
import { UsageError } from '../../model/text/errors.ts';
import { isDeep, MAX_DEPTH } from '../../model/text/json-depth.ts';
import { BLOB_BYTES, INLINE_BYTES, storedSchema, whyNotMail, type Draft } from '../../model/team/message.ts';
import { check } from '../../model/text/document-problem.ts';
import type { Name } from '../../model/text/names.ts';
import type { Disk } from '../files/disk.ts';
import { createOnce, makeDirectory } from '../files/file.ts';
import { LINE_LIMIT } from '../files/lines.ts';
import type { TeamPaths } from '../files/paths.ts';

export interface Outgoing {
  readonly sender: string;
  readonly recipient: Name;
  readonly draft: Draft;
  /** A fixed id for mail that an event causes, so that a repetition is recognized. */
  readonly id?: string;
}

/** Characters of a long body that the line keeps. */
const EXCERPT = 4_096;
const CONTROL: ReadonlySet<string> = new Set<Draft['type']>(['shutdown_request', 'shutdown_response']);

/** Shutdown messages pass a full inbox. */
export const isControl = ({ type }: { readonly type: string }): boolean => CONTROL.has(type);

export const needsBlob = ({ content }: Draft): boolean =>
  content.length > INLINE_BYTES / 4 && sizeOf(content) > INLINE_BYTES;

const sizeOf = (text: string): number => Buffer.byteLength(text);

/**
 * The line of a message with its newline, in a form that every reader accepts.
 *
 * @param timestamp seconds since 1970
 * @param blob the address of the whole body, when the line holds only its beginning
 * @throws UsageError for what no reader would accept
 */
export function lineOf(outgoing: Outgoing, id: string, timestamp: number, blob?: string): string {
  const plain = blob === undefined ? plainLine(outgoing, id, timestamp) : undefined;
  if (plain !== undefined) return plain;
  const { sender, recipient, draft } = outgoing;
  const { type, content, ...rest } = draft;
  const body = blob === undefined ? content : excerpt(content, blob);
  const stored = { type, sender, content: body, timestamp, id, recipient, ...rest, ...(blob ? { blob } : {}) };
  const text = safeJson(stored);
  const wrong = whatIsWrong(stored, text);
  if (wrong !== undefined) throw new UsageError('USAGE', `This message cannot be sent: ${wrong}`);
  return `${text}\n`;
}

/**
 * The same for a message with nothing but its text and with ordinary names, as most are, in a third of the time: all
 * readers accept it.
 *
 * @returns undefined for any other message
 */
function plainLine({ sender, recipient, draft }: Outgoing, id: string, timestamp: number): string | undefined {
  const { type, content } = draft;
  if (typeof content !== 'string' || content.length > SHORT || !Number.isFinite(timestamp) || saysMore(draft))
    return undefined;
  const { isPlain, before, after } = (frame = frameOf(frame, type, sender, recipient));
  if (!isPlain || id === '' || id.length > 256 || !needsNoEscape(id)) return undefined;
  return `${before}${quoted(content)},"timestamp":${timestamp},"id":"${id}${after}`;
}

/** Characters of a text that is no danger to the limit of a line, however it is escaped. */
const SHORT = LINE_LIMIT / 32;

/** Whether a draft has more than its text. What a caller leaves undefined is not said. */
const saysMore = (draft: Draft): boolean =>
  Object.keys(draft).length > 2 &&
  Object.entries(draft).some(([key, value]) => key !== 'type' && key !== 'content' && value !== undefined);

/** What is around the content, time and id of a line; the same for one message after the other to a recipient. */
interface Frame {
  readonly type: string;
  readonly sender: string;
  readonly recipient: string;
  /** Whether JSON has these three as they are, and readers accept them. */
  readonly isPlain: boolean;
  readonly before: string;
  readonly after: string;
}

let frame: Frame = { type: '', sender: '', recipient: '', isPlain: false, before: '', after: '' };

function frameOf(last: Frame, type: string, sender: string, recipient: string): Frame {
  if (type === last.type && sender === last.sender && recipient === last.recipient) return last;
  const isPlain = isPlainOf(type, 64) && isPlainOf(sender, 128) && isPlainOf(recipient, 128);
  const before = `{"type":"${type}","sender":"${sender}","content":`;
  return { type, sender, recipient, isPlain, before, after: `","recipient":"${recipient}"}\n` };
}

const isPlainOf = (text: string, most: number): boolean => text.length <= most && needsNoEscape(text);

function whatIsWrong(stored: object, text: string): string | undefined {
  if (text.length > LINE_LIMIT / 3 && sizeOf(text) >= LINE_LIMIT)
    return `its line would have more than ${LINE_LIMIT} bytes.`;
  if ('data' in stored && stored.data !== undefined && isDeep(text))
    return `its data is nested deeper than ${MAX_DEPTH}.`;
  const why = whyNotMail(stored);
  if (why === undefined) return undefined;
  const checked = check(storedSchema, stored);
  return checked.ok ? `${why}.` : checked.problems[0]?.text.replace(/^Expected/, 'expected');
}

const excerpt = (content: string, blob: string): string => {
  const start = content.slice(0, EXCERPT).replace(/[\uD800-\uDBFF]$/, '');
  return `${start}… (${sizeOf(content)} bytes, whole in blobs/${blob})`;
};

/**
 * Stores a body under its hash.
 * @returns the hash
 */
export function storeBlob(disk: Disk, paths: TeamPaths, content: string, token: string): string {
  const blob = blobAddress(content);
  makeDirectory(disk, paths.blobs, { durable: true });
  createOnce(disk, paths.blob(blob), content, token);
  return blob;
}

/** @throws UsageError `USAGE` for a body that is too long */
export function blobAddress(content: string): string {
  const size = sizeOf(content);
  if (size > BLOB_BYTES)
    throw new UsageError(
      'USAGE',
      `The message has ${size} bytes; the limit is ${BLOB_BYTES}. Put it into a file and send its path.`,
    );
  return createHash('sha256').update(content).digest('hex');
}
