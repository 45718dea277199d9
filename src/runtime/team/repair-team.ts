/** Checks a team's config; every command does this first. */
import { refuseBroken } from '../../store/team/damaged-files.ts';
import { originalOf } from '../../store/team/copied-team.ts';
import { realDisk } from '../../store/files/disk.ts';
import type { TeamPaths } from '../../store/files/paths.ts';
import { openForReading } from '../../store/team/team-reader.ts';
import { archiveStamp } from '../../store/team/team-list.ts';
import { realClock } from '../../os/system-clock.ts';

/**
 * Archives a team whose config is unreadable.
 *
 * @param options.whileLed a team that a lead leads is not refused
 * @throws StoreError `CORRUPT` if the config is unreadable: the folder is then in the archive, as
 * `<team>.broken-<time>`, unless a lead leads it
 */
export function setAsideBroken(paths: TeamPaths, { whileLed = false } = {}): void {
  const store = openForReading(paths, { clock: realClock });
  try {
    refuseBroken(store, archiveStamp(realClock.now()), { whileLed });
  } finally {
    store.close();
  }
}

/** Where the original of a copied team is, while processes of it live. */
export const copiedFrom = (paths: TeamPaths): string | undefined => originalOf(realDisk, paths);
