import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  printedLine,
  safeJson,
  safeLine,
  safeText,
  shownPath,
  visibleText,
} from '../../../src/model/text/safe-text.ts';
import { isLinear } from '../../support/linear.ts';

const DANGEROUS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u200b-\u200f\ufeff\p{Cs}]/u;

const ESC = '\u001b';
const BEL = '\u0007';
const ST = `${ESC}\\`;

/**
 * What programs and attackers send to terminals: colours, cursor movement, titles, links, clipboard, queries, modes.
 */
const FINALS = Array.from('ABCDEFGHJKLMPSTXZ`abcdefghlmnpqrstu');
const SEQUENCES = [
  ...FINALS.map((final) => `${ESC}[${final}`),
  ...['0m', '31m', '1;31;42m', '38;5;196m', '38;2;1;2;3m', '?25l', '?25h', '?1049h', '?2004h'].map(
    (end) => `${ESC}[${end}`,
  ),
  ...['2J', '3J', '1;1H', '999D', '6n', '0c', '>c', '!p', '?6c', '5i', '4i', '20t', '8;1;1t'].map(
    (end) => `${ESC}[${end}`,
  ),
  '\u009b31m',
  '\u009b2J',
  '\u009b6n',
  '\u009b?25l',
  '\u009b1;1H',
];
const STRINGS = [
  '0;title',
  '2;title',
  '4;1;red',
  '7;file:///x',
  '8;;http://x',
  '9;note',
  '10;?',
  '11;?',
  '52;c;aGk=',
  '777;notify',
  '1337;File=:eA==',
];
const PAYLOADS = [
  ...SEQUENCES,
  ...STRINGS.flatMap((body) => [`${ESC}]${body}${BEL}`, `${ESC}]${body}${ST}`, `\u009d${body}\u009c`]),
  ...['P1$r0m', 'P+q544e', 'Xsos', '^pm', '_apc'].map((body) => `${ESC}${body}${ST}`),
];

describe('safeText', () => {
  it('the corpus of safeText has a hundred payloads', () => {
    expect(new Set(PAYLOADS).size).toBeGreaterThanOrEqual(100);
  });

  it.each(PAYLOADS.map((payload) => [JSON.stringify(payload), payload]))(
    'safeText removes %s completely',
    (_, payload) => {
      expect(safeText(`before ${payload}after`)).toBe('before after');
    },
  );

  it.each([`${ESC}]8;;http://x`, `${ESC}]0;title`, `${ESC}P1$r`, `${ESC}_x`, '\u009d52;c;', `${ESC}[`, ESC, '\u009b'])(
    'safeText loses no text after %j, which has no terminator',
    (payload) => {
      const shown = safeText(`before ${payload}\nthe rest`);
      expect(shown).toMatch(/^before /);
      expect(shown).toMatch(/\nthe rest$/);
    },
  );

  it('an unterminated control string ends with its line', () => {
    expect(safeText(`${ESC}]0;a\nhidden?${BEL}b`)).toBe(']0;a\nhidden?b');
  });

  it.each([
    ['a carriage return that would overwrite', 'real\rfake', 'realfake'],
    ['a backspace', 'a\bb', 'ab'],
    ['a charset switch', `${ESC}(0x`, '(0x'],
    ['a reset', `a${ESC}cb`, 'acb'],
    ['bidi overrides', 'user\u202egpj.exe\u202c', 'usergpj.exe'],
    ['bidi isolates', '\u2066a\u2069', 'a'],
    ['zero width', 'a\u200bd\u200da\ufeff', 'ada'],
    ['invisible tag letters', 'a\u{e0041}\u{e007f}b', 'ab'],
    ['half a pair', 'a\ud800b\udc00', 'ab'],
    ['a tag letter that a removed byte would join', 'a\udb40\u0001\udc41b', 'ab'],
  ])('safeText drops %s', (_, text, shown) => {
    expect(safeText(text)).toBe(shown);
  });

  it.each(['plain', 'tab\tand\nnewline', 'naïve 日本語 עברית العربية', '😀 👍🏽 ❤️', 'a\u0301', 'x²'])(
    'safeText keeps %j',
    (text) => {
      expect(safeText(text)).toBe(text);
    },
  );

  it('safeText leaves nothing that controls a terminal, for any input', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => !DANGEROUS.test(safeText(text))));
  });

  it('safeText leaves nothing of nested payloads', () => {
    const part = fc.oneof(fc.constantFrom(...PAYLOADS, ESC, BEL, ST, '\u009b', '\u009d', '\n'), fc.string());
    fc.assert(
      fc.property(fc.array(part, { maxLength: 20 }), (parts) => {
        const shown = safeText(parts.join(''));
        expect(shown).not.toMatch(DANGEROUS);
        expect(safeText(shown)).toBe(shown);
      }),
    );
  });

  it('safeText takes time in proportion to the text', () => {
    for (const piece of [`${ESC}]`, `${ESC}[`, '\u009d', `${ESC}[0`, ESC])
      expect(isLinear((size) => safeText(piece.repeat(size === 'whole' ? 200_000 : 50_000)))).toBe(true);
  });
});

describe('safeLine', () => {
  it('safeLine is one line', () => {
    expect(safeLine(`a\r\n\n\tb ${ESC}[1mc`)).toBe('a b c');
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => !/[\r\n\t]/.test(safeLine(text))));
  });
});

describe('safeJson', () => {
  it('safeJson parses to the same value and sends nothing to a terminal', () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: 'binary' }), (json) => {
        const value: unknown = JSON.parse(json);
        const shown = safeJson(value);
        expect(shown).not.toMatch(DANGEROUS);
        expect(JSON.parse(shown)).toEqual(value);
      }),
    );
    expect(safeJson({ a: '\u009b2J\u{e0041}\u202e' })).toBe('{"a":"\\u009b2J\\udb40\\udc41\\u202e"}');
  });
});

it.each([
  ['    return 1  ', '    return 1'],
  ['\tdone', '\tdone'],
  [' 10%\r 20%\r100%\r', '100%'],
  ['^M10%^M50%^M100%', '100%'],
  ['done^M', 'done'],
  ['press ^M to go on', 'press ^M to go on'],
  ['\u001b[31mred\u001b[0m', 'red'],
  ['^[[1;31mred^[[0m ^[[2Kx ^[]0;title^Gy', 'red x y'],
])('the printed line %j is shown as %j', (line, shown) => {
  expect(printedLine(line)).toBe(shown);
});

it('a printed line of plain characters is as it is, and the same beside others', () => {
  const plain = fc.string({ unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)) });
  const lines = plain.map((line) => line.replaceAll('^', '\t'));
  fc.assert(
    fc.property(lines, (line) => {
      expect(printedLine(line)).toBe(line.trimEnd());
      // The sign keeps the line from the short way.
      expect(printedLine(`${line}ä`)).toBe(`${line}ä`);
    }),
  );
});

it('each character that a terminal would obey is spelled, also many in a row', () => {
  const character = fc.constantFrom('\0', '\u0007', '\u001b', '\u007f', '\u009b', '\u202e', '\r', '\n', 'a');
  fc.assert(
    fc.property(fc.array(character, { maxLength: 12 }), (characters) => {
      const one = (text: string, index: number): string =>
        text === '\r' && characters[index + 1] === '\n' ? text : visibleText(text);
      expect(visibleText(characters.join(''))).toBe(characters.map(one).join(''));
    }),
  );
  expect(visibleText('\0\0\u007f\u009b\u009b\r')).toBe('^@^@^?<U+009B><U+009B>^M');
});

it('the printed line is the same for a file, where it is spelled', () => {
  for (const line of ['\u001b[31mred\u001b[39m', ' 10%\r100%\r', 'a\tb', '\u001b]0;title\u0007x'])
    expect(printedLine(visibleText(line))).toBe(printedLine(line));
});

it('the name of a file is shown in one line, and no two look the same', () => {
  for (const name of ['src/a b.ts', 'ä', '--force', 'i"j']) expect(shownPath(name)).toBe(name);
  expect(['a\nb', ' a', 'a\u001b[2Jb', '"a"', 'a\u202eb', 'a  b', ''].map(shownPath)).toEqual([
    '"a\\nb"',
    '" a"',
    '"a\\u001b[2Jb"',
    '"\\"a\\""',
    '"a\\u202eb"',
    '"a  b"',
    '',
  ]);
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (one, other) => {
      expect(shownPath(one)).not.toMatch(/\n|\r/);
      expect(shownPath(one)).not.toMatch(DANGEROUS);
      expect(shownPath(one) === shownPath(other)).toBe(one === other);
    }),
  );
});
