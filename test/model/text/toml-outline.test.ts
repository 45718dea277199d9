import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tomlOutline } from '../../../src/model/text/toml-outline.ts';

const defined = (text: string): string[] => {
  const outline = tomlOutline(text);
  if (!outline.ok) throw new Error(`no TOML at line ${outline.line}`);
  return outline.defined.map(({ path, kind }) => `${kind === 'table' ? '' : '='}${path.join('/')}`);
};

const CONFIG = `# mine
model = "o3" # with a comment
"quoted key".'another' = 1
dates = [ 1979-05-27 07:32:00Z,
  1979-05-27, # inside
]
inline = { a = [1, 2,], b.c = "}" }
text = """
[not.a.table]
"quotes" and \\""" and four""""
raw = '''
[nor.this] it''s \\ '''
empty = ""

[mcp_servers.docs]
command = 'npx'
args = ["-y", "docs \\" # no comment"]

[[profiles]]
name = "x"
  [profiles."odd name"]
  float = -1_000.5e-3
  nothing = inf
`;

describe('the outline of a TOML document', () => {
  test('the outline names tables and keys, whatever strings and comments contain', () => {
    expect(defined(CONFIG)).toEqual([
      '=model',
      '=quoted key/another',
      '=dates',
      '=inline',
      '=inline/a',
      '=inline/b/c',
      '=text',
      '=raw',
      '=empty',
      'mcp_servers/docs',
      '=mcp_servers/docs/command',
      '=mcp_servers/docs/args',
      'profiles',
      '=profiles/name',
      'profiles/odd name',
      '=profiles/odd name/float',
      '=profiles/odd name/nothing',
    ]);
  });

  test.each(['', '\n\n', '# only a comment', 'a = 1', 'a = 1\r\nb = 2\r\n'])('the outline reads %j', (text) => {
    expect(tomlOutline(text).ok).toBe(true);
  });

  test.each([
    ['a = 1 b = 2', 1],
    ['[half', 1],
    ['a =', 1],
    ['a = 1\n= 2', 2],
    ['a = "open', 1],
    ['a = """open', 1],
    ['x = 1\n{"json": true}', 2],
    ['a = [1, 2', 1],
    ['<<<<<<< HEAD\na = 1', 1],
    [`a = ${'['.repeat(10_000)}`, 1],
  ])('the outline names the line where it cannot read %j', (text, line) => {
    expect(tomlOutline(text)).toEqual({ ok: false, line });
  });

  test('the outline never throws; what it reads it can still read with a table added at the end', () => {
    const words = fc.constantFrom('a', '"', '"""', "'", "'''", '=', '[', ']', '{', '}', '.', ',', '#', '\\', '\n', ' ');
    fc.assert(
      fc.property(fc.array(words, { maxLength: 40 }), (parts) => {
        const text = parts.join('');
        const before = tomlOutline(text);
        const after = tomlOutline(`${text}\n[last]\nkey = 1\n`);
        expect(after.ok).toBe(before.ok);
        if (before.ok && after.ok) expect(after.defined).toHaveLength(before.defined.length + 2);
      }),
      { numRuns: 2_000 },
    );
  });
});
