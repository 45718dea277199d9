/** Files that are made without a temporary one. */
import { linkSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { realDisk } from '../../../src/store/files/disk.ts';
import { createFile } from '../../../src/store/files/file.ts';
import { tempDir } from '../../support/temp.ts';

let [path, other] = ['', ''];
beforeEach(() => {
  const root = tempDir();
  [path, other] = [join(root, '1.1.task.json'), join(root, 'other')];
  writeFileSync(other, 'kept');
});

describe('a file that is created', () => {
  it.each([
    ['nothing', () => undefined],
    ['a file of a killed process', () => writeFileSync(path, 'half')],
    ['a link', () => symlinkSync(other, path)],
    ['another name of a file', () => linkSync(other, path)],
  ])('replaces %s, and is a file of its own', (_, before) => {
    before();
    createFile(realDisk, path, 'whole');
    expect([readFileSync(path, 'utf8'), readFileSync(other, 'utf8')]).toEqual(['whole', 'kept']);
    expect([statSync(path).nlink, statSync(path).mode & 0o777]).toEqual([1, 0o600]);
  });

  it('does not replace a directory', () => {
    mkdirSync(path);
    expect(() => createFile(realDisk, path, 'whole')).toThrow(/^Cannot remove /);
  });
});
