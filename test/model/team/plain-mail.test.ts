/** A line that is read by one expression is what `JSON.parse` and the schema make of it. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseMail, plainMail } from '../../../src/model/team/message.ts';

/** A blank before it is trimmed, and keeps the expression from it. */
const careful = (line: string) => parseMail(` ${line}`);

const LIMITS = [
  '',
  'a',
  'x'.repeat(64),
  'x'.repeat(65),
  'x'.repeat(128),
  'x'.repeat(129),
  'x'.repeat(256),
  'x'.repeat(257),
];
const short = fc.oneof(fc.constantFrom(...LIMITS, 'message', 'ada', 'größer'), fc.string({ maxLength: 20 }));
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc
    .array(
      fc.constantFrom('\n', '"', '\\', '\t', '","timestamp":1', '"}', '{', '[', '\u2028', '\0', 'plain', 'ß', '\uD800'),
      { maxLength: 90 },
    )
    .map((parts) => parts.join('')),
);
const time = fc.oneof(fc.double(), fc.integer(), fc.constantFrom(0, -1, 1.5, 1e21, 1e-7, 1_764_349_000.123, 2 ** 53));
const message = fc.record({ type: short, sender: short, content: text, timestamp: time, id: short, recipient: short });
const line = message.map((one) => JSON.stringify(one));

/** A line with some characters removed, doubled or replaced. */
const mutated = fc
  .tuple(
    line,
    fc.array(
      fc.tuple(fc.nat(), fc.constantFrom('', '"', '\\', ',', ' ', '0', '\n', '\u0001', '}', 'e5', '\\u00e9', '\\x')),
      { maxLength: 3 },
    ),
    fc.boolean(),
  )
  .map(([whole, edits, isInsert]) =>
    edits.reduce((text, [at, put]) => {
      const place = at % (text.length + 1);
      return text.slice(0, place) + put + text.slice(isInsert ? place : place + 1);
    }, whole),
  );

const agrees = (one: string): void => {
  const plain = plainMail(one);
  if (plain === undefined) return;
  const read = careful(one);
  expect({ ok: true, line: plain }).toStrictEqual(read);
  expect(Object.keys(plain)).toEqual(read.ok ? Object.keys(read.line) : []);
};

test('whatever the expression takes is read as by JSON.parse and the schema', () => {
  fc.assert(fc.property(line, agrees), { numRuns: 3_000 });
  fc.assert(fc.property(mutated, agrees), { numRuns: 10_000 });
});

test.each(['', 'a plain one', 'two\nlines and a "quote" with \\ and é', 'x'.repeat(3_900), '\\'.repeat(1_900)])(
  'a message as our senders write it is taken: %#',
  (content) => {
    const one = { type: 'message', sender: 'ada', content, timestamp: 1_764_349_000.123, id: 'i', recipient: 'bob' };
    expect(plainMail(JSON.stringify(one))).toEqual(one);
  },
);

test('the longest lines are left to others, and none is too long for the expression', () => {
  const one = {
    type: 'message',
    sender: 'ada',
    content: '\n'.repeat(3_000),
    timestamp: 1,
    id: 'i',
    recipient: 'bob',
  };
  expect(plainMail(JSON.stringify(one))).toBeUndefined();
  expect(parseMail(JSON.stringify(one))).toEqual({ ok: true, line: one });
});
