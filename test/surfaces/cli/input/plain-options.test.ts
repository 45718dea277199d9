/** Options read without a schema are what the schema of the same fields reads, and refused in the same words. */
import fc from 'fast-check';
import * as z from 'zod';
import { expect, it } from 'vitest';
import { readOptions } from '../../../../src/surfaces/cli/input/options.ts';
import {
  bySchemaField,
  flagField,
  plainOptions,
  readFields,
  schemaOf,
  textField,
  textsField,
  unlessField,
  wholeNumberField,
  wordField,
} from '../../../../src/surfaces/cli/input/plain-options.ts';

const FIELDS = {
  force: flagField,
  color: unlessField,
  why: textField,
  files: textsField,
  max: wholeNumberField,
  status: wordField(['open', 'done']),
  wait: bySchemaField(() => z.union([z.literal(true), z.string().regex(/^[0-9]$/)]).optional()),
};

/** What a command line gives, and what it cannot give. */
const given = fc.record(
  {
    force: fc.constantFrom(true, false, 'true', null),
    color: fc.constantFrom(true, false, 1),
    why: fc.oneof(fc.string(), fc.constantFrom(true, ['x'])),
    files: fc.oneof(fc.array(fc.string()), fc.constantFrom('x', [1], [undefined])),
    max: fc.constantFrom('0', '12', '999999999', '1000000000', '-1', '1.5', '', ' 1', '١', 3),
    status: fc.constantFrom('open', 'done', 'Open', '', true),
    wait: fc.constantFrom(true, '3', '33', false),
    other: fc.anything(),
  },
  { requiredKeys: [] },
);

function outcome(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    return String(error);
  }
}

it('options read without a schema are those of the schema, and refused in its words', () => {
  fc.assert(
    fc.property(given, (options) => {
      const input = { words: [], options };
      expect(outcome(() => readFields(FIELDS, input))).toEqual(outcome(() => readOptions(schemaOf(FIELDS), input)));
    }),
    { numRuns: 500 },
  );
});

it('usual options need no schema', () => {
  const own = { force: true, why: 'late', files: ['a', 'b'], status: 'done' };
  const options = { ...own, max: '12', root: '/tmp' };
  expect(plainOptions(FIELDS, { words: [], options })).toEqual({ ...own, color: true, max: 12 });
});
