/** Where a team's agents work: in a project that stays, is moved, or is a copy. */
import { cpSync, mkdirSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { realDisk } from '../../../src/store/files/disk.ts';
import { teamPaths, type TeamPaths } from '../../../src/store/files/paths.ts';
import { keptPlace, placeOf, requireWorkPlace, workPlaceOf } from '../../../src/store/team/work-place.ts';
import { name, teamAt } from '../../support/team.ts';
import { tempDir } from '../../support/temp.ts';

const TEAM = name('login');

let base: string;
let root: string;
let paths: TeamPaths;
beforeEach(() => {
  base = realpathSync(tempDir());
  root = join(base, 'o');
  mkdirSync(join(root, 'web/app'), { recursive: true });
  mkdirSync(join(base, 'outside'));
  paths = teamAt(root, TEAM);
  writeFileSync(paths.log, '{"id":"1","type":"log.opened"}\n');
});

const copied = (): { copy: string; there: TeamPaths } => {
  const copy = join(base, 'c');
  cpSync(root, copy, { recursive: true });
  return { copy, there: teamPaths(copy, TEAM) };
};

describe('a kept path', () => {
  it('is relative inside of the root, nothing for the root itself, and absolute outside', () => {
    const kept = (path: string | undefined) => keptPlace(realDisk, root, path);
    expect(kept(join(root, 'web/app'))).toBe('web/app');
    expect(kept(root)).toBeUndefined();
    expect(kept(undefined)).toBeUndefined();
    expect(kept(join(base, 'outside'))).toBe(join(base, 'outside'));
    // Not a directory of the root, although its name begins with dots.
    mkdirSync(join(root, '..web'));
    expect(kept(join(root, '..web'))).toBe('..web');
    symlinkSync(join(root, 'web'), join(base, 'link'));
    expect(kept(join(base, 'link'))).toBe('web');
  });

  it('that is relative means the place in the project where it lies now', () => {
    const { copy, there } = copied();
    expect(placeOf(realDisk, paths, 'web', true)).toBe(join(root, 'web'));
    expect(placeOf(realDisk, there, 'web', true)).toBe(join(copy, 'web'));
    expect(placeOf(realDisk, there, undefined, true)).toBe(copy);
    expect(placeOf(realDisk, there, join(base, 'outside'), true)).toBe(join(base, 'outside'));
  });
});

describe('an absolute path of an earlier version', () => {
  const earlier = (here: TeamPaths, cwd: string): string => workPlaceOf(realDisk, here, { cwd });

  it('stays while the project does', () => {
    expect(earlier(paths, join(root, 'web'))).toBe(join(root, 'web'));
    expect(earlier(paths, root)).toBe(root);
  });

  it('means in a copy the same place of the copy, also if that does not exist', () => {
    const { copy, there } = copied();
    expect(earlier(there, join(root, 'web'))).toBe(join(copy, 'web'));
    expect(earlier(there, root)).toBe(copy);
    rmSync(join(copy, 'web'), { recursive: true });
    expect(earlier(there, join(root, 'web'))).toBe(join(copy, 'web'));
    expect(() => requireWorkPlace(realDisk, there, { cwd: join(root, 'web') })).toThrow(
      `The working directory ${join(copy, 'web')} of team login does not exist`,
    );
  });

  it('means in a moved project the deepest directory with the same end', () => {
    const moved = join(base, 'm');
    renameSync(root, moved);
    const there = teamPaths(moved, TEAM);
    expect(earlier(there, join(root, 'web/app'))).toBe(join(moved, 'web/app'));
    expect(earlier(there, root)).toBe(moved);
  });

  it('outside of every project stays, also where another project has a team of that name', () => {
    expect(earlier(paths, join(base, 'outside'))).toBe(join(base, 'outside'));
    const other = teamAt(join(base, 'other'), TEAM);
    writeFileSync(other.log, '{"id":"2","type":"log.opened"}\n');
    mkdirSync(join(base, 'other/web'));
    expect(earlier(paths, join(base, 'other/web'))).toBe(join(base, 'other/web'));
  });
});
