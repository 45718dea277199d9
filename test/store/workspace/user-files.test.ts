import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
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
  expect(entryAt(at, 'file', EMPTY)).toEqual(file);
  expect(entryAt(at, 'program', EMPTY)).toEqual({
    mode: '100755',
    hash: 'ce013625030ba8dba906f756967f9e9ca394464a',
  });
  expect(entryAt(at, 'link', EMPTY)).toEqual({
    mode: '120000',
    hash: 'ce013625030ba8dba906f756967f9e9ca394464a',
  });
  expect([entryAt(at, '.', EMPTY), entryAt(at, 'none', EMPTY), entryAt(at, 'file/below', EMPTY)]).toEqual([
    'directory',
    null,
    null,
  ]);
  expect([isSame(null, null), isSame(file, { ...file }), isSame(file, null), isSame(null, 'unlike')]).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

const CHANGE = { token: '0'.repeat(26), isFree: () => true };

it('a file is replaced at once and keeps the permissions that a tree does not know', () => {
  const at = tempDir();
  const path = join(at, 'new/file');
  const place = (mode: string, bytes: Buffer) => placeFile(at, 'new/file', { ...file, mode }, { bytes, ...CHANGE });
  place('100644', Buffer.from([0, 255, 10]));
  expect([...readFileSync(path)]).toEqual([0, 255, 10]);
  chmodSync(path, 0o600);
  // What a killed call left.
  writeFileSync(freshPath(path, CHANGE.token), 'half');
  place('100755', Buffer.from('x'));
  expect(lstatSync(path).mode & 0o777).toBe(0o700);
  place('120000', Buffer.from('there'));
  expect(readlinkSync(path)).toBe('there');
  expect(existsSync(freshPath(path, CHANGE.token))).toBe(false);
});

it('a removed file takes only the empty directories above it along', () => {
  const at = tempDir();
  mkdirSync(join(at, 'a/b/c'), { recursive: true });
  for (const name of ['a/kept', 'a/b/c/file']) writeFileSync(join(at, name), '');
  removeUserFile(at, 'a/b/c/file', { ...CHANGE, like: EMPTY });
  expect([existsSync(join(at, 'a/b')), existsSync(join(at, 'a/kept'))]).toEqual([false, true]);
});

it('what the user puts there in the last moment stays, and nothing of ours', () => {
  const at = tempDir();
  writeFileSync(join(at, 'edited'), 'mine');
  const isFree = (present: ReturnType<typeof entryAt>) => isSame(file, present);
  expect(placeFile(at, 'edited', file, { ...CHANGE, isFree, bytes: Buffer.from('x') })).toBe(false);
  expect(removeUserFile(at, 'edited', { ...CHANGE, isFree, like: EMPTY })).toBe(false);
  expect([readdirSync(at), readFileSync(join(at, 'edited'), 'utf8')]).toEqual([['edited'], 'mine']);
});

it('a file that is older than a time is told', () => {
  const at = tempDir();
  expect([isOlder(at, 0), isOlder(at, undefined), isOlder(join(at, 'none'), Date.now())]).toEqual([
    false,
    false,
    false,
  ]);
  expect(isOlder(at, Date.now() + 60_000)).toBe(true);
});

it('behind a link nothing is seen, placed or removed, whenever it came there', () => {
  const [at, outside] = [tempDir(), tempDir()];
  mkdirSync(join(at, 'real'));
  writeFileSync(join(outside, 'file'), '');
  for (const [to, name] of [
    ['real', 'near'],
    [outside, 'far'],
  ] as const)
    symlinkSync(to, join(at, name));
  writeFileSync(join(at, 'real/file'), '');
  for (const name of ['near', 'far']) {
    expect(entryAt(at, `${name}/file`, EMPTY)).toBe('unlike');
    expect(() => placeFile(at, `${name}/new`, file, { bytes: Buffer.from('x'), ...CHANGE })).toThrow(/was changed/);
    expect(() => placeFile(at, `${name}/a/new`, file, { bytes: Buffer.from('x'), ...CHANGE })).toThrow(/was changed/);
    removeUserFile(at, `${name}/file`, { ...CHANGE, like: EMPTY });
  }
  expect([readdirSync(outside), readdirSync(join(at, 'real'))]).toEqual([['file'], ['file']]);
  expect(entryAt(at, 'near', EMPTY)).toMatchObject({ mode: '120000' });
});

it.each([
  ['a file of 60 GiB', 'truncate -s 60G it', 'unlike'],
  ['a pipe', 'mkfifo it', 'unlike'],
  ['an endless device', 'ln -s /dev/zero it', { mode: '120000' }],
])('%s is looked at without an end to wait for', (_, command, seen) => {
  const at = tempDir();
  execFileSync('sh', ['-c', command], { cwd: at });
  const found = entryAt(at, 'it', EMPTY);
  if (typeof seen === 'string') expect(found).toBe(seen);
  else expect(found).toMatchObject(seen);
});
