/** Our programs as an installed package has them: without the code caches that a build leaves. */
import { execFile } from 'node:child_process';
import { chmodSync, cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { tempDir } from '../support/temp.ts';

const PACKAGE = join(import.meta.dirname, '..', '..');

let installed = '';
let caches = '';
beforeEach(() => {
  installed = tempDir();
  caches = join(installed, 'cache', 'teams', 'code');
  for (const part of ['bin', 'package.json', 'dist/teams.cjs', 'dist/frequent.cjs'])
    cpSync(join(PACKAGE, part), join(installed, part), { recursive: true });
});

const teams = async (...argv: string[]): Promise<string> => {
  const env = { PATH: process.env['PATH'], HOME: installed, XDG_CACHE_HOME: join(installed, 'cache') };
  const options = { cwd: installed, env };
  return (await promisify(execFile)(process.execPath, [join(installed, 'bin', 'teams.js'), ...argv], options)).stdout;
};
/** The cache of the bundle with the frequent verbs. */
const kept = (): string => join(caches, readdirSync(caches).find((file) => file.startsWith('frequent.list-')) ?? '');

describe('a start without a code cache', () => {
  it('a start without a code cache keeps one for the next, which does not change it', async () => {
    expect(await teams('--help')).toContain('Usage: teams');
    expect(readdirSync(caches)).toEqual([expect.stringMatching(/^teams-v[\d.]+-\w+-[0-9a-f]{16}\.bin$/)]);
    expect(await teams('list', '--json')).toContain('"teams":[]');
    expect([statSync(caches).mode & 0o777, statSync(kept()).mode & 0o777]).toEqual([0o700, 0o600]);
    const { mtimeMs, ino } = statSync(kept());
    expect(await teams('list', '--json')).toContain('"teams":[]');
    expect(statSync(kept())).toMatchObject({ mtimeMs, ino });
  });

  // A cache that was made under other settings of V8 is rejected, and never made anew.
  it.runIf(process.version.startsWith('v20.'))(
    "a process that lets V8 optimize late keeps, and uses, a cache of V8's own settings",
    async () => {
      const file = join(installed, 'late.cjs');
      writeFileSync(
        file,
        `const { load, optimizeLate, program } = require('./bin/load.cjs');
      if (process.argv[2] === 'late') optimizeLate();
      program('teams');
      console.log([load('teams').isCached, load('teams').script.cachedDataRejected].join());`,
      );
      const env = { PATH: process.env['PATH'], HOME: installed, XDG_CACHE_HOME: join(installed, 'cache') };
      const start = async (how: string) => (await promisify(execFile)(process.execPath, [file, how], { env })).stdout;
      expect([await start('late'), await start('late'), await start('as it is')]).toEqual([
        'false,\n',
        'true,false\n',
        'true,false\n',
      ]);
    },
  );

  // Of other settings of V8, Node takes no cache of its own modules, and compiles each one anew.
  it.runIf(process.version.startsWith('v20.'))('a lead compiles none of its modules of Node', async () => {
    const file = join(installed, 'lead.cjs');
    writeFileSync(
      file,
      `const { internalBinding } = require('internal/test/binding');
      require('./bin/load.cjs').leads();
      require('node:child_process');
      console.log([...internalBinding('builtins').getCacheUsage().compiledWithoutCache].join());`,
    );
    const env = { PATH: process.env['PATH'], HOME: installed };
    const { stdout } = await promisify(execFile)(process.execPath, ['--expose-internals', file], { env });
    expect(stdout).toBe('\n');
  });

  it('a start replaces a damaged code cache, and one that others could have written', async () => {
    await teams('list');
    const whole = readFileSync(kept());
    writeFileSync(kept(), whole.fill(7, 5_000, 6_000));
    expect(await teams('list', '--json')).toContain('"teams":[]');
    expect(readFileSync(kept()).equals(whole)).toBe(false);
    const { ino } = statSync(kept());
    chmodSync(kept(), 0o622);
    await teams('list');
    expect(statSync(kept()).ino).not.toBe(ino);
    expect(statSync(kept()).mode & 0o777).toBe(0o600);
  });

  it('a start works where no code cache can be kept', async () => {
    writeFileSync(join(installed, 'cache'), 'a file');
    expect(await teams('list', '--json')).toContain('"teams":[]');
  });

  it('a start leaves nothing on a disk that has no room for a code cache', async () => {
    const env = { PATH: process.env['PATH'], HOME: installed, XDG_CACHE_HOME: join(installed, 'cache') };
    // 50 blocks of 512 bytes, or of 1,024.
    const script = `ulimit -f 50; exec "$0" ${join(installed, 'bin', 'teams.js')} list --json`;
    const { stdout } = await promisify(execFile)('/bin/sh', ['-c', script, process.execPath], { cwd: installed, env });
    expect(stdout).toContain('"teams":[]');
    expect(readdirSync(caches)).toEqual([]);
  });

  it('a start waits for no pipe in the place of its code cache, and replaces it', async () => {
    await teams('list');
    const path = kept();
    rmSync(path);
    await promisify(execFile)('mkfifo', [path]);
    expect(await teams('list', '--json')).toContain('"teams":[]');
    expect(statSync(path).isFile()).toBe(true);
  });
});

it('a verb evaluates only what it needs: no bundle has the module that re-exports everything to the surfaces', () => {
  const verbs = readFileSync(join(PACKAGE, 'dist', 'verbs.cjs'), 'latin1');
  expect(verbs).toContain('src/runtime/views/status.ts');
  expect(verbs).not.toContain('src/app.ts');
});
