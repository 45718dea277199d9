/** The look at a team's config that every verb takes first. */
import { refuseBroken } from '../../store/team/damaged-files.ts';
import type { TeamPaths } from '../../store/files/paths.ts';
import { openForReading } from '../../store/team/team-reader.ts';
import { archiveStamp } from '../../store/team/team-list.ts';
import { realClock } from '../../os/system-clock.ts';

/** @throws StoreError `CORRUPT` when the config cannot be read: the folder is in the archive then, as `<team>.broken-<time>` */
export function setAsideBroken(paths: TeamPaths): void {
  const store = openForReading(paths, { clock: realClock });
  try {
    refuseBroken(store, archiveStamp(realClock.now()));
  } finally {
    store.close();
  }
}
