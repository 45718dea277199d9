import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseBoardLine } from '../../../src/model/board/board-line.ts';
import { LOG_VERSION } from '../../../src/model/board/event.ts';
import { lineOf } from './golden/scenarios.ts';
import { ada, AT, byMember, openWorld, ulid } from '../world.ts';

const kind = (value: unknown): string => parseBoardLine(typeof value === 'string' ? value : JSON.stringify(value)).kind;

const claim = {
  id: ulid(1),
  v: LOG_VERSION,
  at: AT,
  author: byMember(ada),
  type: 'task.claimed',
  task: '1',
  member: 'ada',
};
const creation = (fields: object) => ({ ...claim, type: 'task.created', fields });

function everyRecord() {
  const world = openWorld();
  world.add({
    key: 'k',
    subject: 'Läs · 読む 🙂',
    metadata: { a: [null, { b: 1 }] },
    work: { run: ['a', 'b'], timeoutMs: 5 },
  });
  world.claim('1');
  world.complete('1');
  world.say({ person: ada, epoch: 1 }, { type: 'batch', changes: [{ type: 'member.left', name: ada, why: '' }] });
  return world.events;
}

describe('a line of the board log', () => {
  it.each(everyRecord())('a log line is read back as it was written: $type', (event) => {
    expect(parseBoardLine(lineOf(event))).toEqual({ kind: 'event', event });
  });

  it('an event has our envelope and a body of this version; unknown keys are dropped', () => {
    const parsed = parseBoardLine(JSON.stringify({ ...claim, extra: 1 }));
    expect(parsed).toEqual({ kind: 'event', event: claim });
  });

  it('missing fields get their defaults when a line is read', () => {
    const parsed = parseBoardLine(JSON.stringify(creation({ subject: 's' })));
    expect(parsed).toMatchObject({
      event: { fields: { description: '', blockedBy: [], retries: 0, required: true, metadata: {} } },
    });
  });

  const lead = ulid(3);
  const noise: [string, unknown][] = [
    ...(
      ['', ' ', 'x', 'null', '7', '"x"', '[]', '{}', '{"id":', '\0', JSON.stringify(claim).slice(0, -1)] as const
    ).map((text): [string, unknown] => [JSON.stringify(text), text]),
    ['no id', { ...claim, id: undefined }],
    ['an id that is no ULID', { ...claim, id: 'abc' }],
    ['a lower-case ULID', { ...claim, id: ulid(1).replace('0', 'a') }],
    ['no author', { ...claim, author: undefined }],
    ['an author of two kinds at once', { ...claim, author: { by: 'ada', inc: lead, lead, epoch: 1 } }],
    ['an author without an incarnation', { ...claim, author: { by: 'ada' } }],
    ['a lead without an epoch', { ...claim, author: { lead } }],
    ['an author with a bad name', { ...claim, author: { by: '../ada', inc: lead } }],
    ['an author that is a text', { ...claim, author: 'lead' }],
    ['a negative epoch', { ...claim, author: { lead, epoch: -1 } }],
    ['an invalid time', { ...claim, at: 'yesterday' }],
    ['no version', { ...claim, v: undefined }],
    ...[0, -1, 0.5, '1', 1.5, null].map((v): [string, unknown] => [`version ${JSON.stringify(v)}`, { ...claim, v }]),
    ['an unknown type in this version', { ...claim, type: 'task.exploded' }],
    ['a type that is not a string', { ...claim, type: 7 }],
    ['a hostile type', { ...claim, type: '__proto__' }],
    ['a bad task id', { ...claim, task: '../1' }],
    ['a task id as a number', { ...claim, task: 1 }],
    ['an unknown field of a task', creation({ subject: 's', status: 'completed' })],
    ['an owner with a bad name', creation({ subject: 's', owner: 'Ada' })],
    ['an empty batch', { ...claim, type: 'batch', changes: [] }],
    [
      'a batch in a batch',
      { ...claim, type: 'batch', changes: [{ type: 'batch', changes: [{ type: 'team.closing' }] }] },
    ],
    ['a batch with one bad change', { ...claim, type: 'batch', changes: [{ type: 'team.closing' }, { type: 'x' }] }],
    [
      'a prefix with an invalid form',
      { ...claim, type: 'member.joined', name: 'eve', role: 'executor', prefixes: ['dev'] },
    ],
    ['a text over the limit', { ...claim, type: 'task.cancelled', why: 'x'.repeat(4_097) }],
  ];
  it.each(noise)('a log line is noise with %s', (_, value) => {
    const parsed = parseBoardLine(typeof value === 'string' ? value : JSON.stringify(value));
    expect(parsed.kind).toBe('noise');
    expect(parsed.kind === 'noise' && parsed.why).toMatch(/./);
  });

  it.each([
    ['in the envelope that we know', { ...claim, v: 3 }],
    ['of an unknown type', { id: ulid(1), v: 99, type: 'moon.landed', author: {} }],
    ['with an unknown form of author and time', { ...claim, v: 3, at: 12, author: { robot: true } }],
  ])('a line of a greater version is newer, not noise: %s', (_, value) => {
    expect(parseBoardLine(JSON.stringify(value))).toEqual({ kind: 'newer', version: value.v });
  });

  it('a line without our envelope is noise, not newer: no stray text stops a team', () => {
    for (const value of [
      { v: 3 },
      { ...claim, v: 3, id: 'x' },
      { ...claim, v: 3, author: 'me' },
      { ...claim, v: 3, type: 3 },
      JSON.stringify(claim).replace(`"v":2`, `"v":1e999`),
    ])
      expect(kind(value)).toBe('noise');
  });

  it.each([claim, { ...claim, v: 3 }])('a torn line is noise wherever it is torn, version $v', (value) => {
    const line = JSON.stringify(value);
    const kinds = Array.from({ length: line.length }, (_, end) => kind(line.slice(0, end)));
    expect(new Set(kinds)).toEqual(new Set(['noise']));
  });

  it.each([65, 5_000, 200_000])('a line nested %i deep is noise and does not overflow the stack', (depth) => {
    const nested = '['.repeat(depth) + ']'.repeat(depth);
    const line = JSON.stringify(creation({ subject: 's', metadata: { x: 0 } })).replace('"x":0', `"x":${nested}`);
    expect(parseBoardLine(line)).toEqual({ kind: 'noise', why: 'nested deeper than 64' });
    expect(kind(JSON.stringify(claim).replace('}', `,"x":${nested}}`))).toBe('noise');
  });

  it('reading a log line pollutes no prototype', () => {
    const line = JSON.stringify(creation({ subject: 's', metadata: { x: 0 } })).replace(
      '"x":0',
      '"__proto__":{"x":1},"constructor":{"prototype":{"x":1}}',
    );
    expect(kind(line.replace('{', '{"__proto__":{"type":"team.closed"},'))).toBe('event');
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });

  it('reading never throws on any bytes, and never makes an event of damaged ones', () => {
    const whole = everyRecord().map(lineOf);
    const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array).toString('utf8'));
    const cut = fc
      .tuple(fc.constantFrom(...whole), fc.nat({ max: 400 }))
      .map(([line, at]) => line.slice(0, Math.min(at, line.length - 1)));
    fc.assert(
      fc.property(fc.oneof(bytes, cut, fc.json()), (raw) => kind(raw) === 'noise'),
      { numRuns: 1_000 },
    );
    const spliced = fc
      .tuple(
        fc.constantFrom(...whole),
        fc.nat({ max: 400 }),
        fc.string({ unit: 'binary', maxLength: 6 }),
        fc.nat({ max: 6 }),
      )
      .map(([line, at, text, gone]) => line.slice(0, at) + text + line.slice(at + gone));
    fc.assert(
      fc.property(spliced, (raw) => void parseBoardLine(raw)),
      { numRuns: 1_000 },
    );
    const any = fc.record({
      id: fc.constant(ulid(1)),
      v: fc.oneof(fc.constant(1), fc.anything()),
      at: fc.constant(AT),
      author: fc.oneof(fc.constant(claim.author), fc.anything()),
      type: fc.constantFrom('task.created', 'batch', 'task.updated', 'x'),
      fields: fc.anything(),
      changes: fc.anything(),
      task: fc.anything(),
      metadata: fc.anything(),
    });
    fc.assert(
      fc.property(
        any.map((value) => JSON.stringify(value, (_, one: unknown) => (typeof one === 'bigint' ? String(one) : one))),
        (raw) => void parseBoardLine(raw),
      ),
      { numRuns: 500 },
    );
  });
});
