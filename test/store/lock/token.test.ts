/** The token of a process: it names the folder in which it locks. */
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ownIdentity } from '../../../src/os/process-table.ts';
import { realDisk } from '../../../src/store/files/disk.ts';
import { pinDirectory } from '../../../src/store/files/pinned.ts';
import { Locks } from '../../../src/store/lock/lock.ts';
import { OwnToken, tokenSchema } from '../../../src/store/lock/token.ts';
import { realClock } from '../../support/clock.ts';
import { tempDir } from '../../support/temp.ts';

/** As long as a path may be: a token must stay short enough to be read in one piece. */
const DEEP = 'd'.repeat(200);

it('a token names process and folder, without the path, and only where the folder is known', () => {
  const folder = join(tempDir(), DEEP);
  mkdirSync(folder, { mode: 0o700 });
  const pinned = pinDirectory(realDisk, folder);
  // Not every file system tells the time of birth.
  const known = { ...pinned.identity, born: 7 };
  for (const place of [{ pinned, folder: known }, {}]) {
    const token = new OwnToken(realDisk, join(folder, '.tokens'), ownIdentity(), place);
    token.link(join(folder, 'some.lock'));
    const text = readFileSync(join(folder, 'some.lock'), 'utf8');
    expect(text.length).toBeLessThan(512);
    const { path: _, ...identity } = known;
    const expected = { ...ownIdentity(), nonce: token.nonce };
    expect(tokenSchema.parse(JSON.parse(text))).toEqual(
      'folder' in place ? { ...expected, folder: identity } : expected,
    );
    realDisk.unlinkSync(join(folder, 'some.lock'));
    token.remove();
  }
  expect(readdirSync(join(folder, '.tokens'))).toEqual([]);
  pinned.close();
});

it('a token is not made in a folder that took the place of its team', () => {
  const folder = join(tempDir(), 'login');
  mkdirSync(folder, { mode: 0o700 });
  const pinned = pinDirectory(realDisk, folder);
  renameSync(folder, `${folder}.aside`);
  mkdirSync(folder, { mode: 0o700 });
  const token = new OwnToken(realDisk, join(folder, '.tokens'), ownIdentity(), { pinned });
  expect(() => token.link(join(folder, 'some.lock'))).toThrow(expect.objectContaining({ code: 'TEAM_GONE' }));
  expect(readdirSync(folder)).toEqual([]);
  pinned.close();
});

it('a lock of a team that came with a copy is no lock of the copy, though its process lives', () => {
  const [original, copy] = [join(tempDir(), 'o'), join(tempDir(), 'c')];
  mkdirSync(original, { mode: 0o700 });
  const lockIn = (folder: string, work: () => void) => {
    const pinned = pinDirectory(realDisk, folder);
    const locks = new Locks(join(folder, '.tokens'), { disk: realDisk, clock: realClock, pinned });
    const { done } = locks.tryLock(join(folder, 'some.lock'), work);
    locks.close();
    pinned.close();
    return done;
  };
  const inner: boolean[] = [];
  lockIn(original, () => {
    cpSync(original, copy, { recursive: true });
    inner.push(
      lockIn(copy, () => undefined),
      lockIn(original, () => undefined),
    );
  });
  expect(inner).toEqual([true, false]);
});
