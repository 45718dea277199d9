import { posix, win32 } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  agentId,
  isLead,
  isName,
  LEAD,
  memberSchema,
  nameSchema,
  parseMemberName,
  parseName,
} from '../../../src/model/text/names.ts';

const GOOD = [
  'a',
  '0',
  'a1',
  'ada',
  'worker-10',
  'a-b-c',
  'a--b',
  'x'.repeat(64),
  'com',
  'com10',
  'console',
  'leader',
  'all-hands',
  'x-inbox',
  'nully',
  'config-2',
  'maina',
  '42',
  'forge-team-1767323045',
  '1e3',
  '0x1f',
];

const RESERVED = [
  ...'lead team-lead coordinator main all user system config state events templates skills roles pipelines'.split(' '),
  ...'con nul prn aux constructor prototype'.split(' '),
  ...Array.from({ length: 10 }, (_, digit) => [`com${digit}`, `lpt${digit}`]).flat(),
];

const TRAVERSAL = [
  '.',
  '..',
  '...',
  './a',
  '../a',
  '../../etc/passwd',
  'a/..',
  'a/../b',
  '/',
  '//',
  '/etc',
  '/a',
  'a/',
  'a/b',
  'a//b',
  '~',
  '~root',
  '~/a',

  '\\',
  '\\\\',
  '..\\a',
  'a\\b',
  '\\\\host\\share',
  'C:',
  'C:\\',
  'c:a',
  'a:b',
  'a:$DATA',
  'a::$data',
  '//?/C:/',
  '\\\\.\\con',
  'file:a',
  'file:///a',

  '%2e%2e',
  '%2f',
  '..%2f',
  '%00',
  '%5c',
  '..;/',
  '.a',
  'a.',
  'a.b',
  'a..b',
  '.git',
  '.teams',
  '.archive',
  'a.lock',
  'a.json',
  'con.txt',
  'nul.',
];
const CONTROL = [
  '\0',
  'a\0',
  '\0a',
  'a\0b',
  'a\n',
  '\na',
  'a\nb',
  'a\r',
  'a\r\nb',
  '\t',
  'a\tb',
  ' ',
  'a ',
  ' a',
  'a b',
  '\u007f',
  'a\u0080',
  'a\u009b31m',
  '\x1b[31m',
  'a\x1b[0m',
  '\x1b]52;c;x\x07',
  '\b',
  'a\b',
  '\v',
  '\f',
  'a\u0085',
  '\u0001',
  'a\u001f',
];
const UNICODE = [
  'ä',
  'ädä',
  'é',
  'e\u0301',
  'ñ',
  'ß',
  'ſ',
  'ı',
  'İ',
  'K',
  'Å',
  'ａ',
  'ａｄａ',
  '０',
  '٣',
  '१',
  'аda',
  'adа',
  'ο',
  'α',
  '中',
  '読',
  '🙂',
  'a🙂',

  '\u200b',
  'a\u200b',
  'a\u200d',
  '\u202e',
  'a\u202eb',
  '\u2066a',
  '\ufeff',
  '\ufeffa',
  'a\u00a0',
  'a\u2028',
  'a\u2029',
  '\u3000',
  'a\u00adb',
  'ﬁ',
  'Ⅳ',
  '²',

  '\ud800',
  'a\udc00',
  '‐',
  'a‑b',
  'a–b',
  'a—b',
  'a−b',
  '﹣',
  'a\u2044b',
  'a／b',
  'a＼b',
  '．．',
  '․․',
  '…',
  'a\u0335',
];
const SHAPE = [
  '',
  '-',
  '--',
  '-a',
  'a-',
  '-a-',
  '--help',
  '-rf',
  '--as',
  'x'.repeat(65),
  'x'.repeat(1_000),
  'x'.repeat(1_000_000),
  `${'a-'.repeat(32)}a`,
  `a${'-'.repeat(64)}`,

  '_',
  '__proto__',
  '__defineGetter__',
  'x_inbox',
  'ada_inbox',
  'ada_history',
  '_a',
  'a_',
  'toString',
  'valueOf',
  'hasOwnProperty',
  'isPrototypeOf',

  'A',
  'Ada',
  'ADA',
  'aDa',
  'LEAD',
  'Lead',
  'CON',
  'Nul',
  'COM1',
  'conin$',
  'conout$',
  'clock$',
  'Constructor',
  'ALL',

  '*',
  '?',
  'a*',
  'a?',
  '[a]',
  '{a}',
  'a,b',
  'a;b',
  'a|b',
  'a&b',
  'a&&b',
  '$a',
  '$(touch x)',
  '`a`',
  '!a',
  '#a',
  'a#',
  '"',
  "'",
  'a"',
  "a'b",
  '<a>',
  'a>b',
  'a<b',
  '(a)',

  '@',
  'a@b',
  'ada@login',
  'a=b',
  'a+b',
  '^a',
  '%',
  '%PATH%',
  'a%',
  '$HOME',
  '${HOME}',
  '{{a}}',
  '<script>',
  "'; drop",
  'a:1',
  ':',
  '|',
  '&',
  '1.0',
  '+1',
];
const HOSTILE = [...TRAVERSAL, ...CONTROL, ...UNICODE, ...SHAPE];

describe('a name', () => {
  it.each(GOOD)('the name %s is valid', (text) => {
    expect(parseName('team', text)).toBe(text);
    expect(nameSchema.safeParse(text).success).toBe(true);
  });

  it('the corpus of names is large enough', () => {
    expect(new Set(HOSTILE).size).toBe(HOSTILE.length);
    expect(HOSTILE.length).toBeGreaterThan(200);
  });

  it.each([...HOSTILE, ...RESERVED].map((text) => [JSON.stringify(text).slice(0, 40), text]))(
    '%s is none',
    (_, text) => {
      expect(isName(text)).toBe(false);
      for (const kind of ['team', 'member', 'role'] as const)
        expect(() => parseName(kind, text)).toThrow(expect.objectContaining({ code: 'BAD_NAME', exitCode: 2 }));
      expect(nameSchema.safeParse(text).success).toBe(false);
      expect(memberSchema.safeParse(text).success).toBe(text === 'lead');
    },
  );

  it.each([null, undefined, 7, {}, [], ['ada'], true, { toString: () => 'ada' }])('%j is none', (value) => {
    expect(nameSchema.safeParse(value).success).toBe(false);
  });

  it('the refusal of a name is one short line without control bytes', () => {
    for (const text of HOSTILE)
      try {
        parseName('member', text);
      } catch (error) {
        const message = error instanceof Error ? error.message : '';
        expect(message.length).toBeLessThan(600);
        expect(message).not.toMatch(/[\u0000-\u001f]/);
      }
    expect(() => parseName('team', 'all')).toThrow('reserved');
  });

  it('a valid name is a safe path segment on every system, for any text', () => {
    const nearly = fc.stringMatching(/^[a-z0-9.\-_/]{1,70}$/);
    const texts = fc.oneof(
      nearly,
      fc.string({ unit: 'binary' }),
      fc.constantFrom(...HOSTILE, ...GOOD),
      fc.stringMatching(/^[a-z0-9-]{1,64}$/),
    );
    fc.assert(
      fc.property(texts, (text) => {
        if (!isName(text)) return;
        for (const path of [posix, win32]) {
          const joined = path.join(`${path.sep}base`, `${text}_inbox.jsonl`);
          expect(path.dirname(joined)).toBe(`${path.sep}base`);
          expect(path.basename(path.join(`${path.sep}base`, text))).toBe(text);
        }
        expect(text).toBe(text.toLowerCase().normalize('NFKC'));
        expect(text.startsWith('-')).toBe(false);
        expect(encodeURIComponent(text)).toBe(text);
        expect(text in {}).toBe(false);
      }),
      { numRuns: 3_000 },
    );
  });
});

describe('the lead', () => {
  it('the lead has its aliases, and no other names', () => {
    for (const alias of ['lead', 'team-lead', 'coordinator', 'main']) {
      expect(isLead(alias)).toBe(true);
      expect(parseMemberName(alias)).toBe(LEAD);
    }
    for (const other of ['Lead', 'leader', 'ada', '']) expect(isLead(other)).toBe(false);
    expect(parseMemberName('ada')).toBe('ada');
    expect(() => parseMemberName('all')).toThrow(expect.objectContaining({ code: 'BAD_NAME' }));
  });

  it('in a record the lead has one name only', () => {
    expect(memberSchema.safeParse('lead').success).toBe(true);
    expect(memberSchema.safeParse('coordinator').success).toBe(false);
  });
});

it('an agent id is name@team', () =>
  expect(agentId(parseName('member', 'ada'), parseName('team', 'login'))).toBe('ada@login'));
