/** Nothing is written into a directory that takes the place of a team's, whenever it does. */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isTeamError } from '../../../src/model/text/errors.ts';
import { realDisk, type Disk } from '../../../src/store/files/disk.ts';
import { pinDirectory } from '../../../src/store/files/pinned.ts';
import { writeReport } from '../../../src/store/board/report-files.ts';
import type { Outgoing } from '../../../src/store/mail/outgoing.ts';
import { openStore, type TeamStore } from '../../../src/store/team/team-store.ts';
import { realClock } from '../../support/clock.ts';
import { allowLeft } from '../../support/leftovers.ts';
import { hang, name, openBoard, teamAt } from '../../support/team.ts';
import { tempDir } from '../../support/temp.ts';

const mail = (content: string): Outgoing => ({
  sender: 'ada',
  recipient: name('bob'),
  draft: { type: 'message', content },
});
const state = { version: 1, epoch: 1, status: 'running', phase: 'executing', createdAt: '2026-01-01T00:00:00.000Z' };

/** What writes into a team's directory. */
const WRITERS: Record<string, (store: TeamStore) => unknown> = {
  'a document': (store) => store.state.update(() => ({ next: state as never, result: undefined })),
  'a process record': (store) => store.roster.write({ version: 1, name: name('ada'), phase: 'running' }),
  'a message': (store) => store.sender.send(mail('short')),
  'a long message': (store) => store.sender.send(mail('long '.repeat(40_000))),
  'an event': (store) => store.events.append({ type: 'lead.started' }),
  'a lock': (store) => store.locks.withLock(store.paths.configLock, () => undefined),
  'a report': (store) => writeReport(store.disk, store.paths, 'text', {}),
};

type Swap = (folder: string, aside: string) => void;
const SWAPS: Record<string, Swap> = {
  removed: (folder) => rmSync(folder, { recursive: true }),
  moved: (folder, aside) => renameSync(folder, aside),
};

/** The real disk; immediately before its n-th call `act` runs. */
function interrupted(n: number, act: () => void) {
  const state = { isArmed: false, calls: 0 };
  const calls = Object.entries(realDisk).filter(([, value]) => typeof value === 'function') as [
    string,
    (...args: unknown[]) => unknown,
  ][];
  const disk = Object.fromEntries(
    calls.map(([call, real]) => [
      call,
      (...args: unknown[]): unknown => {
        if (state.isArmed && (state.calls += 1) === n) act();
        return real(...args);
      },
    ]),
  ) as unknown as Disk;
  return { disk, state };
}

const CASES = Object.keys(WRITERS).flatMap((writer) => Object.keys(SWAPS).map((swap) => [writer, swap] as const));

it.for(CASES)(
  '%s is not written into a directory that took the place of one that was %s, at any call',
  async ([writer, how]) => {
    allowLeft(/./);
    for (let n = 1, fired = true; fired; n += 1) {
      const root = tempDir();
      const paths = teamAt(root);
      openBoard(paths, ['ada', 'bob']);
      hang(paths, name('ada'), name('bob'));
      const { disk, state } = interrupted(n, () => {
        SWAPS[how]?.(paths.folder, join(root, 'aside'));
        mkdirSync(paths.folder, { mode: 0o700 });
      });
      const store = openStore(paths, { clock: realClock, disk });
      state.isArmed = true;
      const error = await Promise.resolve()
        .then(() => WRITERS[writer]?.(store))
        .then(
          () => undefined,
          (reason: unknown) => reason,
        );
      state.isArmed = false;
      fired = state.calls >= n;
      expect(
        error === undefined || isTeamError(error),
        `call ${n}: ${error instanceof Error ? error.message : ''}`,
      ).toBe(true);
      if (fired) expect(readdirSync(paths.folder), `call ${n}`).toEqual([]);
      expect(n).toBeLessThan(200);
      if (existsSync(paths.tokens)) store.locks.close();
      await store.close();
    }
  },
);

// A report is written when the lead has just looked.
it.for(Object.keys(WRITERS).filter((writer) => writer !== 'a report'))(
  '%s is not written into a directory that took the place before, also where files are not reached by a descriptor',
  async (writer) => {
    allowLeft(/./);
    const root = tempDir();
    const paths = teamAt(root);
    openBoard(paths, ['ada', 'bob']);
    hang(paths, name('ada'), name('bob'));
    const lstatSync = ((path: string, ...more: never[]) =>
      path.startsWith('/proc/') ? undefined : realDisk.lstatSync(path, ...more)) as Disk['lstatSync'];
    const store = openStore(paths, { clock: realClock, disk: { ...realDisk, lstatSync } });
    renameSync(paths.folder, join(root, 'aside'));
    mkdirSync(paths.folder, { mode: 0o700 });
    const error = await Promise.resolve()
      .then(() => WRITERS[writer]?.(store))
      .catch((reason: unknown) => reason);
    expect(error === undefined || isTeamError(error), String(error)).toBe(true);
    expect(readdirSync(paths.folder)).toEqual([]);
    await store.close();
  },
);

it('a closed pinned directory uses paths, so that a descriptor of another file is never taken for it', () => {
  const [root, other] = [tempDir(), tempDir()];
  const pinned = pinDirectory(realDisk, root);
  mkdirSync(join(other, 'theirs'));
  pinned.close();
  const next = realDisk.openSync(other, 'r');
  try {
    pinned.disk.mkdirSync(join(root, 'ours'));
    expect(readdirSync(root)).toEqual(['ours']);
    expect(readdirSync(other)).toEqual(['theirs']);
  } finally {
    realDisk.closeSync(next);
  }
});
