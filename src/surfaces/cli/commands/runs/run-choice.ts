/** The team of a verb that changes a run, or waits for it: `resume`, `cancel`, `wait`. */
import { endedRun } from '../../../../app.ts';
import type { CliContext } from '../../context.ts';
import { rootOf } from '../../input/root.ts';
import { chooseTeam, unknownTeam } from '../../input/team-choice.ts';

/**
 * One that ended may be archived.
 *
 * @throws those of {@link chooseTeam}; for a team that was archived before its end, as one that moved is, those for a
 *   team that is not there: it must not go on in the archive
 */
export function chooseRun(
  context: CliContext,
  words: readonly string[],
  options: { readonly whileLed?: boolean } = {},
): ReturnType<typeof chooseTeam> {
  const choice = chooseTeam(context, words, { ...options, archived: true });
  const { name, paths, archivedAt } = choice.team;
  if (archivedAt !== undefined && endedRun(paths, {}) === undefined) throw unknownTeam(rootOf(context), name);
  return choice;
}
