/** `teams approvals`: what agents asked a person for, what came of it, and what is allowed for always. */
import * as z from 'zod';
import { askedPermissions, forbidAgain, safeLine, type AskedPermission, type TeamReader } from '../../../../app.ts';
import type { CliContext } from '../../context.ts';
import { noMore, readOptions, wholeNumber } from '../../input/options.ts';
import { refuseMembers } from '../../input/own-member.ts';
import { openTeamChoice } from '../../input/team-choice.ts';
import { withTeamReader } from '../../input/team-reader-choice.ts';
import type { Act } from '../../verb.ts';

const schema = z.object({ remove: wholeNumber });

export const act: Act = async (context, given) => {
  const { remove } = readOptions(schema, given);
  if (remove === undefined)
    return withTeamReader(context, given.words, 0, (store, words) => {
      noMore(words);
      return Promise.resolve(show(context, store));
    });
  refuseMembers(context, 'take back a permission');
  const { handle: opened, words } = await openTeamChoice(context, given.words);
  await using handle = opened;
  noMore(words);
  return show(context, handle.store, await forbidAgain(handle.store, remove));
};

function show(context: CliContext, store: TeamReader, removed?: { readonly text: string }): number {
  const { name } = store.paths;
  const asked = askedPermissions(store.board.fold());
  const allowed = (store.config.read()?.allowed ?? []).map(({ tool, text, at }) => ({ tool, text, at }));
  const said = [
    ...(removed === undefined ? [] : [`Not allowed any more: ${safeLine(removed.text)}`]),
    ...asked.map(line),
    ...allowed.map(({ text }, at) => `always ${at + 1}: ${safeLine(text)} (--remove ${at + 1})`),
  ];
  context.result(
    { team: name, asked, allowed },
    said.length === 0 ? `No agent of ${name} asked for a permission.` : said.join('\n'),
  );
  return 0;
}

function line({ id, member, task, text, outcome, answer }: AskedPermission): string {
  const about = task === null ? '' : ` #${task}`;
  const why = answer === null || answer === '' ? '' : ` (${safeLine(answer)})`;
  return `${outcome}${why}: ${member}${about}: ${safeLine(text)}  ${id}`;
}
