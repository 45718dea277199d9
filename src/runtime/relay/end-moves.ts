/** Ends moves of teams between files and a store, as the store says that they ended: also those that a killed process had begun. */
import type { EngineAddress } from '../../model/config/engine-address.ts';
import type { Clock } from '../../model/text/clock.ts';
import { defined } from '../../model/text/defined.ts';
import { StoreError } from '../../model/text/errors.ts';
import type { Name } from '../../model/text/names.ts';
import { EngineSession } from '../../store/engine/engine-session.ts';
import {
  decideMove,
  endMove,
  holdMove,
  unfinishedMove,
  type Move,
  type MoveOutcome,
} from '../../store/engine/moves.ts';
import { movesIn } from '../../store/replica/unfinished-moves.ts';

/** What became of a move that a killed process had begun. */
interface EndedMove {
  readonly move: Move;
  readonly outcome: MoveOutcome;
}

/**
 * Ends the moves of some teams that killed processes had begun. A team that a living process moves is left to it.
 *
 * @param addressOf the store of that address without a password
 * @param onUnknown called with the reason why nobody can say where a team is
 */
export async function endUnfinishedMoves(
  { root, clock }: { readonly root: string; readonly clock: Clock },
  names: readonly Name[],
  addressOf: (store: string) => EngineAddress,
  onUnknown: (name: Name, error: unknown) => void,
): Promise<EndedMove[]> {
  const ended: EndedMove[] = [];
  for (const name of movesIn(root).filter((one) => names.includes(one)))
    try {
      const release = holdMove(root, name, clock);
      try {
        const move = unfinishedMove(root, name);
        if (move === undefined) continue;
        const session = await EngineSession.open(addressOf(move.store), clock);
        try {
          ended.push({ move, outcome: await endUnfinished(session, root, move, clock) });
        } finally {
          await session.close();
        }
      } finally {
        release();
      }
    } catch (error) {
      onUnknown(name, error);
    }
  return ended;
}

export async function endUnfinished(
  session: EngineSession,
  root: string,
  move: Move,
  clock: Clock,
): Promise<MoveOutcome> {
  const outcome = await decideMove(session, move, 'withdrawn');
  endKnown(root, move, outcome, clock);
  return outcome;
}

/** @throws StoreError that says where the team is: the next verb does what is left */
export function endKnown(root: string, move: Move, outcome: MoveOutcome, clock: Clock): void {
  try {
    endMove(root, move, outcome, clock);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    const place = (outcome === 'moved') === (move.to === 'store') ? move.store : root;
    const text = `Team ${move.name} ${outcome === 'moved' ? 'has moved to' : 'stays in'} ${place}, and the end of the move was cut short: ${error.message}`;
    throw new StoreError(error.code, text, defined({ cause: error, path: error.path }));
  }
}
