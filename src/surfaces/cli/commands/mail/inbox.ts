/** `teams inbox`: shows an inbox and never consumes mail. */
import {
  followMail,
  knownMember,
  mailOf,
  storedLine,
  UsageError,
  type Message,
  type TeamReader,
} from '../../../../app.ts';
import { deliverMail, MessageList } from '../../output/deliver-mail.ts';
import { jsonLine } from '../../output/json-line.ts';
import type { CliContext } from '../../context.ts';
import { noMore } from '../../input/options.ts';
import { flagField, readFields, wholeNumberField } from '../../input/plain-options.ts';
import { mailRow } from '../../output/mail-rows.ts';
import { painter } from '../../output/painter.ts';
import { ownName, withTeamReader } from '../../input/team-reader-choice.ts';
import type { Act } from '../../verb.ts';

const fields = { max: wholeNumberField, follow: flagField, history: flagField };

/** How many messages are written at once. */
const PORTION = 200;

export const act: Act = (context, given) => {
  const { max = Number.POSITIVE_INFINITY, follow, history } = readFields(fields, given);
  if (follow && history)
    throw new UsageError(
      'USAGE',
      '--follow shows later messages and --history acknowledged ones; use only one of them.',
    );
  return withTeamReader(context, given.words, 1, async (store, [member, ...rest]) => {
    noMore(rest);
    const name = knownMember(store, member ?? ownName(context));
    if (follow) await showAsItComes(context, store, followMail(store, name, context.io.gone), max);
    else if (!(await showAll(context, store, mailOf(store, name, { history }), max)))
      context.info(history ? 'No read mail.' : 'No unread mail; --history shows what was read.');
    return 0;
  });
};

async function showAsItComes(
  context: CliContext,
  store: TeamReader,
  mail: AsyncIterable<Message>,
  max: number,
): Promise<void> {
  const name = painter(context, store);
  let shown = 0;
  if (max === 0) return;
  for await (const message of mail) {
    const line = context.flags.json ? jsonLine(storedLine(message)) : `${mailRow(message, name)}\n`;
    if (!(await deliverMail(context, line))) return;
    shown += 1;
    if (shown >= max) return;
  }
}

/** @returns whether there was any */
async function showAll(context: CliContext, store: TeamReader, mail: Iterable<Message>, max: number): Promise<boolean> {
  const name = painter(context, store);
  const list = new MessageList(context);
  const show = (messages: readonly Message[]): Promise<boolean> =>
    context.flags.json
      ? list.add(messages.map(storedLine))
      : deliverMail(context, messages.map((message) => `${mailRow(message, name)}\n`).join(''));
  let isAny = false;
  for (const portion of portions(mail, max)) {
    isAny = true;
    if (!(await show(portion))) return isAny;
  }
  if (context.flags.json) await list.end();
  return isAny;
}

function* portions(mail: Iterable<Message>, max: number): Generator<Message[]> {
  let portion: Message[] = [];
  let left = max;
  if (left === 0) return;
  for (const message of mail) {
    portion.push(message);
    left -= 1;
    if (left <= 0) break;
    if (portion.length < PORTION) continue;
    yield portion;
    portion = [];
  }
  if (portion.length > 0) yield portion;
}
