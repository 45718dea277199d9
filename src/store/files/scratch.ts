/** A directory for the files of one piece of work; removed at its end. */
import { copyFileSync, mkdtempSync, rmSync, statSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isMissing, storeFailure } from './disk.ts';

/** @param work may leave any files in the directory */
export async function withScratch<T>(work: (directory: string) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'teams-'));
  try {
    return await work(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/**
 * Copies a file that may not be there, with its time in whole seconds. The time is read first and rounded down: the copy
 * may look older than it is, and never newer.
 */
export function copyIfThere(from: string, to: string): void {
  try {
    const second = Math.floor(statSync(from).mtimeMs / 1000);
    copyFileSync(from, to);
    utimesSync(to, second, second);
  } catch (error) {
    if (!isMissing(error)) throw storeFailure('copy', from, error);
  }
}
