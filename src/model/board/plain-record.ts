/**
 * Reads the records that make most of a log, without a schema: a fold reads each record of the team in each process, and
 * a schema that is not compiled yet takes longer than all else that a short run does with it. What is read here is what
 * the schemas of `event.ts` read, to the order of its keys; whatever has more in it, or is not plainly right, is left to
 * them.
 */
import { defined } from '../text/defined.ts';
import { isFields, isList, plainRecord, plainText, sizeOf, type Fields } from '../text/plain-fields.ts';
import { isMemberName, isName, type Name } from '../text/names.ts';
import { TASK_ID, type NewTask, type TaskResult, type Work } from './task.ts';
import { CLAIM_MODES, isLogVersion, PROFILES, RELEASE_REASONS, ULID } from './event.ts';
import type { Author, BoardEvent, Body, Change } from './event.ts';
import { rareChanges } from './rare-changes.ts';

/** ISO 8601 as `timestamp` writes it. */
export const TIME = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$/;

type Envelope = Pick<BoardEvent, 'id' | 'v' | 'at' | 'author' | 'mac' | 'signature'>;

/** A copy of an object of texts. */
const plainTexts = plainRecord(plainText);
/** Greater than each length. Not `Infinity`, for which V8 compiles a comparison of its own. */
const ANY = 2 ** 30;
const isText = (value: unknown, most = ANY): value is string => typeof value === 'string' && value.length <= most;
const isUlid = (value: unknown): value is string => typeof value === 'string' && ULID.test(value);
const isTaskId = (value: unknown): value is string => typeof value === 'string' && TASK_ID.test(value);
const isMember = (value: unknown): value is Name => typeof value === 'string' && isMemberName(value);
const isPlainName = (value: unknown): value is Name => typeof value === 'string' && isName(value);
const isInteger = (value: unknown): value is number => Number.isSafeInteger(value);
const isCount = (value: unknown, most = Infinity): value is number => isInteger(value) && value >= 0 && value <= most;
const isOneOf = <T>(words: readonly T[], value: unknown): value is T => words.some((one) => one === value);

/** A copy of a list of texts; undefined for anything else. */
function textsIn(value: unknown, most = ANY, length = ANY): string[] | undefined {
  // Most are empty.
  return isList(value) && value.length === 0 ? [] : someTexts(value, most, length);
}

function someTexts(value: unknown, most: number, length: number): string[] | undefined {
  const isWhole = isList(value) && value.length <= most && value.every((text): text is string => isText(text, length));
  return isWhole ? value.slice() : undefined;
}

/**
 * @param value what `JSON.parse` made of a line
 * @returns id, version, time, author and proofs; undefined if the schemas must judge them
 */
export function plainEnvelope(value: unknown): Envelope | undefined {
  if (!isFields(value)) return undefined;
  const { id, v, at, mac, signature } = value;
  if (!isUlid(id) || !isLogVersion(v) || typeof at !== 'string' || !TIME.test(at)) return undefined;
  const author = plainAuthor(value['author']);
  if (author === undefined) return undefined;
  const envelope: Envelope = { id, v, at, author };
  if (mac !== undefined) {
    if (!isText(mac, 128)) return undefined;
    envelope.mac = mac;
  }
  if (signature !== undefined) {
    if (!isText(signature, 256)) return undefined;
    envelope.signature = signature;
  }
  return envelope;
}

export function plainAuthor(author: unknown): Author | undefined {
  if (!isFields(author) || sizeOf(author) !== 2) return undefined;
  const { by, inc, lead, person, epoch } = author;
  if (isMember(by)) return isUlid(inc) ? { by, inc } : undefined;
  if (!isCount(epoch)) return undefined;
  if (isUlid(lead)) return { lead, epoch };
  return isMember(person) ? { person, epoch } : undefined;
}

/**
 * @param value a change, or what `JSON.parse` made of a line with one
 * @param around how many fields of it are the envelope's
 * @returns its change or changes; undefined if the schemas must judge them. What is returned is nested a few levels deep
 */
export function plainBody(value: unknown, around = 0): Body | undefined {
  if (!isFields(value)) return undefined;
  const own = sizeOf(value) - around;
  return value['type'] === 'batch' ? plainBatch(value['changes'], own) : plainChange(value, own);
}

function plainBatch(changes: unknown, own: number): Body | undefined {
  if (own !== 2 || !isList(changes) || changes.length === 0 || changes.length > 100_000) return undefined;
  const read: Change[] = [];
  for (const fields of changes) {
    const change = isFields(fields) ? plainChange(fields, sizeOf(fields)) : undefined;
    if (change === undefined) return undefined;
    read.push(change);
  }
  return { type: 'batch', changes: read };
}

let rare: ReturnType<typeof rareChanges> | undefined;

/** @param own how many fields it has as a change; a field that is not known here is one too many */
function plainChange(fields: Fields, own: number): Change | undefined {
  const { type } = fields;
  if (type === 'task.claimed' || type === 'task.completed' || type === 'task.released' || type === 'task.created')
    return plainTaskChange(type, fields, own);
  if (type === 'member.started' || type === 'member.joined' || type === 'team.opened')
    return plainTeamChange(type, fields, own);
  if (type === 'lead.took') {
    const { epoch } = fields;
    return own === 2 && isCount(epoch) ? { type, epoch } : undefined;
  }
  if (type === 'log.opened') {
    const { team, name } = fields;
    return own === 3 && isUlid(team) && isPlainName(name) ? { type, team, name } : undefined;
  }
  if (type === 'team.closing' || type === 'team.closed') return own === 1 ? { type } : undefined;
  return typeof type === 'string' ? (rare ??= rareChanges(plainResult)).get(type)?.(fields, own) : undefined;
}

function plainTaskChange(
  type: 'task.claimed' | 'task.completed' | 'task.released' | 'task.created',
  fields: Fields,
  own: number,
): Change | undefined {
  const { task, epoch } = fields;
  if (!isTaskId(task)) return undefined;
  if (type === 'task.claimed') {
    const { member } = fields;
    return own === 3 && isMember(member) ? { type, task, member } : undefined;
  }
  if (type === 'task.created') {
    const made = own === 3 ? plainTask(fields['fields']) : undefined;
    return made && { type, task, fields: made };
  }
  if (!isCount(epoch)) return undefined;
  if (type === 'task.completed') {
    const result = own === 4 ? plainResult(fields['result']) : undefined;
    return result && { type, task, epoch, result };
  }
  const { reason, why } = fields;
  return own === 5 && isOneOf(RELEASE_REASONS, reason) && isText(why, 4_096)
    ? { type, task, epoch, reason, why }
    : undefined;
}

function plainTeamChange(
  type: 'member.started' | 'member.joined' | 'team.opened',
  fields: Fields,
  own: number,
): Change | undefined {
  if (type === 'team.opened') {
    const { profile, claim } = fields;
    return own === 3 && isOneOf(PROFILES, profile) && isOneOf(CLAIM_MODES, claim)
      ? { type, profile, claim }
      : undefined;
  }
  const { name } = fields;
  if (own !== 4 || !isPlainName(name)) return undefined;
  if (type === 'member.started') {
    const { inc, after } = fields;
    return isUlid(inc) && (after === null || isUlid(after)) ? { type, name, inc, after } : undefined;
  }
  const { role, prefixes } = fields;
  const isWithout = Array.isArray(prefixes) && prefixes.length === 0;
  return isWithout && isPlainName(role) ? { type, name, role, prefixes: [] } : undefined;
}

export function plainResult(result: unknown): TaskResult | undefined {
  if (!isFields(result)) return undefined;
  const { summary, hash, exitCode, files } = result;
  const own = 2 + Number(hash !== undefined) + Number(exitCode !== undefined);
  const named = textsIn(files);
  if (named === undefined || sizeOf(result) !== own || !isText(summary, 4_096)) return undefined;
  if (hash === undefined && exitCode === undefined) return { summary, files: named };
  if (hash !== undefined && !isText(hash)) return undefined;
  if (exitCode !== undefined && !isInteger(exitCode)) return undefined;
  return { summary, ...defined({ hash, exitCode }), files: named };
}

/** For a field that may be absent. */
const countOf = (value: unknown): number => (value === undefined ? 0 : 1);

/** A task with all fields that have a default, as they are written. */
function plainTask(fields: unknown): NewTask | undefined {
  if (!isFields(fields)) return undefined;
  const { subject, key, description, activeForm, owner, role, retries, required } = fields;
  if (sizeOf(fields) !== 7 + countOf(key) + countOf(activeForm) + countOf(owner) + countOf(role)) return undefined;
  if (!isText(subject, 1_000) || subject === '' || !isText(description, 262_144)) return undefined;
  if (!isCount(retries, 100) || typeof required !== 'boolean') return undefined;
  const blockedBy = textsIn(fields['blockedBy'], 10_000);
  const work = plainWork(fields['work']);
  const metadata = plainTexts(fields['metadata']);
  if (blockedBy?.every(isTaskId) !== true || work === undefined || metadata === undefined) return undefined;
  if (key !== undefined && (!isText(key, 200) || key === '')) return undefined;
  if (activeForm !== undefined && !isText(activeForm, 1_000)) return undefined;
  if (owner !== undefined && !isMember(owner)) return undefined;
  if (role !== undefined && !isPlainName(role)) return undefined;
  // Most tasks have none of them, and to leave out what is undefined takes as long as all else here.
  if (key === undefined && activeForm === undefined && owner === undefined && role === undefined)
    return { subject, description, blockedBy, work, retries, required, metadata };
  return {
    subject,
    ...defined({ key }),
    description,
    ...defined({ activeForm, owner, role }),
    blockedBy,
    work,
    retries,
    required,
    metadata,
  };
}

function plainWork(fields: unknown): Work | undefined {
  if (!isFields(fields)) return undefined;
  const { run, prompt, timeoutMs, artifact } = fields;
  if (sizeOf(fields) !== 3 + countOf(run) + countOf(prompt) + countOf(timeoutMs) + countOf(artifact)) return undefined;
  const verify = textsIn(fields['verify'], 100, 65_536);
  const env = plainTexts(fields['env']);
  const files = textsIn(fields['files'], 1_000);
  if (verify === undefined || env === undefined || files === undefined) return undefined;
  const command = isText(run, 65_536) ? run : textsIn(run, 1_000, 65_536);
  if (run !== undefined && (command === undefined || (typeof command !== 'string' && command.length === 0)))
    return undefined;
  if (prompt !== undefined && !isText(prompt, 262_144)) return undefined;
  if (timeoutMs !== undefined && (!isCount(timeoutMs) || timeoutMs === 0)) return undefined;
  if (artifact !== undefined && !isText(artifact)) return undefined;
  if (run === undefined && prompt === undefined && timeoutMs === undefined && artifact === undefined)
    return { verify, env, files };
  return {
    ...defined({ run: command, prompt }),
    verify,
    ...defined({ timeoutMs }),
    env,
    files,
    ...defined({ artifact }),
  };
}
