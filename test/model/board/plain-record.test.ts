import fc from 'fast-check';
import * as z from 'zod';
import { describe, expect, it } from 'vitest';
import { authorSchema, bodySchema, ulidSchema } from '../../../src/model/board/event.ts';
import { plainBody, plainEnvelope } from '../../../src/model/board/plain-record.ts';
import { ada, AT, byMember, openWorld, ulid } from '../world.ts';
import { lineOf } from './golden/scenarios.ts';

const envelope = { id: ulid(1), v: 2, at: AT, author: byMember(ada) };
const work = { verify: [], env: {}, files: [] };
const fields = { subject: 's', description: '', blockedBy: [], work, retries: 0, required: true, metadata: {} };
const allOfWork = {
  run: ['a', 'b'],
  prompt: 'p',
  verify: ['v'],
  timeoutMs: 5,
  env: { A: '1' },
  files: ['f'],
  artifact: 'x',
};
const allFields = {
  ...fields,
  key: 'k',
  activeForm: 'doing',
  owner: 'ada',
  role: 'executor',
  blockedBy: ['1', '2'],
  work: allOfWork,
  metadata: { constructor: 'c', 2: 'b', 1: 'a' },
};
const created = { type: 'task.created', task: '3', fields };
const claimed = { type: 'task.claimed', task: '1', member: 'lead' };
const result = { summary: 'done', files: ['f'] };
const [commit, hash] = ['a'.repeat(40), 'f'.repeat(64)];

/** Records that are read without a schema. */
const PLAIN: object[] = [
  claimed,
  { type: 'task.completed', task: '1', epoch: 1, result },
  { type: 'task.completed', task: '1', epoch: 1, result: { files: [], exitCode: -1, hash: 'h', summary: '' } },
  { type: 'task.released', task: '1', epoch: 0, reason: 'lost', why: '' },
  created,
  { ...created, fields: allFields },
  { ...created, fields: { ...fields, work: { ...work, run: 'true' } } },
  { type: 'member.started', name: 'ada', inc: ulid(2), after: null },
  { type: 'member.started', name: 'ada', inc: ulid(2), after: ulid(3) },
  { type: 'member.joined', name: 'ada', role: 'executor', prefixes: [] },
  { type: 'team.opened', profile: 'v8', claim: 'auto' },
  { type: 'log.opened', team: ulid(4), name: 'hello' },
  { type: 'lead.took', epoch: 1 },
  { type: 'team.closing' },
  { type: 'team.closed' },
  { type: 'batch', changes: [created, claimed] },
  { type: 'task.failed', task: '1', epoch: 1, why: 'w' },
  { type: 'task.failed', task: '1', epoch: 1, why: 'w', result },
  { type: 'task.submitted', task: '1', epoch: 1, result, attempt: { commit, base: commit } },
  { type: 'task.submitted', task: '1', epoch: 1, result, attempt: { commit, base: hash, bundle: hash } },
  { type: 'task.landed', task: '1', epoch: 1, commit },
  { type: 'task.bounced', task: '1', epoch: 1, cause: 'conflict', why: 'w', files: ['f'] },
  { type: 'task.retried', task: '1' },
  { type: 'task.retried', task: '1', note: 'n' },
  { type: 'task.skipped', task: '1', cascade: true, why: '' },
  { type: 'task.skipped', task: '1', cascade: false, why: 'w', because: '2' },
  { type: 'task.cancelled', task: '1', why: 'w' },
  { type: 'task.cancelled', task: '1', why: 'w', waived: true },
  { type: 'task.assigned', task: '1', owner: 'lead' },
  { type: 'task.assigned', task: '1', owner: null },
  { type: 'task.blocked', task: '1', by: '2' },
  { type: 'task.unblocked', task: '1', blocker: '2' },
  { type: 'member.left', name: 'ada', why: 'w' },
  { type: 'team.paused' },
  { type: 'team.unpaused' },
  { type: 'request.made', request: ulid(5), kind: 'question', text: 't' },
  { type: 'request.made', request: ulid(5), kind: 'permission', about: '1', text: 't', hash, tool: 'Bash' },
  { type: 'request.withdrawn', request: ulid(5), why: 'w' },
  { type: 'request.answered', request: ulid(5), approve: true, text: 't' },
];

const bySchema = z.object({ id: ulidSchema, v: z.literal([1, 2]), author: authorSchema });
const plainly = (value: unknown) => {
  const read = plainEnvelope(value);
  return read && plainBody(value, Object.keys(read).length);
};

/** What is read without a schema is what the schemas read, with its keys in their order. */
function agrees(record: unknown): boolean {
  const value: unknown = record === undefined ? null : JSON.parse(JSON.stringify(record));
  const head = plainEnvelope(value);
  const read = head && plainBody(value, Object.keys(head).length);
  if (head === undefined || read === undefined) return false;
  const parsed = bodySchema.parse(value);
  expect(read).toStrictEqual(parsed);
  expect(JSON.stringify(read)).toBe(JSON.stringify(parsed));
  expect(bySchema.parse(value)).toStrictEqual({ id: head.id, v: head.v, author: head.author });
  return true;
}

/** Every value that is somewhere in another one, with the way to it. */
function* places(value: unknown, way: string[] = []): Generator<string[]> {
  yield way;
  if (typeof value === 'object' && value !== null)
    for (const [key, one] of Object.entries(value)) yield* places(one, [...way, key]);
}

function put(value: unknown, [key, ...way]: string[], change: (old: unknown) => unknown): unknown {
  if (key === undefined) return change(value);
  const old = value as Record<string, unknown>;
  const one = put(old[key], way, change);
  return Array.isArray(old)
    ? old.map((each, at) => (String(at) === key ? one : (each as unknown)))
    : { ...old, [key]: one };
}

describe('a record that is read without a schema', () => {
  it.each(PLAIN)('is read as the schemas read it: %j', (body) => {
    expect(agrees({ ...envelope, ...body })).toBe(true);
    expect(agrees({ ...body, ...envelope, mac: 'm', signature: 's' })).toBe(true);
  });

  it('is what a team writes most: its tasks, claims and completions', () => {
    const world = openWorld();
    world.add({ subject: 's', work: { run: 'true' } });
    world.claim('1');
    world.complete('1');
    const types = world.events.slice(-3).map((event) => plainly(JSON.parse(lineOf(event)))?.type);
    expect(types).toEqual(['task.created', 'task.claimed', 'task.completed']);
  });

  const authors = [{ person: 'lead', epoch: 0 }, { lead: ulid(3), epoch: 2 }, byMember(ada)];
  it.each(authors)('has an author of each kind: %j', (author) => {
    expect(agrees({ ...envelope, ...claimed, author })).toBe(true);
  });

  it('is left to the schemas wherever a field is of another kind, missing, or unknown', () => {
    const long = (length: number) => 'a'.repeat(length);
    const texts = [
      '',
      'x',
      'con',
      'lead',
      '0',
      '01',
      '9'.repeat(15),
      '9'.repeat(16),
      ulid(5),
      '2026-01-01',
      'a\n',
      '1\n',
    ];
    const limits = [200, 1_000, 4_096, 65_536, 262_144].flatMap((most) => [long(most), long(most + 1)]);
    const numbers = [-1, 0, 1, 1.5, 100, 101, 2 ** 53, -(2 ** 53), 1e21];
    const lists = [[], [1], ['1'], Array(101).fill('1'), Array(1_001).fill('1'), [[]], [null], ['']];
    const others: unknown[] = [null, true, false, {}, { a: 1 }, { a: 'b' }, { constructor: 'a', toString: 'b' }];
    const values: unknown[] = [...texts, ...limits, ...numbers, ...lists, ...others, undefined];
    let plain = 0;
    for (const body of PLAIN)
      for (const way of places({ ...envelope, ...body })) {
        for (const value of values) plain += Number(agrees(put({ ...envelope, ...body }, way, () => value)));
        const more = put({ ...envelope, ...body }, way, (old) =>
          typeof old === 'object' ? { ...old, more: [] } : old,
        );
        agrees(more);
      }
    expect(plain).toBeGreaterThan(500);
  });

  it('has no field that is not known, so that it is never nested deep', () => {
    const deep: unknown = JSON.parse(`${'['.repeat(1_000)}${']'.repeat(1_000)}`);
    for (const body of PLAIN)
      for (const way of places({ ...envelope, ...body })) {
        const more = put({ ...envelope, ...body }, way, (old) =>
          typeof old === 'object' && old !== null && !Array.isArray(old) ? { ...old, more: deep } : deep,
        );
        expect(plainly(JSON.parse(JSON.stringify(more)))).toBeUndefined();
      }
  });

  it('has no key that names a prototype', () => {
    const line = JSON.stringify({ ...envelope, ...created });
    for (const place of ['"metadata":{', '"env":{', '"work":{', '"fields":{', '{'])
      expect(plainly(JSON.parse(line.replace(place, `${place}"__proto__":"x",`).replace(',}', '}')))).toBeUndefined();
  });

  it('agrees with the schemas for any JSON in any place', () => {
    const body = fc.constantFrom(...PLAIN);
    fc.assert(
      fc.property(body, fc.nat(), fc.jsonValue(), (one, at, value) => {
        const record = { ...envelope, ...one };
        const ways = [...places(record)];
        agrees(put(record, ways[at % ways.length] ?? [], () => value));
      }),
      { numRuns: 3_000 },
    );
  });
});
