/** Waiting for the end of a team's work, from outside: a run's end, a closing, or a board that is done. */
import { isDone } from '../../model/board/board.ts';
import { ConflictError } from '../../model/text/errors.ts';
import type { Name } from '../../model/text/names.ts';
import type { TeamPaths } from '../../store/files/paths.ts';
import { exitCodeOf } from '../../policy/outcome.ts';
import { openForReading, stateIn, type TeamReader } from '../../store/team/team-reader.ts';
import { findTeam } from '../../store/team/team-list.ts';
import { realClock } from '../../os/system-clock.ts';
import { leadStatusOf } from '../views/external-status.ts';
import { Waker } from '../process/waker.ts';

/** @returns the exit code of what ended; undefined when `signal` aborted first
 *  @throws ConflictError `NOT_READY` when nobody works on it who could end it */
export async function waitForEnd(paths: TeamPaths, signal: AbortSignal): Promise<number | undefined> {
  const store = openForReading(paths, { clock: realClock });
  const waker = new Waker({ disk: store.disk, clock: realClock }, [paths.log, paths.state], signal);
  try {
    while (!signal.aborted) {
      const ended = endOf(store) ?? archivedEnd(store);
      if (ended !== undefined) return ended;
      await waker.wait();
    }
    return undefined;
  } finally {
    waker.close();
    store.close();
  }
}

/** Who leads is asked first: a lead that goes has written how it ended. */
function endOf(store: TeamReader): number | undefined {
  const lead = leadStatusOf(store);
  const state = stateIn(store);
  const board = store.board.fold();
  if (lead.alive) return undefined;
  if (state?.phase === 'complete') return state.exitCode ?? exitCodeOf(board, state.gates, { strict: false });
  if (board.phase === 'closed') return exitCodeOf(board, [], { strict: false });
  if (state !== undefined) throw abandoned(store.paths.name);
  return isDone(board) ? exitCodeOf(board, [], { strict: false }) : undefined;
}

/** A team that was put away meanwhile ended as it did there. */
function archivedEnd({ paths }: TeamReader): number | undefined {
  const now = findTeam(paths.root, paths.name);
  if (now?.archivedAt === undefined || now.paths.folder === paths.folder) return undefined;
  const store = openForReading(now.paths, { clock: realClock });
  try {
    return endOf(store);
  } finally {
    store.close();
  }
}

const abandoned = (name: Name): ConflictError =>
  new ConflictError(
    'NOT_READY',
    `Team ${name} is unfinished and has no lead; \`teams resume ${name}\` goes on with it.`,
  );
