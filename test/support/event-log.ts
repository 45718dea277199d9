/** The event log of a team, opened by its own parts. */
import { EventLog, EventLogReader } from '../../src/store/board/events.ts';
import { realDisk, type Disk } from '../../src/store/files/disk.ts';
import type { TeamPaths } from '../../src/store/files/paths.ts';
import { pinDirectory } from '../../src/store/files/pinned.ts';
import { Locks, type LockEnvironment } from '../../src/store/lock/lock.ts';
import { FakeClock, realClock } from './clock.ts';

interface LogParts extends Partial<Pick<LockEnvironment, 'identity' | 'alive'>> {
  readonly disk?: Disk;
  /** Bytes after which the log goes on in a new file. */
  readonly fileBytes?: number;
  readonly lockTimeoutMs?: number;
  readonly clock?: FakeClock;
}

export function eventLogAt(
  paths: TeamPaths,
  { disk = realDisk, fileBytes, lockTimeoutMs, clock = new FakeClock(), ...who }: LogParts = {},
) {
  const pinned = pinDirectory(realDisk, paths.folder);
  const locks = new Locks(paths.tokens, { disk, clock: realClock, pinned, ...who });
  const lock = paths.eventFilesLock;
  const log = new EventLog(disk, paths.events, clock, { pinned, locks, lock, fileBytes, lockTimeoutMs });
  const close = (): void => {
    log.close();
    locks.close();
    pinned.close();
  };
  return { log, close };
}

/** A reader of the log that has read nothing; `news` gives the texts of the events since the last call. */
export function followerAt(paths: TeamPaths, disk: Disk = realDisk) {
  const reader = new EventLogReader(disk, paths.events, new FakeClock());
  let at = 0;
  const news = (): string[] => {
    const texts: string[] = [];
    const events = reader.read(at);
    for (let next = events.next(); ; next = events.next()) {
      if (next.done === true) {
        at = next.value;
        return texts;
      }
      texts.push(String(next.value.event.text));
    }
  };
  return { news, close: () => reader.close(), reader };
}
