/** How a line of a team's board log becomes an event. */
import * as z from 'zod';
import { check } from '../text/document-problem.ts';
import { compiledWhenHot } from '../text/hot-schema.ts';
import { isDeep, MAX_DEPTH } from '../text/json-depth.ts';
import { copiedPart, jsonOf, sizeOf } from '../text/plain-fields.ts';
import {
  authorSchema,
  bodySchema,
  LOG_VERSION,
  LOG_VERSIONS,
  ulidSchema,
  type Author,
  type BoardEvent,
  type Body,
} from './event.ts';
import { plainAuthor, plainBody, plainEnvelope, plainResult, TIME } from './plain-record.ts';

/** Shown to people, no rule uses it. */
const timeSchema = z.string().regex(TIME, 'Expected an ISO 8601 time');

/** Fields that every version keeps, so that an older program recognises a newer record. */
const headSchema = z.object({
  id: ulidSchema,
  v: z.number().int().positive(),
  type: z.string(),
  author: z.looseObject({}),
});

/** Author and time. Earlier programs ignore `mac` and `signature`. */
const envelopeSchema = z.object({
  id: ulidSchema,
  v: z.literal(LOG_VERSIONS),
  at: timeSchema,
  author: authorSchema,
  mac: z.string().max(128).optional().catch(undefined),
  signature: z.string().max(256).optional().catch(undefined),
});
const parseEnvelope = compiledWhenHot({ schema: () => envelopeSchema });

export type ParsedLine =
  { kind: 'event'; event: BoardEvent } | { kind: 'noise'; why: string } | { kind: 'newer'; version: number };

const reasonOf = (error: z.ZodError): string => {
  const issue = error.issues[0];
  return issue ? `${issue.path.join('.') || 'record'}: ${issue.message}` : 'unreadable';
};

/**
 * A claim or its completion as a member writes it: its fields in their order, no blanks, no proof. What is in the braces
 * of a result is left to `JSON.parse`: if that takes it, it takes the line.
 */
const CLAIM =
  /^\{"id":"([0-9A-HJKMNP-TV-Z]{26})","v":([12]),"at":"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z)","author":(\{[^{}\\]*\}),"type":"task\.(?:claimed","task":"([1-9][0-9]{0,14})","member":"([a-z0-9-]+)"|completed","task":"([1-9][0-9]{0,14})","epoch":(0|[1-9][0-9]{0,14}),"result":(\{.*\}))\}$/;

/** A longer line is read in another way: an expression that fails goes back through all of it. */
const LONGEST_CLAIM = 8 * 1024;

/** Authors by their text: a team has few. */
const authors = new Map<string, Author>();
const MOST_AUTHORS = 1_024;

function authorOf(text: string): Author | undefined {
  const author = plainAuthor(jsonOf(text));
  if (author === undefined) return undefined;
  if (authors.size >= MOST_AUTHORS) authors.clear();
  authors.set(copiedPart(text), author);
  return author;
}

/**
 * Reads such a line by one expression: in half of the time of `JSON.parse` and what judges its value, compiled or not.
 * Most lines of a log that grows are such ones, and each process of the team reads each of them. It only accepts, and
 * returns what they return.
 *
 * @returns undefined if the line must be parsed and judged
 */
export function plainClaim(line: string): BoardEvent | undefined {
  const found = line.length > LONGEST_CLAIM ? null : CLAIM.exec(line);
  if (found === null) return undefined;
  // By their places: to take a list apart costs a call for each element before it is compiled.
  const written = found[4] ?? '';
  const author = authors.get(written) ?? authorOf(written);
  if (author === undefined) return undefined;
  const id = copiedPart(found[1] ?? '');
  const v = found[2] === '1' ? 1 : 2;
  const at = copiedPart(found[3] ?? '');
  const claimed = found[5];
  if (claimed !== undefined) {
    // Its name was judged with the author.
    if (!('by' in author) || author.by !== found[6]) return undefined;
    return { type: 'task.claimed', task: copiedPart(claimed), member: author.by, id, v, at, author };
  }
  const result = plainResult(jsonOf(found[9] ?? ''));
  if (result === undefined) return undefined;
  return {
    type: 'task.completed',
    task: copiedPart(found[7] ?? ''),
    epoch: Number(found[8]),
    result,
    id,
    v,
    at,
    author,
  };
}

/** Parses one line of the board log. Never throws: any other line is `noise`, with the reason. */
export function parseBoardLine(line: string): ParsedLine {
  const claim = plainClaim(line);
  return claim === undefined ? parseAny(line) : { kind: 'event', event: claim };
}

/**
 * Why no reader would accept a change, as a sentence about it; undefined if every reader does.
 *
 * @param line makes the line of its record, which few changes need to be judged
 */
export function whyNotRecord(body: Body, line: () => string): string | undefined {
  if (plainBody(body) !== undefined) return undefined;
  const parsed = parseBoardLine(line());
  if (parsed.kind !== 'noise') return undefined;
  const checked = check(bodySchema, body);
  return checked.ok ? `The change cannot be kept: ${parsed.why}.` : checked.problems[0]?.text;
}

function parseAny(line: string): ParsedLine {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    return { kind: 'noise', why: error instanceof Error ? error.message : 'not JSON' };
  }
  const plain = plainEnvelope(value);
  const plainly = plain && plainBody(value, sizeOf(plain));
  // Assigned, not spread: a spread costs more than the parsing.
  return plain && plainly ? { kind: 'event', event: Object.assign(plainly, plain) } : parseBySchema(line, value);
}

function parseBySchema(line: string, value: unknown): ParsedLine {
  const envelope = parseEnvelope(value);
  if (!envelope.success) return newerOrNoise(value, envelope.error);
  if (isDeep(line)) return { kind: 'noise', why: `nested deeper than ${MAX_DEPTH}` };
  const body = bodySchema.safeParse(value);
  return body.success
    ? { kind: 'event', event: Object.assign(body.data, envelope.data) }
    : { kind: 'noise', why: reasonOf(body.error) };
}

function newerOrNoise(value: unknown, error: z.ZodError): ParsedLine {
  const head = headSchema.safeParse(value);
  return head.success && head.data.v > LOG_VERSION
    ? { kind: 'newer', version: head.data.v }
    : { kind: 'noise', why: reasonOf(error) };
}
