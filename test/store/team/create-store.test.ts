/**
 * A program of the version before, which does not know the lock of a name, takes the name while a team is created: the
 * creation ends, and what that program made stays.
 */
import { existsSync, mkdirSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { codeOf } from '../../../src/model/text/errors.ts';
import { parseName } from '../../../src/model/text/names.ts';
import { realDisk } from '../../../src/store/files/disk.ts';
import { teamPaths } from '../../../src/store/files/paths.ts';
import { createStore } from '../../../src/store/team/create-store.ts';
import { realClock } from '../../support/clock.ts';
import { allowLeft } from '../../support/leftovers.ts';
import { tempDir } from '../../support/temp.ts';

const login = parseName('team', 'login');

/** @param isThen whether the name is taken before the next call, by the call and its path */
function created(isThen: (call: string, path: string) => boolean, take: () => void, root: string): unknown {
  let isTaken = false;
  const disk = new Proxy(realDisk, {
    get(target, call): unknown {
      const real: unknown = Reflect.get(target, call);
      if (typeof real !== 'function') return real;
      return (...args: unknown[]): unknown => {
        if (!isTaken && isThen(String(call), String(args[0]))) {
          isTaken = true;
          take();
        }
        return Reflect.apply(real, undefined, args);
      };
    },
  });
  const team = {
    name: login,
    profile: 'v8' as const,
    claimMode: 'auto' as const,
    config: { members: [] },
    changes: [],
  };
  try {
    const store = createStore(root, team, { clock: realClock, disk });
    store.board.close();
    store.pinned.close();
    return 'created';
  } catch (error) {
    expect(isTaken).toBe(true);
    return codeOf(error);
  }
}

it('while the team is built: a whole team of that name stays, with its board', () => {
  const root = tempDir();
  const { folder, board } = teamPaths(root, login);
  const take = (): void => {
    rmdirSync(folder);
    for (const one of [folder, board]) mkdirSync(one, { mode: 0o700 });
    for (const one of [folder, board]) writeFileSync(join(one, 'theirs'), '');
  };
  expect(created((call, path) => call === 'mkdirSync' && path.includes('/.new'), take, root)).toBe('TEAM_EXISTS');
  expect([readdirSync(folder), readdirSync(board)]).toEqual([['theirs'], ['theirs']]);
});

it.each([
  [
    'before the board gets its name',
    false,
    (call: string, path: string) => call === 'lstatSync' && path.endsWith('.tasks/login'),
  ],
  [
    'before the folder gets its name',
    true,
    (call: string, path: string) => call === 'openSync' && path.endsWith('/.tasks'),
  ],
])('%s: the reserved name stays theirs', (_, hasBoard, isThen) => {
  allowLeft(/\.tasks/);
  const root = tempDir();
  const { folder, board } = teamPaths(root, login);
  const take = (): void => {
    rmdirSync(folder);
    mkdirSync(`${folder}-other`);
    mkdirSync(folder, { mode: 0o700 });
    rmdirSync(`${folder}-other`);
  };
  expect(created((call, path) => existsSync(folder) && isThen(call, path), take, root)).toBe('TEAM_EXISTS');
  expect([readdirSync(folder), existsSync(board)]).toEqual([[], hasBoard]);
});
