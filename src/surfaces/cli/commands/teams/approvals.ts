/** `teams approvals`: what agents asked a person for, what came of it, and what is allowed for always. */
import * as z from 'zod';
import { askedPermissions, forbidAgain, safeLine, type AskedPermission } from '../../../../app.ts';
import { noMore, readOptions, wholeNumber } from '../../input/options.ts';
import { refuseMembers } from '../../input/own-member.ts';
import { openTeamChoice } from '../../input/team-choice.ts';
import type { Act } from '../../verb.ts';

const schema = z.object({ remove: wholeNumber });

export const act: Act = async (context, given) => {
  const { remove } = readOptions(schema, given);
  if (remove !== undefined) refuseMembers(context, 'take back a permission');
  const { handle: opened, words } = await openTeamChoice(context, given.words, { archived: remove === undefined });
  await using handle = opened;
  noMore(words);
  const { store } = handle;
  const removed = remove === undefined ? undefined : await forbidAgain(store, remove);
  const asked = askedPermissions(store.board.fold());
  const allowed = (store.config.read()?.allowed ?? []).map(({ tool, text, at }) => ({ tool, text, at }));
  const said = [
    ...(removed === undefined ? [] : [`Not allowed any more: ${safeLine(removed.text)}`]),
    ...asked.map(line),
    ...allowed.map(({ text }, at) => `always ${at + 1}: ${safeLine(text)} (--remove ${at + 1})`),
  ];
  context.result(
    { team: handle.name, asked, allowed },
    said.length === 0 ? `No agent of ${handle.name} asked for a permission.` : said.join('\n'),
  );
  return 0;
};

function line({ id, member, task, text, outcome, answer }: AskedPermission): string {
  const about = task === null ? '' : ` #${task}`;
  const why = answer === null || answer === '' ? '' : ` (${safeLine(answer)})`;
  return `${outcome}${why}: ${member}${about}: ${safeLine(text)}  ${id}`;
}
