/** `teams send`: sends one message to one member, or to all members. */
import { MESSAGE_TYPES, UsageError, type TeamHandle } from '../../../../app.ts';
import type { CliContext } from '../../context.ts';
import { givenText } from '../../input/stdin.ts';
import { noMore } from '../../input/options.ts';
import { readFields, textField, wordField, type OptionsOf } from '../../input/plain-options.ts';
import { openTeamChoice } from '../../input/team-choice.ts';
import type { Act } from '../../verb.ts';

const fields = {
  type: wordField(MESSAGE_TYPES),
  kind: textField,
  task: textField,
  replyTo: textField,
  broadcast: textField,
};
type Options = OptionsOf<typeof fields>;

type Sent = Awaited<ReturnType<TeamHandle['broadcast']>>;

export const act: Act = async (context, given) => {
  const options = readFields(fields, given);
  const { handle, words } = await openTeamChoice(context, given.words, {
    needs: options.broadcast === undefined ? 2 : 0,
  });
  try {
    const sent =
      options.broadcast === undefined
        ? sendNamed(context, handle, words, options)
        : sendAll(context, handle, words, options);
    return answer(context, await sent);
  } finally {
    await handle[Symbol.asyncDispose]();
  }
};

async function sendNamed(
  context: CliContext,
  handle: TeamHandle,
  words: readonly string[],
  options: Options,
): Promise<Sent> {
  const [to, word, ...rest] = words;
  if (to === undefined) throw new UsageError('USAGE', 'Which recipient? `teams send [TEAM] TO TEXT`.');
  if (word === undefined)
    throw new UsageError(
      'USAGE',
      `Which text for ${to}? \`teams send [TEAM] ${to} TEXT\`, or - to read it from stdin.`,
    );
  noMore(rest);
  const said = await givenText(context, word);
  // A broadcast goes to every other member, whatever recipient is named (docs/specification.md R2.6).
  if (options.type === 'broadcast') return handle.broadcast(said, optionsOf(handle, options));
  return [await handle.send(to, said, optionsOf(handle, options))];
}

async function sendAll(
  context: CliContext,
  handle: TeamHandle,
  words: readonly string[],
  options: Options,
): Promise<Sent> {
  noMore(words);
  return handle.broadcast(await givenText(context, options.broadcast ?? ''), optionsOf(handle, options));
}

/** @returns the exit code */
function answer(context: CliContext, sent: Sent): number {
  const receipts = sent.map((one) => ('error' in one ? { recipient: one.recipient, error: one.error } : one));
  const rows = receipts.map((one) =>
    'error' in one ? `not sent  ${one.recipient}  ${one.error}` : `${one.id}  ${one.recipient}`,
  );
  context.result({ receipts }, rows.join('\n'));
  if (receipts.length === 0) context.info('This team has no other members.');
  return receipts.some((one) => 'error' in one) ? 1 : 0;
}

const optionsOf = (handle: TeamHandle, { type, kind, task, replyTo }: Options) => ({
  type,
  kind,
  task_id: task === undefined ? undefined : handle.board.get(task).id,
  reply_to: replyTo,
});
