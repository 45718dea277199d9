/** Which folder a record names. */
import { cpSync, mkdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isSameFolder } from '../../../src/model/team/folder-identity.ts';
import { ownIdentity } from '../../../src/os/process-table.ts';
import { realDisk } from '../../../src/store/files/disk.ts';
import { folderAt, folderIn, isElsewhere } from '../../../src/store/files/folder-of.ts';
import { tempDir } from '../../support/temp.ts';

const { bootId } = ownIdentity();

/** The identity of a directory that is there. */
function identity(path: string) {
  const found = folderAt(realDisk, path);
  if (found === undefined) throw new Error(`${path} is no directory`);
  return found;
}

describe('the identity of a folder', () => {
  it('is that of a directory only', () => {
    const root = tempDir();
    writeFileSync(join(root, 'file'), '');
    expect(folderAt(realDisk, join(root, 'file'))).toBeUndefined();
    expect(folderAt(realDisk, join(root, 'missing'))).toBeUndefined();
    expect(folderAt(realDisk, root)).toMatchObject({ path: root, ino: statSync(root).ino });
  });

  it('stays with a folder that is moved, and is another one in a copy and in a new folder of the same path', () => {
    const root = tempDir();
    const [one, two, moved] = ['one', 'two', 'moved'].map((name) => join(root, name)) as [string, string, string];
    mkdirSync(one);
    const before = identity(one);
    cpSync(one, two, { recursive: true, preserveTimestamps: true });
    expect(isSameFolder(before, identity(two))).toBe(false);
    renameSync(one, moved);
    expect(isSameFolder(before, identity(moved))).toBe(true);
    // The first inode is in use, so the new folder gets another one.
    mkdirSync(one);
    expect(isSameFolder(before, identity(one))).toBe(false);
  });

  it('leaves a time of birth out that the system does not know, and then compares device and inode', () => {
    const stat = statSync(tempDir());
    const known = folderIn('/a', Object.assign(stat, { birthtimeMs: 5, ctimeMs: 7 }));
    expect(known).toEqual({ path: '/a', dev: stat.dev, ino: stat.ino, born: 5 });
    for (const birthtimeMs of [0, 7, Number.NaN]) {
      const unknown = folderIn('/b', Object.assign(stat, { birthtimeMs, ctimeMs: 7 }));
      expect(unknown).toEqual({ path: '/b', dev: stat.dev, ino: stat.ino });
      expect(isSameFolder(known, unknown)).toBe(true);
    }
    expect(isSameFolder(known, { ...known, born: 6 })).toBe(false);
  });
});

describe('a record', () => {
  const here = { dev: 1, ino: 2, born: 3 };
  it.each([
    ['that names this folder', { bootId, folder: here }, false],
    ['that names another inode', { bootId, folder: { ...here, ino: 4 } }, true],
    ['that names another device', { bootId, folder: { ...here, dev: 4 } }, true],
    ['that names an inode that was used again', { bootId, folder: { ...here, born: 4 } }, true],
    ['that names no folder', { bootId }, false],
    ['of another boot, whose numbers say nothing', { bootId: 'other', folder: { ...here, ino: 4 } }, false],
  ])('%s: elsewhere is %#', (_, record, elsewhere) => {
    expect(isElsewhere(record, here)).toBe(elsewhere);
    expect(isElsewhere(record, undefined)).toBe(false);
  });
});
