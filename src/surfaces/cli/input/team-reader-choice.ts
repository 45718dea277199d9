/** Opens the team of a viewing verb read-only; an archived team may be chosen. */
import {
  didYouMean,
  ENV,
  isName,
  isTeamError,
  LEAD,
  listTeams,
  openForReading,
  realClock,
  resolveTask,
  UsageError,
  type Task,
  type TeamReader,
} from '../../../app.ts';
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

/**
 * The task that the word after the team names. With one active team a misspelt team would be taken for a task.
 *
 * @throws UsageError `UNKNOWN_TASK` that says that there is no team of this name either; `BAD_REFERENCE`
 */
export function taskNamed({ board, paths }: TeamReader, reference: string): Task {
  try {
    return resolveTask(board.fold(), reference);
  } catch (error) {
    if (!isTeamError(error) || error.code !== 'UNKNOWN_TASK' || !isName(reference) || /^[0-9]+$/.test(reference))
      throw error;
    const near = didYouMean(
      reference,
      listTeams(paths.root).map(({ name }) => name),
    );
    throw new UsageError(
      'UNKNOWN_TASK',
      `There is neither a team ${reference} nor a task ${reference} of team ${paths.name}${near} \`teams list --all\` and \`teams task list ${paths.name}\` list both.`,
    );
  }
}
