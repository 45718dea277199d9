/** How a line of a team's board log becomes an event. */
import * as z from 'zod';
import { compiledWhenHot } from '../text/hot-schema.ts';
import { isDeep, MAX_DEPTH } from '../text/json-depth.ts';
import { authorSchema, bodySchema, LOG_VERSION, LOG_VERSIONS, ulidSchema, type BoardEvent } from './event.ts';
import { plainBody, plainEnvelope, TIME } from './plain-record.ts';

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

/** Parses one line of the board log. Never throws: any other line is `noise`, with the reason. */
export function parseBoardLine(line: string): ParsedLine {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    return { kind: 'noise', why: error instanceof Error ? error.message : 'not JSON' };
  }
  const plain = plainEnvelope(value);
  const plainly = plain && plainBody(value, plain);
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
