/** Whether a team's folder is a copy of one whose processes live. */
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { LEAD } from '../../../src/model/text/names.ts';
import { ownIdentity } from '../../../src/os/process-table.ts';
import { realDisk } from '../../../src/store/files/disk.ts';
import { folderAt } from '../../../src/store/files/folder-of.ts';
import { teamPaths, type TeamPaths } from '../../../src/store/files/paths.ts';
import { originalOf } from '../../../src/store/team/copied-team.ts';
import { Roster } from '../../../src/store/team/roster.ts';
import { name, teamAt } from '../../support/team.ts';
import { tempDir } from '../../support/temp.ts';

const ADA = name('ada');
const dead = { ...ownIdentity(), startTime: '1' };

function copied(): { original: TeamPaths; copy: TeamPaths; folder: ReturnType<typeof folderAt> } {
  const [here, there] = [tempDir(), tempDir()];
  const original = teamAt(here);
  return { original, copy: teamPaths(there, name('login')), folder: folderAt(realDisk, original.folder) };
}

const owner = (paths: TeamPaths, facts: object): void =>
  writeFileSync(paths.leaseOwner(LEAD), JSON.stringify({ ...facts, since: 0 }));

const record = (paths: TeamPaths, facts: object): void =>
  new Roster(realDisk, paths).write({ version: 1, name: ADA, phase: 'running', ...facts });

const copy = (from: TeamPaths, to: TeamPaths): void => cpSync(from.root, to.root, { recursive: true });

describe('a copy', () => {
  it('of a team with a living lead says where the original is; the original is none', () => {
    const { original, copy: there, folder } = copied();
    owner(original, { ...ownIdentity(), folder });
    copy(original, there);
    expect(originalOf(realDisk, there)).toBe(original.folder);
    expect(originalOf(realDisk, original)).toBeUndefined();
  });

  it('of a team with a living member says so, too; a dead process of the original is nobody', () => {
    const { original, copy: there, folder } = copied();
    owner(original, { ...dead, folder });
    record(original, { ...dead, folder });
    copy(original, there);
    expect(originalOf(realDisk, there)).toBeUndefined();
    record(there, { ...ownIdentity(), folder });
    expect(originalOf(realDisk, there)).toBe(original.folder);
  });

  it('that has a lead of its own is not compared any more', () => {
    const { original, copy: there, folder } = copied();
    record(original, { ...ownIdentity(), folder });
    copy(original, there);
    expect(originalOf(realDisk, there)).toBe(original.folder);
    owner(there, { ...ownIdentity(), folder: folderAt(realDisk, there.folder) });
    expect(originalOf(realDisk, there)).toBeUndefined();
    rmSync(there.leaseOwner(LEAD));
    expect(originalOf(realDisk, there)).toBe(original.folder);
  });

  it('is not recognised by records of an earlier version, which name no folder', () => {
    const { original, copy: there } = copied();
    owner(original, ownIdentity());
    record(original, ownIdentity());
    copy(original, there);
    expect(originalOf(realDisk, there)).toBeUndefined();
  });
});
