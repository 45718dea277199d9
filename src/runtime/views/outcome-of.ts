/** The outcome of a team's run, read from its files. */
import type { Board } from '../../model/board/board.ts';
import type { RunState } from '../../model/run/run-state.ts';
import { runOutcome, type RunOutcome } from '../../policy/run-outcome.ts';
import type { TeamReader } from '../../store/team/team-reader.ts';

/** @param isLed whether a process leads the team now */
export const outcomeOf = (
  store: Pick<TeamReader, 'events'>,
  { board, state, isLed }: { readonly board: Board; readonly state: RunState | undefined; readonly isLed: boolean },
): RunOutcome => runOutcome(board, { isLed, state, isCancelled: board.phase === 'closed' && wasCancelled(store) });

/** Only an archived team can have been cancelled, so only its events are read. */
function wasCancelled({ events }: Pick<TeamReader, 'events'>): boolean {
  for (const { event } of events.read()) if (event.type === 'team.cancelled') return true;
  return false;
}
