/** A run that has ended, so that nothing is left to resume or to cancel. */
import type { Prices } from '../../model/team/spending-sum.ts';
import { isDone } from '../../model/board/board.ts';
import { LEAD } from '../../model/text/names.ts';
import type { RunOutcome } from '../../policy/run-outcome.ts';
import { leaseOwner, mayLive } from '../../store/team/lease.ts';
import { openForReading } from '../../store/team/team-reader.ts';
import type { TeamPaths } from '../../store/files/paths.ts';
import { realClock } from '../../os/system-clock.ts';
import { reportOf, type Report } from '../views/report.ts';

/** A run that ended, with its last report. */
export interface EndedRun {
  readonly outcome: RunOutcome;
  readonly report: Report;
  /** Its tasks are all final. A resume has nothing to do, unless a gate failed: the gates are run again. */
  readonly isDone: boolean;
}

const OVER: ReadonlySet<RunOutcome> = new Set(['succeeded', 'failed', 'cancelled']);

/**
 * @param prices by model; they override the known prices
 * @returns undefined for a run that is led, that never began or that was interrupted
 */
export function endedRun(paths: TeamPaths, prices: Prices): EndedRun | undefined {
  const store = openForReading(paths, { clock: realClock });
  try {
    // Nothing of it is read: its config may be damaged.
    if (mayLive(leaseOwner(store.disk, paths, LEAD))) return undefined;
    const report = reportOf(store, { prices });
    const { outcome, gates } = report;
    if (!OVER.has(outcome)) return undefined;
    const hasFailedGate = Object.values(gates).includes('fail');
    return { outcome, report, isDone: isDone(store.board.fold()) && !hasFailedGate };
  } finally {
    store.close();
  }
}
