/**
 * After each test of the disk project no process, lock or temporary file of the test may be left. Registered as a setup
 * file, so a test does nothing for it; its directories come from `temp.ts`.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, onTestFinished } from 'vitest';
import { allowed } from './allowed-left.ts';
import { pids, running, type Running } from './processes.ts';
import { removeTempDirs, tempDirs } from './temp.ts';

/** Milliseconds that a child may need to end after its signal; what still runs then was forgotten. */
const GRACE_MS = 5_000;
const LOOK_EVERY_MS = 20;

const LEFT_BEHIND = /\.lock(~[0-9a-f]+)*$|\.tmp$/;

/**
 * For a test that kills processes.
 *
 * @param pattern the paths that are allowed; without one, all that a killed process leaves: locks, the guards under which
 *   a dead one's lock is taken over, and temporary files
 */
export function allowLeft(pattern: RegExp = LEFT_BEHIND): void {
  allowed.push(pattern);
}

/** For a test with deaths and sweeps: a guard stays until no lock can need it, which a later sweep sees. */
export const allowGuards = (): void => allowLeft(/\.lock(~[0-9a-f]+)+$/);

/** Locks and temporary files below the directories. */
export const leftFiles = (directories: readonly string[]): string[] =>
  directories
    .flatMap(filesBelow)
    .filter((path) => LEFT_BEHIND.test(path) && !allowed.some((pattern) => pattern.test(path)));

/** Follows no link: a test may leave one that leads back up. */
function filesBelow(directory: string): string[] {
  try {
    return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
      const path = join(directory, entry.name);
      return entry.isDirectory() ? [path, ...filesBelow(path)] : [path];
    });
  } catch (error) {
    // A name that is not UTF-8 cannot be spelled here, and a process may still be ending.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

/**
 * Children of this process that are newer than the test, and every process that works in one of the directories or has
 * one in its arguments. A child in another session may have lost its parent.
 */
export function leftProcesses(before: ReadonlySet<number>, directories: readonly string[]): Running[] {
  const inside = (text: string | undefined): boolean => directories.some((directory) => text?.includes(directory));
  return running(pids().filter((pid) => pid !== process.pid && !before.has(pid))).filter(
    ({ parent, command, cwd }) => parent === process.pid || inside(cwd) || inside(command),
  );
}

async function leftAfterGrace(before: ReadonlySet<number>): Promise<Running[]> {
  for (let waited = 0; waited < GRACE_MS; waited += LOOK_EVERY_MS) {
    if (leftProcesses(before, tempDirs()).length === 0) return [];
    await sleep(LOOK_EVERY_MS);
  }
  return leftProcesses(before, tempDirs());
}

/** Ends what was left, so that only the test that left it fails. */
function kill({ pid }: Running): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself meanwhile.
  }
}

/** @param before the processes that ran when the test began */
export async function expectNothingLeft(before: ReadonlySet<number>): Promise<void> {
  const processes = await leftAfterGrace(before);
  for (const left of processes) kill(left);
  const files = tempDirs().flatMap((directory) => leftFiles([directory]));
  allowed.length = 0;
  removeTempDirs();
  expect({ processes: processes.map(({ pid, command }) => `${pid} ${command}`), files }, 'left behind').toEqual({
    processes: [],
    files: [],
  });
}

beforeEach(() => {
  const before = new Set(pids());
  // Registered before anything that the test registers, so it runs after all of that.
  onTestFinished(() => expectNothingLeft(before));
});
