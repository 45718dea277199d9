/** Puts packs of git that are whole into another repository. What git itself begins there and cannot end stays there. */
import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { makeDirectoryPath } from '../../os/own-directory.ts';
import { codeOf } from '../../model/text/errors.ts';
import { onDisk } from '../files/disk.ts';

/** Git looks for a pack by its index, which therefore comes last. */
const PARTS = ['pack', 'rev', 'idx'] as const;

/** An empty directory of objects, for git to write into. */
export function emptyObjects(directory: string): void {
  onDisk('create', directory, () => {
    rmSync(directory, { recursive: true, force: true });
    makeDirectoryPath(join(directory, 'pack'));
  });
}

export const removeObjects = (directory: string): void => rmSync(directory, { recursive: true, force: true });

/**
 * All or nothing of each pack; it is locked, so that a `git gc` keeps it until its refs are there.
 *
 * @param from a directory of objects that nobody writes into
 * @param to the objects of a repository
 * @param by who locks: one of a name at a time
 * @returns what unlocks them, and what a killed one of this name left locked
 * @throws StoreError
 */
export function putPacks(from: string, to: string, by: string): () => void {
  const packs = join(to, 'pack');
  const names = readdirSync(join(from, 'pack')).flatMap((name) => /^(pack-[0-9a-f]+)\.idx$/.exec(name)?.[1] ?? []);
  const made: string[] = [];
  const unlock = (): void => {
    for (const file of readdirSync(packs, { withFileTypes: true })) {
      const path = join(packs, file.name);
      if (file.isFile() && file.name.endsWith('.keep') && readFileSync(path, 'utf8') === lockOf(by))
        rmSync(path, { force: true });
    }
  };
  try {
    onDisk('write', packs, () => {
      makeDirectoryPath(packs);
      for (const name of names) {
        const lock = join(packs, `${name}.keep`);
        if (!existsSync(lock)) {
          made.push(lock);
          writeFileSync(lock, lockOf(by));
        }
        for (const part of PARTS) {
          const file = `${name}.${part}`;
          if (existsSync(join(from, 'pack', file)) && put(join(from, 'pack', file), join(packs, file)))
            made.push(join(packs, file));
        }
      }
    });
    return unlock;
  } catch (error) {
    // The index first: without it git sees no pack.
    for (const file of made.reverse()) rmSync(file, { force: true });
    throw error;
  }
}

/** @returns whether it was not there */
function put(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    if (!['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP'].includes(String(codeOf(error)))) throw error;
    return copy(from, to);
  }
}

/** To another file system, or to one without links. */
function copy(from: string, to: string): boolean {
  if (existsSync(to)) return false;
  const part = `${to}.teams`;
  try {
    copyFileSync(from, part);
    const file = openSync(part, 'r');
    try {
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(part, to);
    return true;
  } finally {
    rmSync(part, { force: true });
  }
}

/** What the lock of a pack says. */
const lockOf = (by: string): string => `teams ${by}\n`;
