/** Sends mail for a speaker, under the rules of the team's profile; each recipient has its own receipt. */
import { noMember } from '../../model/text/did-you-mean.ts';
import { ConflictError, isTeamError, UsageError } from '../../model/text/errors.ts';
import { MAX_HOPS, type Draft, type Message, type MessageType, type SendOptions } from '../../model/team/message.ts';
import { LEAD, type Name } from '../../model/text/names.ts';
import { mayAsk, mayMessage } from '../../policy/profiles.ts';
import type { Receipt } from '../../store/mail/sender.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import { registered } from './requests.ts';
import type { Speaker } from './authentication.ts';

export type Delivery = Receipt | { readonly recipient: Name; readonly error: string; readonly code: string };

/**
 * Sends one message. A question to the lead is first put on the board, and a reply of the lead to it is its answer.
 *
 * @throws UsageError `UNKNOWN_RECIPIENT`, `POLICY_DENIED`, `UNKNOWN_REQUEST`; ConflictError `QUOTA`, `REFUSED` to a
 * member that left, `FINAL` for a second answer
 */
export async function sendMail(
  store: TeamStore,
  speaker: Speaker,
  to: Name,
  text: string,
  options: SendOptions = {},
): Promise<Receipt> {
  const board = store.board.fold();
  const type = options.type ?? 'message';
  const member = board.members.get(to);
  if (to !== LEAD && member === undefined)
    throw new UsageError('UNKNOWN_RECIPIENT', noMember(store.paths.name, to, board.members.keys()));
  if (member?.state === 'left')
    throw new ConflictError('REFUSED', `${to} has left team ${store.paths.name} and reads no mail any more.`);
  const asked = to === LEAD && speaker.name !== LEAD ? mayAsk(board.profile, options.kind)?.why : undefined;
  const denied = mayMessage(board.profile, type, speaker.name, to)?.why ?? asked ?? tooFar(options.hops);
  if (denied !== undefined) {
    store.events.append({ type: 'message.refused', member: speaker.name, text: denied });
    throw new UsageError('POLICY_DENIED', `Not sent: ${denied}`);
  }
  const { refusal, ...said } = await registered(store, { speaker, to, text, options });
  const receipt = await store.sender.send({
    sender: speaker.name,
    recipient: to,
    draft: draftOf(said.text, type, speaker, said.options),
    ...(said.options.id ? { id: said.options.id } : {}),
  });
  if (refusal) throw refusal;
  if (said.options.kind === undefined) logSent(store, receipt, speaker.name, type, text);
  return receipt;
}

/** Ends an endless exchange of two agents that answer each other's answers. */
const tooFar = (hops = 0): string | undefined =>
  hops > MAX_HOPS ? `it would be the ${hops}th answer in a row to other mail; ${MAX_HOPS} are the limit.` : undefined;

/** The hop count of mail that an agent sends in a turn about `cause`; undefined if no mail caused the turn. */
export const hopsAfter = (cause: readonly Message[]): number | undefined =>
  cause.length === 0 ? undefined : Math.max(...cause.map(({ hops = 0 }) => hops)) + 1;

/** Characters of a message that its event contains. */
const LOGGED_CHARACTERS = 200;

/**
 * Logs what members write to each other, so that the lead sees it. The runtime's own mail has a kind and is not logged.
 */
function logSent(store: TeamStore, { recipient, id }: Receipt, member: Name, type: MessageType, text: string): void {
  if (type !== 'message' && type !== 'broadcast') return;
  store.events.append({
    type: 'message.sent',
    member,
    to: recipient,
    id,
    text: `to ${recipient}: ${text.slice(0, LOGGED_CHARACTERS)}`,
  });
}

/**
 * Sends to every member except the sender: one line and one result each.
 *
 * @throws UsageError `POLICY_DENIED` if the profile forbids the sender's broadcasts
 */
export async function broadcastMail(
  store: TeamStore,
  speaker: Speaker,
  text: string,
  options: SendOptions = {},
): Promise<Delivery[]> {
  const board = store.board.fold();
  const members = [...board.members.values()]
    .filter((member) => member.state === 'joined')
    .map((member) => member.name);
  const recipients = [LEAD, ...members].filter((name) => name !== speaker.name);
  const refusals = recipients.map((to) => mayMessage(board.profile, 'broadcast', speaker.name, to));
  // Nobody may get it: that is an error of the sender, and no result for each recipient.
  const [first] = refusals;
  if (first !== undefined && refusals.every((one) => one !== undefined))
    throw new UsageError('POLICY_DENIED', first.why);
  return Promise.all(
    recipients.map((to) =>
      sendMail(store, speaker, to, text, { ...options, type: 'broadcast' }).catch((error: unknown): Delivery => {
        if (!isTeamError(error)) throw error;
        return { recipient: to, error: error.message, code: error.code };
      }),
    ),
  );
}

function draftOf(
  content: string,
  type: MessageType,
  speaker: Speaker,
  { data, hops, id: _, ...options }: SendOptions,
): Draft {
  const said = speaker.kind === 'person' ? { ...data, by: 'person' } : data;
  return {
    ...options,
    type,
    content,
    hops,
    data: said,
    ...(speaker.kind === 'lead' ? { epoch: speaker.epoch } : {}),
  };
}
