/** A turn about mail alone: several messages of one window are one turn, and what no agent could read stays unread. */
import type { TurnEnd } from '../../agents/agent-contract.ts';
import type { Sandbox } from '../../model/agent/agent.ts';
import type { Message } from '../../model/team/message.ts';
import { isFaulty } from '../../policy/outcome.ts';
import type { Mailroom } from '../team/mailroom.ts';
import type { Mind } from './turn-setup.ts';
import { turnPrompt } from '../team/prompts.ts';
import { holdTurn } from './runner.ts';
import type { Self } from '../team/member-session.ts';

export interface MailTurn {
  readonly self: Self;
  readonly mind: Mind;
  readonly mailroom: Mailroom;
  readonly signal: AbortSignal;
  readonly sandbox: Sandbox;
  /** Around the turn: what is sent meanwhile answers this mail. */
  readonly turnOn: (mail: readonly Message[], turn: () => Promise<TurnEnd>) => Promise<TurnEnd>;
}

export async function answerMail({ self, mind, mailroom, signal, sandbox, turnOn }: MailTurn): Promise<void> {
  if (!(await mind.seats.begin(undefined))) return;
  const mail = mailroom.forTurn();
  const { environment: env } = mind.seats.chair;
  const input = { prompt: turnPrompt(undefined, mail), env, signal };
  const runner = { ...mind.runner(mail, { from: mailroom, taken: mail }, () => false), sandbox };
  mind.output.begin(undefined);
  const end = await turnOn(mail, () => holdTurn(runner, undefined, input));
  mind.output.end();
  if (end.ended === 'aborted') return;
  const remedied = isFaulty(end) ? await runner.remedy(end) : undefined;
  if (remedied?.done === 'replaced' || mind.seats.isEmpty || (isFaulty(end) && end.why === 'rate_limited')) {
    mailroom.putBack(mail);
    return;
  }
  mailroom.used(mail);
  if (end.ended === 'failed') await self.tell(`The agent failed at its mail: ${end.message}`, { kind: 'alert' });
}
