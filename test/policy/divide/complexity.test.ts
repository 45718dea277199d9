/** The weight of each signal, counted once, and the tier that the sum leads to (docs/specification.md R8.7). */
import { describe, expect, it } from 'vitest';
import { chooseTier, complexityOf, tierOf } from '../../../src/policy/divide/complexity.ts';

describe('complexityOf', () => {
  it.each([
    ['Rename a variable', 0, 'straightforward'],
    ['Redesign the architecture', 3, 'architecture +3 (architect, redesign)'],
    ['Debug the flaky crash, a bug', 2, 'debug +2 (debug, bug, flaky, crash)'],
    ['Handle payments', 2, 'risk +2 (payment)'],
    ['Store the password', 4, 'risk +2 (password), cross-file +2 (password)'],
    ['Rewrite the parser', 2, 'refactor +2 (rewrit)'],
    ['Why is it slow?', 2, 'why +2 (why)'],
    ['Fix imports across files', 2, 'cross-file +2 (across)'],
    ['Add a test', 1, 'tests +1 (test)'],
    ['Tidy the whole codebase', 3, 'system-wide +3 (codebase)'],
    ['Drop table users', 1, 'irreversible +1 (drop table)'],
    ['api and server, css and layout', 2, 'multi-domain +2 (api, server, css, layout)'],
    ['api, queue and server, css, svg and layout', 3, 'multi-domain +3 (api, server, queue, css, layout, svg)'],
    ['api, css and layout', 0, 'straightforward'],
    ['Do:\n- a\n- b\n- c', 3, 'subtasks +3 (3 points)'],
    ['Do:\n1. a\n2. b\n3. c\n4) d\n5. e\n6. f', 4, 'subtasks +4 (6 points)'],
    ['Do ```x```', 1, 'code +1 (code block)'],
    ['word '.repeat(100), 1, 'long text +1 (100 words)'],
    ['word '.repeat(200), 2, 'long text +2 (200 words)'],
  ])('%j scores %i', (text, score, why) => {
    expect(complexityOf(text)).toMatchObject({ score, why });
  });

  it('signals add up, and each counts once for any number of words', () => {
    const { score, tier, signals } = complexityOf(
      'Refactor and restructure the auth architecture system-wide, with tests',
    );
    expect(signals.map(({ name, weight }) => [name, weight])).toEqual([
      ['architecture', 3],
      ['risk', 2],
      ['refactor', 2],
      ['cross-file', 2],
      ['tests', 1],
      ['system-wide', 3],
    ]);
    expect([score, tier]).toEqual([13, 'opus']);
  });

  it.each([
    [0, 'haiku'],
    [3, 'haiku'],
    [4, 'sonnet'],
    [7, 'sonnet'],
    [8, 'opus'],
    [20, 'opus'],
  ])('a score of %i is %s', (score, tier) => {
    expect(tierOf(score)).toBe(tier);
  });

  it.each([
    ['blanks', ' '.repeat(1e6), 0],
    ['empty lines', '\n'.repeat(1e6), 0],
    ['empty bullets, one a line', '-\n'.repeat(5e5), 2],
    ['one word of half a million parts', `${'a-'.repeat(5e5)}!`, 0],
    ['empty bullets on one line', '- '.repeat(5e5), 2],
    // A pattern that restarts at each position takes 10^12 steps: hours, not the seconds of a slow machine.
  ])('a text made to be expensive is read in one pass: %s', (_, text, score) => {
    expect(complexityOf(text).score).toBe(score);
  });
});

it.each([
  [{ flag: 'opus', cascade: 'sonnet', template: 'haiku', text: 'x' }, 'opus'],
  [{ cascade: 'sonnet', template: 'haiku', text: 'x' }, 'sonnet'],
  [{ template: 'opus', text: 'x' }, 'opus'],
  [{ text: 'x' }, 'haiku'],
  [{}, 'sonnet'],
] as const)('the tier of %j is %s', (asked, tier) => {
  expect(chooseTier(asked, 'sonnet')).toBe(tier);
});
