/** A turn about mail alone: several messages in one window are one turn. Mail that no agent could read stays unread. */
import type { TurnEnd } from '../../model/agent/turn-end.ts';
import type { Sandbox } from '../../model/agent/agent.ts';
import type { Message } from '../../model/team/message.ts';
import { isFaulty } from '../../policy/outcome.ts';
import type { Mailroom } from '../team/mailroom.ts';
import type { TurnSetup } from './turn-setup.ts';
import { turnPrompt } from '../team/prompts.ts';
import { runTaskTurn } from './runner.ts';
import type { MemberSession } from '../team/member-session.ts';

interface MailTurn {
  readonly session: MemberSession;
  readonly turnSetup: TurnSetup;
  readonly mailroom: Mailroom;
  readonly signal: AbortSignal;
  readonly sandbox: Sandbox;
  /** Wraps the turn: what the agent sends during the turn counts as an answer to this mail. */
  readonly turnOn: (mail: readonly Message[], turn: () => Promise<TurnEnd>) => Promise<TurnEnd>;
}

export async function runMailTurn({ session, turnSetup, mailroom, signal, sandbox, turnOn }: MailTurn): Promise<void> {
  if (!(await turnSetup.slots.assign(undefined))) return;
  const mail = mailroom.forTurn();
  const { environment: env } = turnSetup.slots.current;
  const input = { prompt: turnPrompt(undefined, mail), env, signal };
  const runner = { ...turnSetup.runner(mail, { mailroom, taken: mail }, () => false), sandbox };
  turnSetup.output.begin(undefined);
  const end = await turnOn(mail, () => runTaskTurn(runner, undefined, input));
  turnSetup.output.end();
  if (end.kind === 'aborted') {
    mailroom.putBack(mail);
    return;
  }
  const remedied = isFaulty(end) ? await runner.remedy(end) : undefined;
  if (remedied?.done === 'replaced' || turnSetup.slots.isEmpty || (isFaulty(end) && end.why === 'rate_limited')) {
    mailroom.putBack(mail);
    return;
  }
  mailroom.used(mail);
  if (end.kind === 'failed') await session.tellLead(`The agent failed on its mail: ${end.message}`, { kind: 'alert' });
}
