/** Opens the team of a viewing verb read-only; an archived team may be chosen. */
import { ENV, LEAD, openForReading, realClock, type TeamReader } from '../../../app.ts';
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

/** The member to show when none is named: the speaker. */
export const ownName = ({ flags, io }: CliContext): string => flags.as ?? (io.environment[ENV.member] || LEAD);
