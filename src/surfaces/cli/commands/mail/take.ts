/** `teams take`: prints mail, then acknowledges it. Mail that no reader received is delivered again. */
import * as z from 'zod';
import { knownMember, mailCame, runningLimit, storedLine, type Message, type TeamHandle } from '../../../../app.ts';
import { deliverMail, MessageList } from '../../output/deliver-mail.ts';
import type { CliContext } from '../../context.ts';
import { noMore } from '../../input/options.ts';
import { bySchemaField, readFields, wholeNumberField } from '../../input/plain-options.ts';
import { mailRow } from '../../output/mail-rows.ts';
import { painter } from '../../output/painter.ts';
import { openTeamChoice } from '../../input/team-choice.ts';
import type { Act } from '../../verb.ts';

/** Seconds; `true` waits without a limit. */
const waitSchema = z
  .union([
    z.literal(true),
    z
      .string()
      .regex(/^[0-9]{1,6}(?:\.[0-9]+)?$/, 'Expected seconds.')
      .transform(Number),
  ])
  .optional();

const fields = { max: wholeNumberField, wait: bySchemaField(() => waitSchema) };

/** How many messages are taken and acknowledged at once. */
const PORTION = 2_000;
const TIMED_OUT = 124;

/** Thrown when the reader of stdout is gone, so that the mail is not acknowledged. */
class UnreadMail extends Error {}

export const act: Act = async (context, given) => {
  const { max = Number.POSITIVE_INFINITY, wait } = readFields(fields, given);
  const { handle, words } = await openTeamChoice(context, given.words, { needs: 1 });
  try {
    const [member, ...rest] = words;
    noMore(rest);
    const name = knownMember(handle.store, member ?? handle.speaker.name);
    const has = wait === undefined || (await mailCame(handle.store, name, patience(context, wait)));
    await takeAll(context, handle, name, has ? max : 0);
    return has ? 0 : TIMED_OUT;
  } catch (error) {
    if (error instanceof UnreadMail) return 0;
    throw error;
  } finally {
    await handle[Symbol.asyncDispose]();
  }
};

const patience = ({ io }: CliContext, wait: number | true): AbortSignal =>
  wait === true ? io.gone : AbortSignal.any([io.gone, runningLimit(wait * 1_000)]);

/**
 * The stored line, marked if it may have been delivered before: the reader must know that (docs/specification.md R2.7).
 */
const asTaken = (message: Message) => ({
  ...storedLine(message),
  redelivered: message.redelivered === undefined ? undefined : true,
});

async function takeAll(context: CliContext, handle: TeamHandle, name: string, max: number): Promise<void> {
  const painted = painter(context, handle.store);
  const list = new MessageList(context);
  const print = (messages: readonly Message[]): Promise<boolean> =>
    context.flags.json
      ? list.add(messages.map(asTaken))
      : deliverMail(context, messages.map((message) => `${mailRow(message, painted)}\n`).join(''));
  for (let left = max; left > 0;) {
    const portion = Math.min(left, PORTION);
    const taken = await handle.take(name, portion, async (messages) => {
      if (messages.length > 0 && !(await print(messages))) throw new UnreadMail();
      return messages.length;
    });
    if (taken === 0) break;
    left -= taken;
  }
  if (context.flags.json) await list.end();
}
