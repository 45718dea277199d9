/** Which files a task touched, by their modification times. */
import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { touchedSince } from '../../../src/store/workspace/artifact.ts';
import { realDisk } from '../../../src/store/files/disk.ts';
import { tempDir } from '../../support/temp.ts';

it.each([
  ['written at that moment', 0, true],
  ['written after it, with the time of a clock that lags', -10, true],
  ['written before it', -1_000, false],
])('a file %s', (_, offset, isTouched) => {
  const root = tempDir();
  const since = Date.UTC(2026, 0, 1);
  const path = join(root, 'kept.md');
  writeFileSync(path, 'kept');
  utimesSync(path, (since + offset) / 1_000, (since + offset) / 1_000);
  expect(touchedSince(realDisk, root, ['kept.md', 'never.md', '*.md'], since)).toEqual(isTouched ? ['kept.md'] : []);
});
