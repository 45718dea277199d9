/** What a start loads: counted, since a busy machine cannot change a count. */
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { tempDir } from '../support/temp.ts';

const PACKAGE = join(import.meta.dirname, '..', '..');
const BIN = join(PACKAGE, 'bin', 'teams.js');

let folder = '';
let list = '';
beforeEach(() => {
  folder = tempDir();
  list = join(folder, 'list.cjs');
  writeFileSync(
    list,
    `process.on('exit', () => process.getBuiltinModule('fs').writeFileSync(${JSON.stringify(join(folder, 'loaded'))},
      JSON.stringify(process.moduleLoadList)));`,
  );
});

/** The modules of Node that a program loads beyond those of an empty one. */
function loadedBy(...argv: string[]): string[] {
  const empty = join(folder, 'empty.cjs');
  writeFileSync(empty, '');
  const [few, all] = [[empty], argv].map((program) => {
    execFileSync(process.execPath, ['--require', list, ...program], {
      env: { PATH: process.env['PATH'], HOME: folder },
    });
    return JSON.parse(readFileSync(join(folder, 'loaded'), 'utf8')) as string[];
  });
  return (all ?? []).filter((name) => name.startsWith('NativeModule ') && few?.includes(name) !== true);
}

it('--version loads no module of Node and no bundle', () => {
  for (const flag of ['--version', '-V', '-v']) expect(loadedBy(BIN, flag)).toEqual([]);
  for (const part of ['bin', 'package.json']) cpSync(join(PACKAGE, part), join(folder, part), { recursive: true });
  const { version } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as { version: string };
  expect(execFileSync(process.execPath, [join(folder, 'bin', 'teams.js'), '--version'], { encoding: 'utf8' })).toBe(
    `${version}\n`,
  );
});
