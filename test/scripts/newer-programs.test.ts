/** How the newest programs are compared with the pinned ones. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';

const SCRIPT = pathToFileURL(join(import.meta.dirname, '../../scripts/newer-programs.mjs')).href;

/** @param expression uses the functions of the script as `newer` */
function said(expression: string): unknown {
  const code = `import { readFileSync } from 'node:fs'; import * as newer from '${SCRIPT}'; console.log(JSON.stringify(${expression}));`;
  const argv = ['--input-type=module', '--eval', code];
  return JSON.parse(
    execFileSync(process.execPath, argv, { cwd: join(import.meta.dirname, '../..'), encoding: 'utf8' }),
  );
}

describe('a comparison of programs', () => {
  it('knows every program that the tests pin', () => {
    const pins = said("newer.pinsIn(readFileSync('test/hosts/programs.ts', 'utf8'))");
    const version = expect.stringMatching(/^\d+\.\d+\.\d+$/) as unknown;
    const name = expect.any(String) as unknown;
    expect(pins).toEqual(['claude', 'codex', 'gemini', 'opencode'].map((bin) => ({ name, version, bin })));
  });

  it('sees an option that went, and one that came, and no other words', () => {
    const [before, after] = [
      '  -p, --print  prints text-like--x\\n  --old-way  x',
      '  -p, --print  prints anew\\n  --new-way  x',
    ];
    expect(said(`newer.difference(newer.optionsIn('${before}'), newer.optionsIn('${after}'))`)).toEqual({
      gone: ['--old-way'],
      came: ['--new-way'],
    });
  });

  it('sees each value of an answer by its path', () => {
    expect(said("newer.pathsIn({ a: { b: [true, 'x'] }, c: null })")).toEqual([
      '.a.b[] = true',
      '.a.b[] = "x"',
      '.c = null',
    ]);
  });
});
