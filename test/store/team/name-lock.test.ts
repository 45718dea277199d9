/** The lock of a team's name. */
import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { realDisk } from '../../../src/store/files/disk.ts';
import { rootPaths } from '../../../src/store/files/paths.ts';
import { sweepNames, withFreeName, withName } from '../../../src/store/team/name-lock.ts';
import { realClock } from '../../support/clock.ts';
import { name } from '../../support/team.ts';
import { tempDir } from '../../support/temp.ts';

const TEAM = name('login');
const environment = { disk: realDisk, clock: realClock, lockTimeoutMs: 20 };

function rootAt(): string {
  const root = tempDir();
  mkdirSync(rootPaths(root).teams, { mode: 0o700 });
  return root;
}

it('while a name is held nobody else gets it, and the error names the holder', () => {
  const root = rootAt();
  withName(root, TEAM, environment, () => {
    expect(withFreeName(root, TEAM, environment, () => 'got it')).toBeUndefined();
    expect(() => withName(root, TEAM, environment, () => 'got it')).toThrow(`pid ${process.pid}`);
    expect(withFreeName(root, name('other'), environment, () => 'got it')).toBe('got it');
  });
  expect(withFreeName(root, TEAM, environment, () => 'got it')).toBe('got it');
});

it('a lock that was copied with a project is no lock of the copy, and the original keeps its own', () => {
  const root = rootAt();
  const copy = rootAt();
  withName(root, TEAM, environment, () => {
    cpSync(rootPaths(root).teams, rootPaths(copy).teams, { recursive: true });
    expect(existsSync(rootPaths(copy).nameLock(TEAM))).toBe(true);
    expect(withFreeName(copy, TEAM, environment, () => 'got it')).toBe('got it');
    expect(existsSync(rootPaths(root).nameLock(TEAM))).toBe(true);
    expect(withFreeName(root, TEAM, environment, () => 'got it')).toBeUndefined();
  });
  sweepNames(copy, environment);
  expect(existsSync(rootPaths(copy).nameLock(TEAM))).toBe(false);
  expect(existsSync(join(rootPaths(copy).teams, '.login.lock'))).toBe(false);
});
