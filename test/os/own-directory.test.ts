import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeDirectoryPath } from '../../src/os/own-directory.ts';
import { tempDir } from '../support/temp.ts';

describe('a directory', () => {
  it('is made with those above it, with their mode, and is left if it is there', () => {
    const base = tempDir();
    makeDirectoryPath(join(base, 'a/b/c'), 0o700);
    writeFileSync(join(base, 'a/b/c/file'), '');
    makeDirectoryPath(join(base, 'a/b/c'), 0o755);
    expect(readdirSync(join(base, 'a/b/c'))).toEqual(['file']);
    for (const path of ['a', 'a/b', 'a/b/c']) expect(statSync(join(base, path)).mode & 0o777).toBe(0o700);
  });

  it('is there if a link leads to it', () => {
    const base = tempDir();
    mkdirSync(join(base, 'real'));
    symlinkSync('real', join(base, 'link'));
    makeDirectoryPath(join(base, 'link'));
    makeDirectoryPath(join(base, 'link/below'));
    expect(readdirSync(join(base, 'real'))).toEqual(['below']);
  });

  it.each(['file', 'dangling'])('is not made in the place of a %s, or below it', (kind) => {
    const base = tempDir();
    if (kind === 'file') writeFileSync(join(base, kind), '');
    else symlinkSync(join(base, 'nowhere'), join(base, kind));
    for (const path of [kind, `${kind}/below/it`])
      expect(() => makeDirectoryPath(join(base, path))).toThrow(/EEXIST|ENOTDIR/);
  });

  it.runIf(process.platform === 'linux')('is not made below /proc, which ends at once', () => {
    expect(() => makeDirectoryPath('/proc/teams/a/b')).toThrow(expect.objectContaining({ code: 'ENOENT' }) as Error);
  });
});

it('nothing in the source asks Node for a recursive mkdir, which may not return', () => {
  const files = ['src', 'bin'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(?:ts|tsx|js|cjs)$/.test(file))
      .map((file) => join(folder, file)),
  );
  expect(files.length).toBeGreaterThan(900);
  const asking = files.filter((file) => /\bmkdir\w*\([^;]*recursive: true/.test(readFileSync(file, 'utf8')));
  expect(asking).toEqual([]);
});
