/** A `.teams` that another user made or may write decides nothing: it is passed over, or refused where it is named. */
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, it, vi } from 'vitest';
import { realDisk, type Disk } from '../../src/store/files/disk.ts';
import { findRoot } from '../../src/store/team/team-list.ts';
import { failureSchema, Workplace } from '../support/cli.ts';
import { tempDir } from '../support/temp.ts';

/** A parent with a `.teams`, and a directory in it. */
function tree(mode: number): { parent: string; here: string } {
  const parent = tempDir();
  const here = join(parent, 'project');
  mkdirSync(here);
  mkdirSync(join(parent, '.teams'));
  chmodSync(join(parent, '.teams'), mode);
  return { parent, here };
}

/** The tests run where a process has a user. */
const asUnix = process as Required<typeof process>;

/** As if every file belonged to this user. */
const ownedBy = (uid: number): Disk => ({
  ...realDisk,
  lstatSync: ((path: string) => Object.assign(realDisk.lstatSync(path), { uid })) as Disk['lstatSync'],
});

describe('the root of teams', () => {
  it.each([
    [0o755, true],
    [0o700, true],
    [0o757, false],
    [0o777, false],
  ])('a .teams of a parent with mode %o is adopted: %s', (mode, isAdopted) => {
    const { parent, here } = tree(mode);
    const said: string[] = [];
    expect(findRoot(here, undefined, (text) => void said.push(text))).toBe(isAdopted ? parent : here);
    expect(said).toEqual(isAdopted ? [] : [expect.stringMatching(/\.teams is not used: it may be written by other/)]);
  });

  it('one of another user is passed over, and refused in the directory itself; root may look at it', () => {
    const { parent, here } = tree(0o755);
    const user = vi.spyOn(asUnix, 'getuid').mockReturnValue(1000);
    try {
      expect(findRoot(here, ownedBy(4242))).toBe(here);
      expect(() => findRoot(parent, ownedBy(4242))).toThrow(/\.teams belongs to uid 4242: .*sudo -u/);
      user.mockReturnValue(0);
      expect(findRoot(here, ownedBy(4242))).toBe(parent);
    } finally {
      user.mockRestore();
    }
  });

  it('the command line says it once, and refuses in the directory itself with exit 4', async () => {
    const place = new Workplace();
    place.put('.teams/config.yaml', 'maxAgents: 1\n');
    place.put('project/a', '');
    chmodSync(join(place.root, '.teams'), 0o777);
    const below = await place.say(['list'], { cwd: join(place.root, 'project') });
    expect(below.code).toBe(0);
    expect(below.err.match(/is not used: it may be written by other users/g)).toHaveLength(1);
    const { code, out } = await place.teams('create', 'crew', '--member', 'ada', '--json');
    expect([code, failureSchema.parse(JSON.parse(out)).error.code]).toEqual([4, 'UNTRUSTED']);
  });
});
