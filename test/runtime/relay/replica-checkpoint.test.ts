/** When a relay writes the checkpoint of a log: it looks once in a second. */
import { setImmediate } from 'node:timers/promises';
import { statSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ReplicaCheckpoint } from '../../../src/runtime/relay/replica-checkpoint.ts';
import { realDisk } from '../../../src/store/files/disk.ts';
import type { TeamPaths } from '../../../src/store/files/paths.ts';
import { FakeClock } from '../../support/clock.ts';
import { boardOf, openBoard, PERSON, task, teamAt } from '../../support/team.ts';
import { tempDir } from '../../support/temp.ts';

let paths: TeamPaths;
let clock: FakeClock;
let checkpoint: ReplicaCheckpoint;
let id = 0;
beforeEach(() => {
  paths = teamAt(tempDir());
  openBoard(paths, ['ada']);
  id = 0;
  clock = new FakeClock();
  checkpoint = new ReplicaCheckpoint(realDisk, paths, clock);
});
afterEach(() => checkpoint.close());

/** The log grows by more than a checkpoint is worth. */
function grow(): void {
  const store = boardOf(paths);
  const fields = { ...task('Long'), description: 'x'.repeat(20_000) };
  for (let more = 0; more < 8; more += 1)
    void store.append(PERSON, () => ({ type: 'task.created', task: String((id += 1)), fields }));
  store.close();
}

/** @returns the file that is there after a look, a second after the one before */
async function look(): Promise<number | undefined> {
  clock.advance(1_001);
  checkpoint.look(statSync(paths.log).size);
  for (let step = 0; step < 50; step += 1) await setImmediate();
  return statSync(paths.checkpoint, { throwIfNoEntry: false })?.ino;
}

it('a log that is still is covered at the next look', async () => {
  grow();
  expect(await look()).toBeUndefined();
  const first = await look();
  expect(first).toBeDefined();
  expect(await look()).toBe(first);
  grow();
  expect(await look()).toBe(first);
  expect(await look()).not.toBe(first);
});

it('one that goes on growing is covered each fifth second', async () => {
  const found: (number | undefined)[] = [];
  for (let second = 0; second < 12; second += 1) {
    grow();
    found.push(await look());
  }
  expect(new Set(found).size).toBe(3);
  expect(found.indexOf(found[4])).toBe(4);
  expect(found.indexOf(found[9])).toBe(9);
});
