import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  entryAt,
  freshPath,
  isBehindLink,
  isOlder,
  isSame,
  placeFile,
  removeUserFile,
} from '../../../src/store/workspace/user-files.ts';
import { tempDir } from '../../support/temp.ts';

const EMPTY = 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391';
const file = { mode: '100644', hash: EMPTY };

it('a file, a program and a link have the mode and the hash that git gives them', () => {
  const at = tempDir();
  writeFileSync(join(at, 'file'), '');
  writeFileSync(join(at, 'program'), 'hello\n', { mode: 0o755 });
  symlinkSync('hello\n', join(at, 'link'));
  expect(entryAt(join(at, 'file'), EMPTY)).toEqual(file);
  expect(entryAt(join(at, 'program'), EMPTY)).toEqual({
    mode: '100755',
    hash: 'ce013625030ba8dba906f756967f9e9ca394464a',
  });
  expect(entryAt(join(at, 'link'), EMPTY)).toEqual({
    mode: '120000',
    hash: 'ce013625030ba8dba906f756967f9e9ca394464a',
  });
  expect([entryAt(at, EMPTY), entryAt(join(at, 'none'), EMPTY), entryAt(join(at, 'file/below'), EMPTY)]).toEqual([
    'other',
    null,
    null,
  ]);
  expect([isSame(null, null), isSame(file, { ...file }), isSame(file, null), isSame(null, 'other')]).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

const TOKEN = '0'.repeat(26);

it('a file is replaced at once and keeps the permissions that a tree does not know', () => {
  const at = tempDir();
  const path = join(at, 'new/file');
  placeFile(path, file, Buffer.from([0, 255, 10]), TOKEN);
  expect([...readFileSync(path)]).toEqual([0, 255, 10]);
  chmodSync(path, 0o600);
  // What a killed call left.
  writeFileSync(freshPath(path, TOKEN), 'half');
  placeFile(path, { ...file, mode: '100755' }, Buffer.from('x'), TOKEN);
  expect(lstatSync(path).mode & 0o777).toBe(0o700);
  placeFile(path, { ...file, mode: '120000' }, Buffer.from('there'), TOKEN);
  expect(readlinkSync(path)).toBe('there');
  expect(existsSync(freshPath(path, TOKEN))).toBe(false);
});

it('a removed file takes only the empty directories above it along', () => {
  const at = tempDir();
  mkdirSync(join(at, 'a/b/c'), { recursive: true });
  for (const name of ['a/kept', 'a/b/c/file']) writeFileSync(join(at, name), '');
  removeUserFile(at, 'a/b/c/file', TOKEN);
  expect([existsSync(join(at, 'a/b')), existsSync(join(at, 'a/kept'))]).toEqual([false, true]);
});

it('a path behind a link, and a file that is older than a time, are told', () => {
  const at = tempDir();
  mkdirSync(join(at, 'real'));
  symlinkSync('real', join(at, 'link'));
  expect([isBehindLink(at, 'real/x'), isBehindLink(at, 'link/x'), isBehindLink(at, 'link')]).toEqual([
    false,
    true,
    false,
  ]);
  expect([isOlder(at, 0), isOlder(at, undefined), isOlder(join(at, 'none'), Date.now())]).toEqual([
    false,
    false,
    false,
  ]);
  expect(isOlder(at, Date.now() + 60_000)).toBe(true);
});
