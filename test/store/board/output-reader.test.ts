/** Reading a member's output from outside, across rotations and in a team that is made anew. */
import { appendFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { OutputReader } from '../../../src/store/board/output-reader.ts';
import { realDisk } from '../../../src/store/files/disk.ts';
import { tempDir } from '../../support/temp.ts';

let path = '';
let reader: OutputReader;
const look = (): string => Buffer.concat([...reader.look()]).toString('utf8');

beforeEach(() => {
  path = join(tempDir(), 'ada.log');
  const made = new OutputReader(realDisk, path);
  reader = made;
  onTestFinished(() => made.close());
});

it('each look yields what came since the last', () => {
  expect(look()).toBe('');
  writeFileSync(path, 'one', { mode: 0o600 });
  expect(look()).toBe('one');
  expect(look()).toBe('');
  appendFileSync(path, 'two');
  expect(look()).toBe('two');
});

it('what was written before several rotations between two looks is read', () => {
  writeFileSync(path, 'a', { mode: 0o600 });
  look();
  appendFileSync(path, 'b');
  renameSync(path, `${path}.1`);
  writeFileSync(path, 'lost to the rotation', { mode: 0o600 });
  renameSync(path, `${path}.1`);
  writeFileSync(path, 'c', { mode: 0o600 });
  expect(look()).toBe('bc');
});

it('an output that is removed and made anew is another one, whatever number its file gets', () => {
  for (let round = 10; round < 30; round += 1) {
    writeFileSync(path, `round ${round}`, { mode: 0o600 });
    expect(look()).toBe(`round ${round}`);
    rmSync(path);
  }
});

it('a look up to a place leaves what follows to the next one, also across a rotation', () => {
  writeFileSync(path, 'one two', { mode: 0o600 });
  const file = statSync(path).ino;
  const upTo = (byte: number): string => Buffer.concat([...reader.look({ file, byte })]).toString('utf8');
  expect(upTo(3)).toBe('one');
  expect(upTo(2)).toBe('');
  renameSync(path, `${path}.1`);
  writeFileSync(path, ' three', { mode: 0o600 });
  expect(upTo(5)).toBe(' t');
  expect(look()).toBe('wo three');
});
