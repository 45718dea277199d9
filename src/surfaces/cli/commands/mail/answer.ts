/** `teams answer`: what a member asked the lead is answered, once; the member goes on. */
import { UsageError } from '../../../../app.ts';
import { givenText } from '../../input/text-argument.ts';
import { noMore } from '../../input/options.ts';
import { openTeamChoice } from '../../input/team-choice.ts';
import type { Act } from '../../verb.ts';

export const act: Act = async (context, given) => {
  const { handle: opened, words } = await openTeamChoice(context, given.words, { needs: 2 });
  await using handle = opened;
  const [id, word, ...rest] = words;
  if (id === undefined) throw new UsageError('USAGE', 'Which question? `teams why` and `teams inbox lead` name it.');
  if (word === undefined)
    throw new UsageError('USAGE', `What is the answer to ${id}? \`teams answer ${id} TEXT\`, or - for stdin.`);
  noMore(rest);
  const sent = await handle.answer(id, await givenText(context, word));
  context.result({ receipts: [sent] }, `answered  ${sent.recipient}  ${id}`);
  return 0;
};
