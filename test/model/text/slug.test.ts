import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isName, parseName } from '../../../src/model/text/names.ts';
import { slug } from '../../../src/model/text/slug.ts';

const plan = parseName('team', 'plan');

test.each([
  ['Audit of the API!', 'audit-of-the-api'],
  ['--x--', 'x'],
  ['all', 'plan-all'],
  ['', 'plan'],
  ['Ünïcode', 'n-code'],
  ['a'.repeat(100), 'a'.repeat(64)],
  [`${'a'.repeat(63)} b`, 'a'.repeat(63)],
])('turns %j into the name %j', (text, name) => {
  expect(slug(text, plan)).toBe(name);
});

test('any text becomes a valid name', () => {
  fc.assert(fc.property(fc.string(), (text) => isName(slug(text, plan))));
});
