/** The tools SendMessage and CheckInbox. */
import { StoreError, UsageError } from '../../model/text/errors.ts';
import type { Message, SendOptions } from '../../model/team/message.ts';
import type { ToolInputs } from '../../model/team/tool.ts';
import type { ToolOutputs } from '../../model/team/tool-output.ts';
import type { ToolResult } from './tool-answer.ts';
import type { ToolContext, ToolHandler, Mailbox } from './tool-context.ts';
import { hopsAfter, type Delivery } from '../team/send-mail.ts';
import { mailBlock } from '../team/prompts.ts';
import type { TeamHandle } from '../team/team-handle.ts';

/** Bytes of mail in one answer; the next call gives the rest. */
const ANSWER = 48 * 1024;
/** Bytes of a message besides its content. */
const FRAME = 400;
/** Unread messages are counted up to this number. */
const COUNTED = 1_000;

/** @throws UsageError `UNKNOWN_TEAM` for a lead without a team, and for a team that is not the context's; StoreError `TEAM_GONE` */
export function teamOf({ team, side, ended }: ToolContext, named?: string): TeamHandle {
  if (team !== undefined && (named === undefined || named === team.name)) return team;
  if (team !== undefined)
    throw new UsageError('UNKNOWN_TEAM', `This process works in team ${team.name}, not in ${JSON.stringify(named)}.`);
  if (side === 'lead')
    throw new UsageError('UNKNOWN_TEAM', `${ended ?? 'There is no team yet.'} TeamCreate makes one.`);
  throw ended === undefined
    ? new UsageError('UNKNOWN_TEAM', 'There is no team here.')
    : new StoreError('TEAM_GONE', ended);
}

export const sendMessage: ToolHandler<'SendMessage'> = async (input, context) => {
  const handle = teamOf(context, input.team_name);
  const { recipient, content, type } = input;
  const options = optionsOf(input, context);
  if (type === 'broadcast') return deliveries(await handle.broadcast(content, options));
  if (recipient === undefined) throw new UsageError('USAGE', 'Give a recipient, or the type "broadcast".');
  return deliveries([await handle.send(recipient, content, options)]);
};

function optionsOf(
  { type, kind, request_id, approve }: ToolInputs['SendMessage'],
  { cause = [] }: ToolContext,
): SendOptions {
  const isAnswer = type === 'plan_approval_response' || type === 'shutdown_response';
  if (isAnswer && approve === undefined) throw new UsageError('USAGE', `A ${type} needs approve: true or false.`);
  if (type === 'plan_approval_response' && request_id === undefined)
    throw new UsageError('USAGE', 'A plan_approval_response needs the request_id that it answers.');
  const hops = hopsAfter(cause);
  return {
    type,
    kind,
    request_id,
    data: approve === undefined ? undefined : { approve },
    hops,
  };
}

const deliveries = (all: readonly Delivery[]): ToolResult<ToolOutputs['SendMessage']> => {
  const lines = all.map((one) =>
    'error' in one
      ? `not sent to ${one.recipient}: ${one.code}: ${one.error}`
      : `sent to ${one.recipient}, id ${one.id}`,
  );
  return { text: lines.join('\n') || 'There is no other member to write to.', data: { deliveries: [...all] } };
};

export const checkInbox: ToolHandler<'CheckInbox'> = async (_input, context) => {
  teamOf(context);
  const { mail } = context;
  await mail?.look();
  const fitting = mail === undefined ? 0 : countFitting(mail.waiting());
  const taken = await mail?.take(Math.max(fitting, 1), (messages) => ({ text: mailBlock(messages), messages }));
  const messages = taken?.messages ?? [];
  if (taken === undefined || taken.text === '') return { text: 'No unread messages.', data: { messages: [] } };
  const more = !mail?.waiting()[Symbol.iterator]().next().done;
  return { text: taken.text, data: { messages: [...messages], more } };
};

function countFitting(waiting: Iterable<Message>): number {
  let [count, size] = [0, 0];
  for (const { content } of waiting) {
    size += Buffer.byteLength(content) + FRAME;
    if (size > ANSWER) break;
    count += 1;
  }
  return count;
}

/**
 * The note about unread mail in the answers of all other tools, because a host does not poll. Empty without unread
 * mail.
 */
export async function announcement(mail: Mailbox | undefined): Promise<string> {
  await mail?.look();
  let unread = 0;
  for (const _message of mail?.waiting() ?? []) if (++unread === COUNTED) break;
  if (unread === 0) return '';
  const many = unread === COUNTED ? `${COUNTED} or more` : String(unread);
  return `You have ${many} unread message${unread === 1 ? '' : 's'}; call CheckInbox.`;
}
