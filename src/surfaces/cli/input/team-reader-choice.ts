/** The team that a viewing verb is about, opened so that nothing is written; an archived one will do. */
import { LEAD, openForReading, realClock, type TeamReader, ENV } from '../../../app.ts';
import type { CliContext } from '../context.ts';
import { chooseTeam } from './team-choice.ts';

/** @param needs how many words the verb may have besides the team */
export async function withTeamReader<T>(
  context: CliContext,
  words: readonly string[],
  needs: number,
  look: (store: TeamReader, words: readonly string[]) => Promise<T>,
): Promise<T> {
  const { team, words: rest } = chooseTeam(context, words, { needs, archived: true });
  const store = openForReading(team.paths, { clock: realClock });
  try {
    return await look(store, rest);
  } finally {
    store.close();
  }
}

/** Whose things are looked at when nobody is named: one's own. */
export const ownName = ({ flags, io }: CliContext): string => flags.as ?? (io.environment[ENV.member] || LEAD);
