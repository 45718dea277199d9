/** `teams status`: the members and the board of a team, now. */
import {
  continueProcess,
  openForReading,
  placeOfMember,
  realClock,
  statusOf,
  timeOfDay,
  type TeamStatus,
} from '../../../../app.ts';
import { noMore } from '../../input/options.ts';
import { settings } from '../../input/settings.ts';
import { countsView } from '../../output/json-view.ts';
import { table } from '../../output/table.ts';
import { chooseTeam } from '../../input/team-choice.ts';
import type { Act } from '../../verb.ts';

export const act: Act = async (context, given) => {
  const { team, words } = chooseTeam(context, given.words, { archived: true });
  noMore(words);
  const { watchdogWarningMs } = settings(context).merged.config;
  const store = openForReading(team.paths, { clock: realClock });
  try {
    const status = statusOf(store, { stalledAfterMs: watchdogWarningMs });
    context.result({ ...status, tasks: countsView(status.tasks) }, describe(status, team.paths.folder));
  } finally {
    store.close();
  }
  return Promise.resolve(0);
};

function describe({ team, outcome, lead, members, tasks, cutOffSince }: TeamStatus, folder: string): string {
  const led = lead.alive
    ? `${lead.machine === undefined ? `led by pid ${lead.pid ?? 'unknown'}` : `led on ${lead.machine}`} since ${lead.since === null ? 'a time unknown' : timeOfDay(lead.since)}${lead.stopped === true ? `, which is stopped: ${continueProcess(lead.pid)}` : ''}`
    : 'no lead runs';
  const rows = members.map(({ name, role, state, reason, pid, task, unread, ...where }) => [
    name,
    role,
    state,
    task === null ? '' : `#${task}`,
    placeOfMember(where) ?? (pid === null ? '' : `pid ${pid}`),
    unread === 0 ? '' : `${unread} unread`,
    reason,
  ]);
  const counted = Object.entries(tasks).flatMap(([what, count]) =>
    count > 0 && what !== 'total' ? [`${count} ${what.replace('_', ' ')}`] : [],
  );
  return [
    `Team ${team}: ${outcome}; ${led}`,
    ...(cutOffSince === undefined
      ? []
      : [`Cut off from its store since ${timeOfDay(cutOffSince)}: this may be old, and what is written waits.`]),
    ...(rows.length === 0 ? [] : ['', 'Members', table(rows).replaceAll(/^/gm, '  ')]),
    '',
    `Tasks: ${tasks.total}${counted.length === 0 ? '' : ` (${counted.join(', ')})`}`,
    folder,
  ].join('\n');
}
