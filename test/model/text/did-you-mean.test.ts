import fc from 'fast-check';
import { expect, test } from 'vitest';
import { didYouMean, nearest } from '../../../src/model/text/did-you-mean.ts';

const KEYS = ['s', 'maxAgents', 'maxMembers', 'name', 'owner', 'role'];

test.each([
  ['maxagents', 'maxAgents'],
  ['maxAgent', 'maxAgents'],
  ['onwer', 'owner'],
  ['nmae', 'name'],
  ['rol', 'role'],
  ['x', undefined],
  ['rloe', 'role'],
  ['completely different', undefined],
  ['', undefined],
  ['n'.repeat(65), undefined],
])('suggests for %j: %j', (word, meant) => {
  expect(nearest(word, KEYS)).toBe(meant);
});

test('a suggestion ends the sentence; without one the sentence just ends', () => {
  expect(didYouMean('onwer', KEYS)).toBe('; did you mean "owner"?');
  expect(didYouMean('xyzzy', KEYS)).toBe('.');
});

test('a known word is its own suggestion', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.stringMatching(/^[a-z]{1,20}$/), { minLength: 1 }),
      (words) => nearest(words[0] ?? '', words) === words[0],
    ),
  );
});
