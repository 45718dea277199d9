import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { convertsLineEnds } from '../../../src/runtime/process/conversions.ts';
import { tempDir } from '../../support/temp.ts';

const word = fc.constantFrom(
  'text',
  'eol',
  'crlf',
  'binary',
  'diff',
  'merge',
  'mine',
  'working-tree-encoding',
  'texts',
);
const attribute = fc.oneof(
  word,
  fc.tuple(fc.constantFrom('-', '!'), word).map((parts) => parts.join('')),
  fc
    .tuple(word, fc.constantFrom('auto', 'lf', 'crlf', 'input', 'text', 'UTF-16LE', ''))
    .map((parts) => parts.join('=')),
);
const pattern = fc.constantFrom(
  '*',
  '*.txt',
  '"in quotes.txt"',
  'a.txt',
  '[attr]mine',
  '[attr]other',
  '# text',
  '**/a.txt',
);
const gap = fc.constantFrom(' ', '\t', '  ', ' \t');
const line = fc.tuple(pattern, gap, fc.array(attribute, { maxLength: 3 }), gap).map(([name, between, given, last]) => {
  return `${name}${between}${given.join(between)}${last}`;
});
const attributes = fc
  .tuple(fc.array(line, { minLength: 1, maxLength: 4 }), fc.constantFrom('\n', '\r\n'))
  .map(([lines, end]) => lines.join(end));

describe('attributes of git', () => {
  it('are not taken for ones that convert line ends where they only forbid it', () => {
    for (const harmless of [
      'CHANGELOG.md merge=union',
      '*.png binary\n*.bin filter=lfs diff=lfs merge=lfs -text',
      'text diff',
      '* -crlf !eol',
      '* diff=text',
      '',
    ])
      expect(convertsLineEnds(harmless), harmless).toBe(false);
  });

  it('are taken for ones that convert wherever git converts', () => {
    const root = tempDir();
    execFileSync('git', ['init', '-q', root]);
    for (const [name, encoding] of [['a.txt'], ['in quotes.txt'], ['b.bin'], ['wide.txt', 'utf16le']] as const)
      writeFileSync(join(root, name), 'one\r\ntwo\r\n', encoding);
    mkdirSync(join(root, '.git/info'), { recursive: true });
    let converted = 0;
    fc.assert(
      fc.property(attributes, (text) => {
        writeFileSync(join(root, '.git/info/attributes'), text);
        rmSync(join(root, '.git/index'), { force: true });
        // It fails for an encoding that a file has not; then nothing is converted.
        spawnSync('git', ['-c', 'core.safecrlf=false', 'add', '--ignore-errors', '.'], { cwd: root });
        const listed = spawnSync('git', ['ls-files', '--eol'], { cwd: root, encoding: 'utf8' }).stdout.split('\n');
        const isConverted = listed.some((info) => {
          const [, inIndex, inTree] = /^i\/(\S*) +w\/(\S*)/.exec(info) ?? [];
          return inIndex !== inTree;
        });
        if (isConverted) converted += 1;
        expect(isConverted && !convertsLineEnds(text), text).toBe(false);
      }),
      { numRuns: 100 },
    );
    expect(converted).toBeGreaterThan(0);
  });
});
