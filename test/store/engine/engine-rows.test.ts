/** Rows that are read without a schema are read as by their schema, or by it. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { pageForm } from '../../../src/store/engine/engine-pages.ts';
import { appendForm, numbersForm } from '../../../src/store/engine/engine-rows.ts';

const digits = fc.oneof(fc.nat().map(String), fc.constantFrom('', '007', '1e3', ' 1', '-1', '9'.repeat(16), 'x'));
const odd = fc.oneof(digits, fc.constant(null), fc.nat(), fc.boolean(), fc.array(fc.oneof(digits, fc.constant(null))));
const keys = ['news', 'numbers', 'number', 'line', 'bytes', 'more'];
const row = fc.oneof(
  fc.record(Object.fromEntries(keys.map((key) => [key, odd])), { requiredKeys: [] }),
  fc.record({ number: digits, line: fc.string(), bytes: digits, news: fc.string(), numbers: fc.array(digits) }),
  fc.jsonValue(),
);

it.each([
  ['append', appendForm, { news: 'a\nb' }],
  ['numbers', numbersForm, { numbers: ['1', '42'] }],
  ['page', pageForm, { number: '7', line: '{}', bytes: '9007199254740' }],
])('%s', (_, { plain, schema }, usual) => {
  expect(plain?.(usual)).toEqual(schema().parse(usual));
  expect(plain?.(usual)).toBeDefined();
  fc.assert(
    fc.property(row, (one) => {
      const read = plain?.(one);
      if (read !== undefined) expect(read).toEqual(schema().safeParse(one).data);
    }),
    { numRuns: 2_000 },
  );
});
