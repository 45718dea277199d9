/** Ends the moves of teams that killed processes had begun, before a verb looks for its team. */
import {
  ENV,
  endUnfinishedMoves,
  findTeam,
  isName,
  isTeamError,
  type Name,
  parseEngineAddress,
  realClock,
  safeText,
  shownAddress,
} from '../../app.ts';
import type { CliContext } from './context.ts';
import type { VerbInput } from './verb.ts';

/** @param moves the teams of the root whose move is not known to be over */
export async function endMovesFor(
  context: CliContext,
  root: string,
  moves: readonly Name[],
  { words }: VerbInput,
): Promise<void> {
  const { environment } = context.io;
  const said = [...words, environment[ENV.team] ?? ''].filter(isName);
  const named = moves.filter((name) => said.includes(name));
  // A verb without the name of a team may mean each of them.
  const isOther = named.length === 0 && said.some((name) => findTeam(root, name)?.archivedAt === undefined);
  const names = named.length > 0 ? named : isOther ? [] : moves;
  const addressOf = (store: string) => {
    const given = environment[ENV.store] ?? '';
    const own = given === '' ? undefined : parseEngineAddress(given, 'environment');
    return own !== undefined && shownAddress(own) === store ? own : parseEngineAddress(store, 'file');
  };
  const ended = await endUnfinishedMoves({ root, clock: realClock }, names, addressOf, (name, error) => {
    // A living process moves it: the verb says so.
    if (isTeamError(error) && error.code === 'REFUSED') return;
    const why = error instanceof Error ? error.message : String(error);
    context.warn(`Where team ${name} is cannot be said: its move was cut short. ${safeText(why)}`);
  });
  for (const { move, outcome } of ended)
    context.warn(
      outcome === 'moved'
        ? `The move of team ${move.name} ${wayOf(move)} was cut short, and is finished now.`
        : `The move of team ${move.name} ${wayOf(move)} was cut short, and is taken back.`,
    );
}

const wayOf = ({ to, store }: { to: 'store' | 'files'; store: string }): string =>
  to === 'store' ? `to ${store}` : `from ${store}`;
