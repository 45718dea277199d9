/** What an orderly end of a run still has to wait for. */
import { isTeamError } from '../../model/text/errors.ts';
import { realClock } from '../../os/system-clock.ts';
import { profiles } from '../../policy/profiles.ts';
import type { TeamPaths } from '../../store/files/paths.ts';
import { openForReading } from '../../store/team/team-reader.ts';

interface ShutdownAhead {
  /** Members that work on a task. */
  readonly busy: number;
  /** Milliseconds after which a member that has not stopped is ended. */
  readonly waitMs: number;
}

/** A team that cannot be read any more has nothing to wait for. */
export function shutdownAhead(
  paths: TeamPaths,
  { shutdownTimeoutMs }: { readonly shutdownTimeoutMs?: number | undefined },
): ShutdownAhead {
  try {
    const store = openForReading(paths, { clock: realClock });
    try {
      const { busy, profile } = store.board.fold();
      return { busy: busy.size, waitMs: shutdownTimeoutMs ?? profiles[profile].shutdownWaitMs };
    } finally {
      store.close();
    }
  } catch (error) {
    if (!isTeamError(error)) throw error;
    return { busy: 0, waitMs: 0 };
  }
}
