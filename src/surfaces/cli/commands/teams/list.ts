/** `teams list`: the teams under the root. */
import { duration, listedTeams, realClock } from '../../../../app.ts';
import type { CliContext } from '../../context.ts';
import { noMore } from '../../input/options.ts';
import { flagField, readFields } from '../../input/plain-options.ts';
import { requireGivenRoot, rootOf } from '../../input/root.ts';
import { countsView } from '../../output/json-view.ts';
import { table } from '../../output/table.ts';
import type { Act } from '../../verb.ts';

const fields = { all: flagField };

export const act: Act = async (context, given) => {
  const { all } = readFields(fields, given);
  noMore(given.words);
  const root = rootOf(context);
  requireGivenRoot(context, root);
  show(context, listedTeams(root, { all }));
  return Promise.resolve(0);
};

function show(context: CliContext, teams: ReturnType<typeof listedTeams>): void {
  const rows = teams.map(({ name, outcome, problem, members, tasks, folder, leadStopped, changedAt }) => [
    name,
    `${outcome}${problem === undefined ? '' : `: ${problem}`}${leadStopped === true ? ', lead stopped' : ''}`,
    `${members} ${members === 1 ? 'member' : 'members'}`,
    `${tasks.completed}/${tasks.total} tasks`,
    changedAt === undefined ? '' : ago(realClock.now() - Date.parse(changedAt)),
    folder,
  ]);
  context.result({ teams: teams.map((team) => ({ ...team, tasks: countsView(team.tasks) })) }, table(rows));
  if (teams.length === 0) context.info('There is no team here; `teams` without a verb shows first steps.');
}

const DAY_MS = 24 * 3_600_000;

const ago = (ms: number): string =>
  ms >= 2 * DAY_MS ? `${Math.floor(ms / DAY_MS)} days ago` : `${duration(Math.max(1_000, ms))} ago`;
