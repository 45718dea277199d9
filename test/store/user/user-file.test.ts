/** A person's file is made whole or not at all. */
import { readdirSync, readFileSync, readlinkSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createUserFile } from '../../../src/store/user/user-file.ts';
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

it('a file and a link that leads nowhere are left as they are', () => {
  const folder = tempDir();
  writeFileSync(join(folder, 'plan'), 'mine');
  symlinkSync('nowhere', join(folder, 'link'));
  for (const name of ['plan', 'link']) expect(createUserFile(join(folder, name), 'other')).toBe(false);
  expect(readFileSync(join(folder, 'plan'), 'utf8')).toBe('mine');
  expect(readlinkSync(join(folder, 'link'))).toBe('nowhere');
  expect(readdirSync(folder).toSorted()).toEqual(['link', 'plan']);
});
