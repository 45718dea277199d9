/** Waits from outside for the end of a team's work: the end of a run, a closing, or a board that is done. */
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

/**
 * @returns the exit code of the team's end; undefined when `signal` aborted first
 * @throws ConflictError `NOT_READY` if the team is unfinished and has no lead
 */
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

/** Check the lead first: a lead that ends has already written how the run ended. */
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

/** The end of a team that was archived meanwhile. */
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
