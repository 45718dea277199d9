/**
 * After each test of the disk project: no process, lock or temporary file of its making may be left. Registered as a
 * setup file; a test asks for nothing, and gets its directories from `temp.ts`.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, onTestFinished } from 'vitest';
import { pids, running, type Running } from './processes.ts';
import { removeTempDirs, tempDirs } from './temp.ts';

/** A child that was told to end may need a moment; what is still there after this long was forgotten. */
const GRACE_MS = 500;
const LOOK_EVERY_MS = 20;

const LEFT_BEHIND = /\.lock(~[0-9a-f]+)*$|\.tmp$/;
const allowed: RegExp[] = [];

/** For a test that is about what a dead process leaves: files whose path matches are not held against it. */
export function allowLeft(pattern: RegExp): void {
  allowed.push(pattern);
}

/** Locks and temporary files below the directories. */
export function leftFiles(directories: readonly string[]): string[] {
  const paths = directories.flatMap((directory) =>
    readdirSync(directory, { recursive: true, encoding: 'utf8' }).map((name) => join(directory, name)),
  );
  return paths.filter((path) => LEFT_BEHIND.test(path) && !allowed.some((pattern) => pattern.test(path)));
}

/**
 * Children of this process that were not there before the test, and whatever works in, or was started with, one of
 * the directories: a child in a session of its own is no longer anybody's child.
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

/** Ends what was left, so that one careless test fails alone. */
function kill({ pid }: Running): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself meanwhile.
  }
}

/** @param before the processes that were there when the test began */
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
  // Registered before anything the test registers, so it runs after all of that.
  onTestFinished(() => expectNothingLeft(before));
});
