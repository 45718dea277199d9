/**
 * Mail: the lines of an inbox, the five envelope types, and who may send which type to whom. The four original keys
 * come first (docs/specification.md R2.1). A foreign line with only those four is valid mail, but it cannot have a
 * control type: it is plain text.
 */
import * as z from 'zod';
import { isDeep, MAX_DEPTH, writesEachKeyOnce } from '../text/json-depth.ts';
import { LEAD, type Name } from '../text/names.ts';
import { compiledWhenHot } from '../text/hot-schema.ts';
import {
  bySchema,
  copiedPart,
  isFields,
  jsonOf,
  optional,
  plainCount,
  plainJsonObject,
  plainLooseObject,
  plainNumber,
  plainText,
  plainTextOf,
  type DocumentForm,
} from '../text/plain-fields.ts';

export const MESSAGE_TYPES = [
  'message',
  'broadcast',
  'shutdown_request',
  'shutdown_response',
  'plan_approval_response',
] as const;
export type MessageType = (typeof MESSAGE_TYPES)[number];

/** A longer body (in UTF-8 bytes) is stored in `blobs/`. */
export const INLINE_BYTES = 256 * 1024;
export const BLOB_BYTES = 64 * 1024 * 1024;
/** A message that was handed on this many times is not handed on again. */
export const MAX_HOPS = 8;

/** A line on disk: the four original keys, then ours (docs/specification.md R2.1). */
export const storedSchema = z.looseObject({
  type: z.string().max(64),
  sender: z.string().max(128),
  content: z.string(),
  timestamp: z.number(),
  id: z.string().min(1).max(256).optional(),
  recipient: z.string().max(128).optional(),
  kind: z.string().max(64).optional(),
  request_id: z.string().max(128).optional(),
  task_id: z.string().max(32).optional(),
  reply_to: z.string().max(256).optional(),
  epoch: z.number().int().min(0).optional(),
  hops: z.number().int().min(0).optional(),
  /** The body's address in `blobs/`, if `content` is only its beginning. */
  blob: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
  data: z.record(z.string(), z.json()).optional(),
});
export type Stored = z.infer<typeof storedSchema>;
export const storedForm: DocumentForm<Stored> = {
  schema: () => storedSchema,
  plain: plainLooseObject<Stored>({
    type: plainTextOf(64),
    sender: plainTextOf(128),
    content: plainText,
    timestamp: plainNumber,
    id: optional(plainTextOf(256, 1)),
    recipient: optional(plainTextOf(128)),
    kind: optional(plainTextOf(64)),
    request_id: optional(plainTextOf(128)),
    task_id: optional(plainTextOf(32)),
    reply_to: optional(plainTextOf(256)),
    epoch: optional(plainCount),
    hops: optional(plainCount),
    blob: bySchema,
    data: optional(plainJsonObject),
  }),
};

/** A message as it is read: always with an id, and marked if it was delivered before. */
export type Message = Stored & { id: string; redelivered?: true };

/** A message to send; the store adds id, recipient and timestamp. */
export interface Draft {
  readonly type: MessageType;
  readonly content: string;
  readonly kind?: string | undefined;
  readonly request_id?: string | undefined;
  readonly task_id?: string | undefined;
  readonly reply_to?: string | undefined;
  readonly epoch?: number;
  readonly hops?: number | undefined;
  readonly data?: Record<string, z.infer<ReturnType<typeof z.json>>> | undefined;
}

export type Side = 'lead' | 'teammate';
export const sideOf = (name: string): Side => (name === LEAD ? 'lead' : 'teammate');

/** The role × type table (docs/specification.md R2.3): who may send a type, and to whom. Everything else is refused. */
const TABLE: Record<MessageType, readonly `${Side} → ${Side}`[]> = {
  message: ['lead → teammate', 'teammate → lead', 'teammate → teammate', 'lead → lead'],
  broadcast: ['lead → teammate', 'teammate → lead', 'teammate → teammate'],
  shutdown_request: ['lead → teammate'],
  shutdown_response: ['teammate → lead'],
  plan_approval_response: ['lead → teammate'],
};

export const isMessageType = (text: string): text is MessageType => Object.hasOwn(TABLE, text);

/**
 * Whether this sender may send this type to this recipient. It is checked when mail is sent and again when it is
 * received.
 */
export const mayPass = (type: MessageType, from: string, to: string): boolean =>
  TABLE[type].includes(`${sideOf(from)} → ${sideOf(to)}`);

/**
 * Control types act on the receiver. They are accepted only from our own senders: with an id, and addressed to the
 * receiver.
 */
const CONTROL = new Set<MessageType>(['shutdown_request', 'shutdown_response', 'plan_approval_response']);

/**
 * The type of a received line, by the table. A type that its sender may not send counts as plain text. So does a
 * control line that is foreign or addressed to another member. `denied` says why.
 */
export function judgeReceived(line: Stored, recipient: Name): { type: MessageType; denied?: string } {
  const { type, sender } = line;
  if (!isMessageType(type)) return { type: 'message' };
  if (CONTROL.has(type) && (line.id === undefined || line.recipient === undefined))
    return { type: 'message', denied: `a foreign ${type}` };
  if (CONTROL.has(type) && line.recipient !== recipient)
    return { type: 'message', denied: `a ${type} addressed to ${line.recipient}` };
  return mayPass(type, sender, recipient)
    ? { type }
    : { type: 'message', denied: `${type} from a ${sideOf(sender)} to a ${sideOf(recipient)}` };
}

type ParsedMail = { ok: true; line: Stored } | { ok: false; why: string };

const parseStored = compiledWhenHot(storedForm);
const parseWithoutData = compiledWhenHot<Stored>({ ...storedForm, schema: () => storedSchema.omit({ data: true }) });

/** The keys of a message without anything but its text, in the order of the schema. */
const ORDINARY = ['type', 'sender', 'content', 'timestamp', 'id', 'recipient'];

const isTextOf = (value: unknown, most: number): value is string => typeof value === 'string' && value.length <= most;

/** Whether this is a message as most are, which no schema need judge. The schema returns it as it is. */
function isOrdinary(value: object): value is Stored {
  const keys = Object.keys(value);
  if (keys.length !== ORDINARY.length || !isFields(value)) return false;
  const { type, sender, content, timestamp, id, recipient } = value;
  return (
    keys.every((key, at) => key === ORDINARY[at]) &&
    isTextOf(type, 64) &&
    isTextOf(sender, 128) &&
    typeof content === 'string' &&
    Number.isFinite(timestamp) &&
    isTextOf(id, 256) &&
    id !== '' &&
    isTextOf(recipient, 128)
  );
}

/** A line without `data` needs no recursive schema; a recursive schema cannot be compiled. */
const judgeStored = (value: object) => ('data' in value ? parseStored(value) : parseWithoutData(value));

/** Why no reader would accept this as a line; undefined if every reader does. */
export function whyNotMail(value: object): string | undefined {
  const issue = isOrdinary(value) ? undefined : judgeStored(value).error?.issues[0];
  return issue && `${issue.path.join('.') || 'line'}: ${issue.message}`;
}

/**
 * A line as our senders write most of them: six keys in their order, no blanks, printable ASCII that JSON writes as it
 * is, within the limits of the schema. The content may have whatever JSON allows in a string.
 */
const PLAIN =
  /^\{"type":"([ !#-[\]-~]{0,64})","sender":"([ !#-[\]-~]{0,128})","content":"([^"\\\u0000-\u001f]*(?:\\.[^"\\\u0000-\u001f]*)*)","timestamp":([1-9][0-9]{0,14}(?:\.[0-9]{1,16})?),"id":"([ !#-[\]-~]{1,256})","recipient":"([ !#-[\]-~]{0,128})"\}$/;

/** A longer line is read in another way: an expression that fails goes back through all of it. */
const LONGEST = 4 * 1024;

/**
 * Reads such a line by one expression: in half of the time of `JSON.parse` and what judges its value, and in a third
 * where that is not compiled yet. It only accepts, and returns what they return.
 *
 * @returns undefined if the line must be parsed and judged
 */
export function plainMail(line: string): Stored | undefined {
  const found = line.length > LONGEST ? null : PLAIN.exec(line);
  if (found === null) return undefined;
  const [, type = '', sender = '', written = '', timestamp, id = '', recipient = ''] = found;
  const content = written.includes('\\') ? unescaped(written) : copiedPart(written);
  if (content === undefined) return undefined;
  return {
    type: copiedPart(type),
    sender: copiedPart(sender),
    content,
    timestamp: Number(timestamp),
    id: copiedPart(id),
    recipient: copiedPart(recipient),
  };
}

/** Undefined for what is no JSON. */
function unescaped(written: string): string | undefined {
  const content = jsonOf(`"${written}"`);
  return typeof content === 'string' ? content : undefined;
}

/**
 * Parses one inbox line; a BOM at its start and a CR at its end are tolerated. A repeated key makes a line invalid: two
 * readers could read two different senders from it. Never throws.
 */
export function parseMail(raw: string): ParsedMail {
  const plain = plainMail(raw);
  if (plain !== undefined) return { ok: true, line: plain };
  const text = raw.trim();
  if (!text.startsWith('{')) return { ok: false, why: text.includes('\0') ? 'NUL bytes' : 'not a JSON object' };
  if (isDeep(text)) return { ok: false, why: `nested deeper than ${MAX_DEPTH}` };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (text.includes('\0')) return { ok: false, why: 'NUL bytes' };
    return { ok: false, why: error instanceof Error ? error.message : 'not JSON' };
  }
  if (typeof value !== 'object' || value === null || !writesEachKeyOnce(text, value))
    return { ok: false, why: 'a repeated key' };
  if (isOrdinary(value)) return { ok: true, line: value };
  const parsed = judgeStored(value);
  return parsed.success ? { ok: true, line: parsed.data } : { ok: false, why: whyNotMail(value) ?? 'not a message' };
}

/** What the process that delivers a line of mail reads of it. Its reader judges it. */
export interface MailMarks {
  /** Empty for a line of another program that has none. */
  readonly id: string;
  readonly type: string;
  /** The hash of its whole text, if the line has only the beginning. */
  readonly blob: string | undefined;
}

/** Never throws. */
export function mailMarks(line: string): MailMarks {
  const value = objectIn(line);
  const id = 'id' in value && typeof value.id === 'string' ? value.id : '';
  const type = 'type' in value && typeof value.type === 'string' ? value.type : '';
  const blob = 'blob' in value && typeof value.blob === 'string' ? value.blob : undefined;
  return { id, type, blob };
}

function objectIn(line: string): object {
  const value = jsonOf(line.trim());
  return typeof value === 'object' && value !== null ? value : {};
}

export interface SendOptions {
  readonly type?: MessageType | undefined;
  readonly kind?: string | undefined;
  readonly request_id?: string | undefined;
  readonly task_id?: string | undefined;
  readonly reply_to?: string | undefined;
  readonly data?: Draft['data'] | undefined;
  /** How many times the message was handed on: one more than the mail that caused it. */
  readonly hops?: number | undefined;
  /** The id of mail that an event causes: `<kind>:<event>:<recipient>`. */
  readonly id?: string | undefined;
}
