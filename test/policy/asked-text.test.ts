/** What a person reads of a request that is too long to be shown whole. */
import { expect, it } from 'vitest';
import { ASKED_LIMIT } from '../../src/model/board/request.ts';
import { askedCallText, askedText } from '../../src/policy/asked-text.ts';

const PLACE = '.teams/crew/blobs/abc';
/** A keeper, and what was kept. */
function keeping(): { readonly kept: string[]; readonly keep: (whole: string) => string } {
  const kept: string[] = [];
  return { kept, keep: (whole) => (kept.push(whole), PLACE) };
}
const paths = (count: number, length = 40): string[] =>
  Array.from({ length: count }, (_, n) => `${'d'.repeat(length - 6)}/${String(n).padStart(5, '0')}`);

it('a text that fits is as it is, and kept nowhere else', () => {
  const { kept, keep } = keeping();
  const text = 'x'.repeat(ASKED_LIMIT);
  expect(askedText(text, keep)).toBe(text);
  const call = { tool: 'edit', effect: 'writes', paths: paths(20), input: 'new text' };
  expect(askedCallText(call, keep)).toBe(`edit writes ${paths(20).join(', ')}\nnew text`);
  expect(kept).toEqual([]);
});

it('a text that is too long says so first, where the whole is, and shows its end', () => {
  const { kept, keep } = keeping();
  const text = `begin ${'x'.repeat(9_000)} end`;
  const asked = askedText(text, keep);
  expect(asked).toMatch(
    /^\(only 3,\d{3} of 9,010 characters are shown, .*; whole in \.teams\/crew\/blobs\/abc\)\nbegin x+\n…\nx+ end$/,
  );
  expect(asked.length).toBeLessThanOrEqual(ASKED_LIMIT);
  expect(kept).toEqual([text]);
  // What the board has is not shortened again.
  expect(askedText(asked, keep)).toBe(asked);
});

it('of too many paths it is said how many are not shown, before them', () => {
  const { kept, keep } = keeping();
  const all = paths(500);
  const asked = askedCallText({ tool: 'edit', effect: 'writes', paths: all, input: 'new text' }, keep);
  const [head = '', input] = asked.split('\n');
  const [, shown = '', count, list = ''] =
    /^edit writes \(only (\d+) of (\d+) paths are shown; whole in .*\): (.*)$/.exec(head) ?? [];
  expect([Number(shown), count]).toEqual([list.split(', ').length, '500']);
  expect(Number(shown)).toBeGreaterThan(20);
  // Each is a whole path.
  expect(list.split(', ')).toEqual(all.slice(0, Number(shown)));
  expect(input).toBe('new text');
  expect(kept).toEqual([`edit writes ${all.join(', ')}\nnew text`]);
});

it.each([
  ['a path that is too long', ['a'.repeat(9_000)], ''],
  ['many paths and a long call', paths(3_000), 'y'.repeat(50_000)],
  ['a few paths and a long call', paths(3), 'y'.repeat(50_000)],
  ['a tool with a long name', paths(3_000, 3_000), 'y'.repeat(50_000)],
])('%s: at most so many characters as the board keeps, with the place of the whole', (_, names, input) => {
  for (const tool of ['shell', 't'.repeat(200)]) {
    const asked = askedCallText({ tool, effect: 'runs', paths: names, input }, keeping().keep);
    expect(asked.length).toBeLessThanOrEqual(ASKED_LIMIT);
    expect(asked.split('\n', 1)[0]).toContain(`whole in ${PLACE}`);
  }
});

it('says that a whole which is too long is kept nowhere', () => {
  expect(askedText('x'.repeat(5_000), () => undefined)).toMatch(
    /^\(only .* are shown, .*; too long to be kept whole\)\n/,
  );
});
