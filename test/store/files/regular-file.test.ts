/** What reads files of a workspace goes on where a member made a pipe, a device or a directory of them. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { readUserFile } from '../../../src/store/user/user-file.ts';
import { hashesOf } from '../../../src/store/workspace/project-walk.ts';
import { regularBytes } from '../../../src/store/files/regular-file.ts';
import { borrowedObjects, gitSignpost, repositoriesOf } from '../../../src/store/workspace/repositories.ts';
import { tempDir } from '../../support/temp.ts';

let root: string;
beforeEach(() => {
  root = tempDir();
  mkdirSync(join(root, '.git/objects/info'), { recursive: true });
});

/** A pipe into which another process writes as soon as somebody reads it: a reader that waits would get its words. */
function pipe(path: string): void {
  const full = join(root, path);
  mkdirSync(dirname(full), { recursive: true });
  rmSync(full, { force: true, recursive: true });
  execFileSync('mkfifo', [full]);
  const writer = spawn('/bin/sh', ['-c', 'exec cat >"$0"', full], { stdio: ['pipe', 'ignore', 'ignore'] });
  writer.stdin.on('error', () => undefined);
  writer.stdin.end('gitdir: /words\n\tworktree = /words\n');
  onTestFinished(async () => {
    if (writer.exitCode === null && writer.signalCode === null) {
      writer.kill('SIGKILL');
      await once(writer, 'exit');
    }
  });
}

describe('a pipe is not read', () => {
  it.each(['.git', '.git/config', '.git/config.worktree', '.git/commondir', '.git/objects/info/alternates'])(
    'in the place of %s, where git works is looked at',
    (path) => {
      pipe(path);
      expect(gitSignpost(root)).not.toContain('/words');
      expect(repositoriesOf(root)).toEqual([]);
      expect(borrowedObjects(join(root, '.git/objects'))).toEqual([]);
    },
  );

  it('behind the name of a worktree’s directory', () => {
    pipe('far/worktrees/one/commondir');
    rmSync(join(root, '.git'), { recursive: true });
    writeFileSync(join(root, '.git'), `gitdir: ${root}/far/worktrees/one\n`);
    expect(repositoriesOf(root)).toEqual([]);
  });

  it('in the place of a file whose content is compared', () => {
    pipe('a.txt');
    writeFileSync(join(root, 'b.txt'), 'b');
    expect(hashesOf(root, ['a.txt', 'b.txt', 'none.txt'])).toEqual(['', expect.stringMatching(/^[0-9a-f]{64}$/), '']);
  });
});

it('a device has no bytes, nor has a directory; a file behind a link has', () => {
  symlinkSync('/dev/zero', join(root, 'zero'));
  writeFileSync(join(root, 'file'), 'text');
  symlinkSync('file', join(root, 'link'));
  const read = (name: string): string | undefined => regularBytes(join(root, name), 4)?.toString();
  expect(['zero', '.git', 'none', 'file', 'link'].map(read)).toEqual([undefined, undefined, undefined, 'text', 'text']);
  expect(regularBytes(join(root, 'file'), 3)).toBeUndefined();
});

describe('a file without a size is read no further than its reader asks', () => {
  /** Of a process: its size is 0, and reading it to its end takes minutes. */
  const endless = '/proc/self/pagemap';
  const isThere = existsSync(endless);

  it.runIf(isThere)('behind a link', () => {
    symlinkSync(endless, join(root, 'package.json'));
    expect(regularBytes(join(root, 'package.json'), 100_000)).toBeUndefined();
  });

  it.runIf(isThere)('behind the link of a file whose content is compared', () => {
    symlinkSync(endless, join(root, 'a.txt'));
    expect(hashesOf(root, ['a.txt'])).toEqual([expect.stringMatching(/^0 /)]);
  });

  it.runIf(isThere)('behind the link of a file of the user, which is refused', () => {
    symlinkSync(endless, join(root, 'config.yaml'));
    expect(() => readUserFile(join(root, 'config.yaml'))).toThrow('config.yaml is larger than 4 MiB.');
  });

  it('while it grows', async () => {
    const path = join(root, 'grows');
    writeFileSync(path, '');
    const turns = 'while :; do : >"$0"; truncate -s 64M "$0"; done';
    const writer = spawn('/bin/sh', ['-c', turns, path], { stdio: 'ignore' });
    try {
      const sizes = Array.from({ length: 20_000 }, () => regularBytes(path, 1_000)?.length ?? 0);
      expect(Math.max(...sizes)).toBeLessThanOrEqual(1_000);
    } finally {
      writer.kill('SIGKILL');
      await once(writer, 'exit');
    }
  });
});

it('a list of borrowed objects that is larger than any of git names itself', () => {
  const file = join(root, '.git/objects/info/alternates');
  writeFileSync(file, `${'x'.repeat(100)}\n`.repeat(1_000));
  expect(borrowedObjects(join(root, '.git/objects'))).toEqual([file]);
});

it('objects that borrow from each other are named once', () => {
  mkdirSync(join(root, 'b/info'), { recursive: true });
  writeFileSync(join(root, '.git/objects/info/alternates'), `../../b\n${root}/none\n`);
  writeFileSync(join(root, 'b/info/alternates'), `${root}/.git/objects\n${root}/b\n`);
  expect(borrowedObjects(join(root, '.git/objects'))).toEqual([
    join(root, 'b'),
    join(root, 'none'),
    join(root, '.git/objects'),
  ]);
});
