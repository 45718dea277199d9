/** `teams inbox`: looks into an inbox and never consumes. */
import * as z from 'zod';
import {
  followMail,
  knownMember,
  mailOf,
  safeJson,
  storedLine,
  UsageError,
  type Message,
  type TeamReader,
} from '../../../../index.ts';
import { delivered, JsonList } from '../../output/deliver-mail.ts';
import type { Frame } from '../../context.ts';
import { flag, noMore, readOptions, wholeNumber } from '../../input/options.ts';
import { mailRow } from '../../output/mail-rows.ts';
import { painter } from '../../output/painter.ts';
import { ownName, withSeenTeam } from '../../input/team-reader-choice.ts';
import type { Act } from '../../verb.ts';

const schema = z.object({ max: wholeNumber, follow: flag, history: flag });

/** Messages that are written at once. */
const PORTION = 200;

export const act: Act = (frame, given) => {
  const { max = Number.POSITIVE_INFINITY, follow, history } = readOptions(schema, given);
  if (follow && history)
    throw new UsageError('USAGE', '--follow shows what comes and --history what was; use one of them.');
  return withSeenTeam(frame, given.words, 1, async (store, [member, ...rest]) => {
    noMore(rest);
    const name = knownMember(store, member ?? ownName(frame));
    if (follow) await showAsItComes(frame, store, followMail(store, name, frame.outside.gone), max);
    else await showAll(frame, store, mailOf(store, name, { history }), max);
    return 0;
  });
};

async function showAsItComes(
  frame: Frame,
  store: TeamReader,
  mail: AsyncIterable<Message>,
  max: number,
): Promise<void> {
  const name = painter(frame, store);
  let shown = 0;
  if (max === 0) return;
  for await (const message of mail) {
    const line = frame.flags.json ? safeJson(storedLine(message)) : mailRow(message, name);
    if (!(await delivered(frame, `${line}\n`))) return;
    shown += 1;
    if (shown >= max) return;
  }
}

async function showAll(frame: Frame, store: TeamReader, mail: Iterable<Message>, max: number): Promise<void> {
  const name = painter(frame, store);
  const list = new JsonList(frame, 'messages');
  const show = (messages: readonly Message[]): Promise<boolean> =>
    frame.flags.json
      ? list.add(messages.map(storedLine))
      : delivered(frame, messages.map((message) => `${mailRow(message, name)}\n`).join(''));
  for (const portion of portions(mail, max)) if (!(await show(portion))) return;
  if (frame.flags.json) await list.end();
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
