/** A person's file is made whole or not at all. */
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  constants,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readUserFile, readUserText } from '../../../src/store/user/user-file.ts';
import { createUserFile, rewriteUserFile } from '../../../src/store/user/user-file-writer.ts';
import { tempDir } from '../../support/temp.ts';

const MODE = 0o777;

it('a file is made with the mode that other programs give it, and nothing stays beside it', () => {
  const [folder, like] = [tempDir(), join(tempDir(), 'like')];
  writeFileSync(like, '');
  expect(createUserFile(join(folder, 'new', 'teams.yaml'), 'name: a\n')).toBe(true);
  expect(readdirSync(join(folder, 'new'))).toEqual(['teams.yaml']);
  expect(readFileSync(join(folder, 'new', 'teams.yaml'), 'utf8')).toBe('name: a\n');
  expect(statSync(join(folder, 'new', 'teams.yaml')).mode & MODE).toBe(statSync(like).mode & MODE);
});

it('a pipe is written into and never replaced', () => {
  const pipe = join(tempDir(), 'pipe');
  execFileSync('mkfifo', [pipe]);
  expect(() => rewriteUserFile(pipe, 'text')).toThrow('nobody reads');
  const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    rewriteUserFile(pipe, 'text');
    expect(readFileSync(reader, 'utf8')).toBe('text');
  } finally {
    closeSync(reader);
  }
  expect(lstatSync(pipe).isFIFO()).toBe(true);
});

it('a file and a link that leads nowhere are left as they are', () => {
  const folder = tempDir();
  writeFileSync(join(folder, 'plan'), 'mine');
  symlinkSync('nowhere', join(folder, 'link'));
  for (const name of ['plan', 'link']) expect(createUserFile(join(folder, name), 'other')).toBe(false);
  expect(readFileSync(join(folder, 'plan'), 'utf8')).toBe('mine');
  expect(readlinkSync(join(folder, 'link'))).toBe('nowhere');
  expect(readdirSync(folder).toSorted()).toEqual(['link', 'plan']);
});

it.each([
  ['latin1', Buffer.from('name: a\nrun: cat \u00e4.txt\n', 'latin1'), '2:10: This is not UTF-8'],
  ['a cut character', Buffer.from([0x61, 0xe2, 0x82]), '1:2: This is not UTF-8'],
  ['UTF-16, as PowerShell writes it', Buffer.from('\uFEFFname: a\n', 'utf16le'), '1:1: This is UTF-16'],
])('a text in %s is refused with its place', (_, bytes, said) => {
  const path = join(tempDir(), 'plan.yaml');
  writeFileSync(path, bytes);
  expect(() => readUserText(path, 'PLAN_INVALID', './plan.yaml')).toThrow(`./plan.yaml:${said}; save it as UTF-8.`);
  expect(readUserFile(path)).toBe(bytes.toString('utf8'));
});

it('a text with any character is read, also with U+FFFD itself', () => {
  const path = join(tempDir(), 'plan.yaml');
  for (const text of ['', 'ä\uFFFD\u{1F600}\r\n', '\uFEFFname: a']) {
    writeFileSync(path, text);
    expect(readUserText(path, 'CONFIG_INVALID')).toBe(text);
  }
  expect(readUserText(join(path, 'none'), 'CONFIG_INVALID')).toBeUndefined();
});

it('a link that leads back to itself is named', () => {
  const path = join(tempDir(), 'plan.yaml');
  symlinkSync('plan.yaml', path);
  expect(() => readUserFile(path)).toThrow(`${path} is a link that leads back to itself.`);
});
