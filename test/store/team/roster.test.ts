/** The records of members' processes as others read them. */
import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
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
