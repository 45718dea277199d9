/** `teams answer`: answers a member's question to the lead, or a permission, once; the member then continues. */
import { UsageError } from '../../../../app.ts';
import { givenText } from '../../input/stdin.ts';
import { refuseMembers } from '../../input/own-member.ts';
import { noMore } from '../../input/options.ts';
import { openTeamChoice } from '../../input/team-choice.ts';
import type { Act } from '../../verb.ts';

export const act: Act = async (context, given) => {
  const { handle: opened, words } = await openTeamChoice(context, given.words, { needs: 2 });
  await using handle = opened;
  const [id, word, ...rest] = words;
  if (id === undefined)
    throw new UsageError(
      'USAGE',
      `Which question? \`teams why ${handle.name}\` and \`teams inbox ${handle.name} lead\` show its id.`,
    );
  if (word === undefined)
    throw new UsageError(
      'USAGE',
      `What is the answer to ${id}? \`teams answer ${handle.name} ${id} TEXT\`, or - to read it from stdin.`,
    );
  noMore(rest);
  if (handle.store.board.fold().requests.get(id)?.kind === 'permission') refuseMembers(context, 'answer a permission');
  const sent = await handle.answer(id, await givenText(context, word));
  context.result({ receipts: [sent] }, `answered  ${sent.recipient}  ${id}`);
  return 0;
};
