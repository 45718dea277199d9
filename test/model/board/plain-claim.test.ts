/** A claim or completion that is read by one expression is what `JSON.parse` and the schemas make of it. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseBoardLine, plainClaim } from '../../../src/model/board/board-line.ts';
import { ada, AT, bob, byLead, byMember, byPerson, ulid } from '../world.ts';

/** A blank before it keeps the expression from it. */
const careful = (line: string) => parseBoardLine(` ${line}`);

const authors: object[] = [
  byMember(ada),
  byMember(bob),
  byLead(),
  byPerson(ada),
  { by: 'con', inc: ulid(1) },
  { by: 'ada', inc: 'x' },
  { by: 'größer', inc: ulid(1) },
  { by: 'ada', inc: ulid(1), more: 1 },
  { inc: ulid(1), by: 'a"}{\\' },
  {},
];
const ids = fc.constantFrom(ulid(1), ulid(2), '', 'x', ulid(1).slice(1), `${ulid(1)}0`, ulid(1).replace('0', 'I'));
const times = fc.constantFrom(AT, AT, AT, `${AT}Z`, '', '2026-01-02', AT.replace('T', ' '));
const tasks = fc.constantFrom('1', '12', '9'.repeat(15), '9'.repeat(16), '0', '01', '', '-1', '1\n');
const members = fc.constantFrom('ada', 'bob', 'lead', 'con', '', 'a'.repeat(65), 'ß');
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom('done', '', '"}}', '},"x":{', '\u2028', '\0', 'ß 🙂', '\uD800', 'x'.repeat(4_096), 'x'.repeat(4_097)),
);
const count = fc.oneof(fc.nat(), fc.constantFrom(-1, 1.5, 1e21, -0, 2 ** 53, 999_999_999_999_999));
const results = fc.oneof(
  fc.record(
    {
      summary: text,
      files: fc.array(text, { maxLength: 3 }),
      hash: text,
      exitCode: fc.oneof(fc.integer(), fc.constantFrom(1.5, null)),
    },
    { requiredKeys: ['summary', 'files'] },
  ),
  fc.jsonValue(),
  fc.constant({ summary: 'done', files: [], __proto__: null }),
);
const body = fc.oneof(
  fc.record({ type: fc.constant('task.claimed'), task: tasks, member: members }),
  fc.record({ type: fc.constant('task.completed'), task: tasks, epoch: count, result: results }),
);
const head = fc.record({
  id: ids,
  v: fc.constantFrom<unknown>(1, 2, 2, 3, 0, '2', 1.5),
  at: times,
  author: fc.constantFrom(...authors),
});
const line = fc.tuple(head, body).map(([one, other]) => JSON.stringify({ ...one, ...other }));

const claimed = { id: ulid(1), v: 2, at: AT, author: byMember(ada), type: 'task.claimed', task: '7', member: 'ada' };
const result = { summary: 'hello\n', hash: 'f'.repeat(64), files: ['hello.txt'], exitCode: 0 };
const { member: _, ...rest } = claimed;
const completed = { ...rest, type: 'task.completed', epoch: 1, result };

/** A line with some characters removed, doubled or replaced. */
const mutated = fc
  .tuple(
    fc.constantFrom(JSON.stringify(claimed), JSON.stringify(completed)),
    fc.array(
      fc.tuple(
        fc.nat(),
        fc.constantFrom(
          '',
          '"',
          '\\',
          ',',
          ' ',
          '0',
          '\n',
          '\u0001',
          '{',
          '}',
          'e5',
          '\\u0061',
          '"by":"bob",',
          '-',
          '.',
        ),
      ),
      { minLength: 1, maxLength: 3 },
    ),
    fc.boolean(),
  )
  .map(([whole, edits, isInsert]) =>
    edits.reduce((changed, [at, put]) => {
      const place = at % (changed.length + 1);
      return changed.slice(0, place) + put + changed.slice(isInsert ? place : place + 1);
    }, whole),
  );

function agrees(one: string): void {
  const plain = plainClaim(one);
  const read = careful(one);
  if (plain === undefined) expect(parseBoardLine(one).kind).toBe(read.kind);
  else {
    expect({ kind: 'event', event: plain }).toStrictEqual(read);
    // To the order of the keys, also of the author and the result.
    expect(JSON.stringify(plain)).toBe(JSON.stringify(read.kind === 'event' ? read.event : undefined));
  }
}

test('whatever the expression takes is read as by JSON.parse and the schemas', () => {
  fc.assert(fc.property(line, agrees), { numRuns: 5_000 });
  fc.assert(fc.property(mutated, agrees), { numRuns: 10_000 });
});

test.each([
  claimed,
  completed,
  { ...claimed, v: 1 },
  { ...completed, epoch: 0, result: { summary: '', files: [] } },
  { ...completed, result: { ...result, summary: '"}}' } },
])('is taken as members write it: %j', (record) => {
  expect(plainClaim(JSON.stringify(record))).toStrictEqual(record);
  agrees(JSON.stringify(record));
});

test.each([
  ['of another member than its author', { ...claimed, member: 'bob' }],
  ['with a proof', { ...rest, mac: 'm', type: 'task.claimed', task: '7', member: 'ada' }],
  ['of a person', { ...completed, author: byPerson(ada) }],
  ['with a long result', { ...completed, result: { ...result, files: Array(1_000).fill('a file') } }],
])('a record %s is read as before', (_name, record) => {
  agrees(JSON.stringify(record));
});

test('no more authors are kept than a team has', () => {
  for (let n = 0; n < 3_000; n += 1)
    expect(plainClaim(JSON.stringify({ ...claimed, author: { by: 'ada', inc: ulid(n) } }))?.author).toEqual({
      by: 'ada',
      inc: ulid(n),
    });
});
