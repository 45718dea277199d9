/**
 * M8: a process that waits for mail is woken: at once with a watcher, within the second of the next look without one.
 */
import { expect, it } from 'vitest';
import { Waker } from '../../src/runtime/process/waker.ts';
import { realDisk, type Disk } from '../../src/store/files/disk.ts';
import type { TeamPaths } from '../../src/store/files/paths.ts';
import { realClock } from '../support/clock.ts';
import { Crowd } from '../support/crowd.ts';
import { errno } from '../support/faults.ts';
import { figure } from '../support/figures.ts';
import { SIZES, TIMEOUT_MS } from '../support/sizes.ts';
import { hang, name, readerOf, teamAt } from '../support/team.ts';
import { tempDir } from '../support/temp.ts';

const timeout = TIMEOUT_MS;
/** A process that is not woken by then is never woken. */
const NEVER_MS = 10_000;

/** A disk without visible bells, so that nothing can be watched. */
const blind: Disk = {
  ...realDisk,
  lstatSync: () => {
    throw errno('ENOENT');
  },
};

/**
 * Waits until there is mail.
 * @returns the time of the mail, or undefined if none came
 */
async function woken(paths: TeamPaths, member: string, disk: Disk): Promise<number | undefined> {
  const end = AbortSignal.timeout(NEVER_MS);
  const { reader, close } = readerOf(paths, name(member));
  const waker = new Waker({ disk, clock: realClock }, [paths.inbox(name(member)).bell], end);
  while (!reader.hasMore() && !end.aborted) await waker.wait();
  const at = reader.hasMore() ? now() : undefined;
  reader.acknowledge(await reader.take());
  waker.close();
  close();
  return at;
}

const now = (): number => Number(process.hrtime.bigint()) / 1e6;

it.each([
  ['with a watcher', realDisk, SIZES.wakeUps, 1],
  ['without a watcher', blind, SIZES.blindWakeUps, 20],
] as const)('a process that waits %s is always woken', { timeout }, async (how, disk, count, atOnce) => {
  const root = tempDir();
  const paths = teamAt(root);
  const members = Array.from({ length: atOnce }, (_, n) => `reader-${n}`);
  hang(paths, ...members.map(name));
  const crowd = await Crowd.gather(root, 'send', [{ root, team: paths.name }]);
  const times: number[] = [];
  let never = 0;
  for (let told = 0; told < count; told += atOnce) {
    const waits = members.map((member) => woken(paths, member, disk));
    for (const [n, member] of members.entries()) {
      // Spread over the second between two looks.
      await realClock.sleep(atOnce === 1 ? told % 7 : 1_000 / atOnce);
      const [sent = 0] = await crowd.round<number>(member);
      const wait = waits[n];
      void wait?.then((at) => (at === undefined ? (never += 1) : times.push(at - sent)));
    }
    await Promise.all(waits);
  }
  figure({ area: `wake-up ${how}`, count, violations: never, times });
  expect({ never, woken: times.length }).toEqual({ never: 0, woken: count });
});
