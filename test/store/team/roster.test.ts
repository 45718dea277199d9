/** The records of members' processes as others read them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { pause } from '../../../src/os/pause.ts';
import { realDisk } from '../../../src/store/files/disk.ts';
import { Roster } from '../../../src/store/team/roster.ts';
import { name, teamAt } from '../../support/team.ts';
import { tempDir } from '../../support/temp.ts';

it('a record that was replaced, damaged or removed is read anew', () => {
  const [paths, ada] = [teamAt(tempDir()), name('ada')];
  const roster = new Roster(realDisk, paths);
  const said = (): unknown => roster.read(ada)?.hops;
  expect(said()).toBeUndefined();
  for (const hops of [1, 1, 2, 1]) {
    roster.write({ version: 1, name: ada, phase: 'running', hops });
    expect([said(), said()]).toEqual([hops, hops]);
  }
  writeFileSync(paths.process(ada), '{"version": 1');
  expect([said(), roster.read(ada)]).toEqual([undefined, undefined]);
  roster.write({ version: 1, name: ada, phase: 'running', hops: 3 });
  expect(said()).toBe(3);
  roster.remove(ada);
  expect(roster.read(ada)).toBeUndefined();
});

it('a record that was read twice is opened again only when its file changed', async () => {
  const [paths, ada] = [teamAt(tempDir()), name('ada')];
  let opened = 0;
  const openSync: typeof realDisk.openSync = (...call) => {
    opened += 1;
    return realDisk.openSync(...call);
  };
  const roster = new Roster({ ...realDisk, openSync }, paths);
  const write = (hops: number): void => roster.write({ version: 1, name: ada, phase: 'running', hops });
  const read = (): unknown => {
    opened = 0;
    return [roster.read(ada)?.hops, opened];
  };
  write(1);
  // As often as it is young: another record could come into its place and look the same.
  expect([read(), read(), read()]).toEqual([
    [1, 1],
    [1, 1],
    [1, 1],
  ]);
  await pause(150);
  expect([read(), read(), read()]).toEqual([
    [1, 1],
    [1, 0],
    [1, 0],
  ]);
  write(2);
  expect([read(), read()]).toEqual([
    [2, 1],
    [2, 1],
  ]);
  await pause(150);
  expect([read(), read()]).toEqual([
    [2, 1],
    [2, 0],
  ]);
  writeFileSync(paths.process(ada), readFileSync(paths.process(ada), 'utf8').replace('"hops": 2', '"hops": 3'));
  expect(read()).toEqual([3, 1]);
  roster.remove(ada);
  expect(roster.read(ada)).toBeUndefined();
});
