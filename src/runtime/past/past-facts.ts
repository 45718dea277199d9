/** Everything that happened in a team, in the order of `teams log`, and how much of it had happened at a moment. */
import { factsOf, logFact, type Fact } from '../../model/team/shown-event.ts';
import { timeOfDay } from '../../model/team/colors-and-times.ts';
import { UsageError } from '../../model/text/errors.ts';
import { lastMs, type Moment } from '../../model/text/moment.ts';
import type { Name } from '../../model/text/names.ts';
import type { TeamReader } from '../../store/team/team-reader.ts';
import { TimeSlices } from '../process/time-slices.ts';
import { merged } from '../views/merged-log.ts';

/** A fact of either log; those of the board have the place of their record. */
export interface PlacedFact {
  readonly at: string;
  readonly fact: Fact;
  readonly place?: number;
}

/** Both logs, in the order of `teams log`. Other work of the process goes on meanwhile. */
export async function factsIn(store: TeamReader): Promise<PlacedFact[]> {
  const ofBoard: PlacedFact[] = [];
  const logged: PlacedFact[] = [];
  const slices = new TimeSlices();
  for (const { event, outcome, board, at: place } of store.board.log.replay()) {
    if (outcome.ok) for (const fact of factsOf(event, board)) ofBoard.push({ at: fact.at, fact, place });
    await slices.pause();
  }
  for (const { event } of store.events.read()) {
    logged.push({ at: event.at, fact: logFact(event) });
    await slices.pause();
  }
  return [...merged(ofBoard, logged)];
}

/**
 * How many of the facts had happened.
 *
 * @param ends where each line of the board's log ends; asked for a moment that names a line only
 * @throws UsageError `USAGE` at a moment before the first, or an event or line that there is not
 */
export function cutAt(team: Name, all: readonly PlacedFact[], ends: readonly number[], moment: Moment): number {
  const [first, last] = [all[0], all.at(-1)];
  if (first === undefined || last === undefined) throw new UsageError('USAGE', `Team ${team} has no events yet.`);
  if (moment.kind === 'event') {
    if (moment.number <= all.length) return moment.number;
    throw new UsageError('USAGE', `Team ${team} has ${all.length} events, no event ${moment.number}.`);
  }
  if (moment.kind === 'line') {
    const end = ends[moment.number - 1];
    if (end === undefined)
      throw new UsageError(
        'USAGE',
        `The board's log of team ${team} has ${ends.length} lines, no line ${moment.number}.`,
      );
    const until = all.findLastIndex(({ place = Infinity }) => place < end) + 1;
    if (until > 0) return until;
    throw new UsageError(
      'USAGE',
      `Line ${moment.number} of the board's log is before the first record; take a later line.`,
    );
  }
  const ms = moment.kind === 'time' ? moment.ms : lastMs(moment, Date.parse(last.at));
  const until = all.findLastIndex(({ at }) => Date.parse(at) <= ms) + 1;
  if (until > 0) return until;
  throw new UsageError(
    'USAGE',
    `Team ${team} has no event by then: its first one was at ${timeOfDay(first.at)} (${first.at}).`,
  );
}
