/** `teams prune`: removes archived teams permanently, and with `--all` the git refs of teams that are gone. */
import * as z from 'zod';
import { findPrunable, finishPruning, UsageError, type Prunable } from '../../../../app.ts';
import { confirmed } from '../../input/confirm.ts';
import { duration, flag, noMore, readOptions } from '../../input/options.ts';
import { refuseMembers } from '../../input/own-member.ts';
import { requireGivenRoot, rootOf } from '../../input/root.ts';
import { table } from '../../output/table.ts';
import type { Act } from '../../verb.ts';

const THIRTY_DAYS_MS = 30 * 24 * 3_600_000;
const schema = z.object({ olderThan: duration, all: flag, dryRun: flag });

export const act: Act = async (context, given) => {
  const { olderThan, all, dryRun } = readOptions(schema, given);
  noMore(given.words);
  if (all && olderThan !== undefined)
    throw new UsageError('USAGE', '--all removes archived teams of any age; leave --older-than out, or --all.');
  refuseMembers(context, 'remove archived teams');
  const root = rootOf(context);
  requireGivenRoot(context, root);
  const begun = dryRun ? [] : finishPruning(root);
  const found = await findPrunable(root, { olderThanMs: all ? undefined : (olderThan ?? THIRTY_DAYS_MS) });
  const shown = shownOf(found);
  for (const { name, id, why } of found.left)
    context.warn(`The git refs of team ${name || id} (refs/teams/${id}/) are left: ${why}.`);
  const unknown = found.problem === undefined ? [] : [`The git refs of removed teams are not known: ${found.problem}.`];
  const isEmpty = found.teams.length === 0 && found.lost.length === 0;
  const isAsked = !isEmpty && !dryRun;
  const isWanted = isAsked && (await confirmed(context, `${shown}\nRemove ${whatOf(found)} permanently?`));
  const stays = [...begun, ...unknown, ...(isWanted ? await found.remove() : [])];
  for (const line of stays) context.warn(line);
  const done = stays.length === 0 ? `Removed ${whatOf(found)}.` : 'Not all of it was removed.';
  const text = isWanted ? `${shown}\n${done}` : shown;
  context.result(
    { ...answerOf(found), removed: isWanted, stays },
    isAsked && !isWanted ? 'Nothing was removed.' : text,
  );
  if (isEmpty) context.info(all ? 'There is nothing to remove.' : nothingOlder(olderThan));
  return stays.length > 0 || isAsked !== isWanted ? 1 : 0;
};

const nothingOlder = (olderThan: number | undefined): string =>
  `No archived team is older than ${olderThan === undefined ? '30 days' : 'that'}; \`teams prune --all\` removes those of any age.`;

const NO_UNDO = 'an undo of it did not end, and can then not be finished';

const unappliedText = (count: number): string =>
  `the work of ${count} ${count === 1 ? 'task' : 'tasks'} landed and was never applied: \`teams apply\` it first`;

function shownOf({ teams, lost }: Prunable): string {
  const rows = teams.map(({ name, archivedAt = '', paths, undoBegun, unapplied }) =>
    [name, archivedAt, paths.folder].concat(undoBegun ? NO_UNDO : [], unapplied > 0 ? unappliedText(unapplied) : []),
  );
  const refs = lost.map(({ name, keptAt = '', id, refs: own, holdsWork }) => [
    name,
    keptAt,
    `${own.length} git ${own.length === 1 ? 'ref' : 'refs'} below refs/teams/${id}/`,
    holdsWork ? 'the team is gone; work landed in it that may not be applied' : 'the team is gone',
  ]);
  return table([...rows, ...refs]);
}

function whatOf({ teams, lost }: Prunable): string {
  const parts = [
    ...(teams.length === 0 ? [] : [`${teams.length} archived ${teams.length === 1 ? 'team' : 'teams'}`]),
    ...(lost.length === 0 ? [] : [`the git refs of ${lost.length} removed ${lost.length === 1 ? 'team' : 'teams'}`]),
  ];
  return parts.join(' and ');
}

const answerOf = ({ teams, lost, left }: Prunable) => ({
  teams: teams.map(({ name, archivedAt, paths, undoBegun, unapplied }) => ({
    name,
    archivedAt,
    folder: paths.folder,
    ...(undoBegun ? { undoBegun } : {}),
    ...(unapplied > 0 ? { unapplied } : {}),
  })),
  refs: lost.map(refsView),
  left: left.map((one) => ({ ...refsView(one), why: one.why })),
});

const refsView = ({ id, name, keptAt, refs }: Prunable['lost'][number]) => ({ id, name, keptAt, count: refs.length });
