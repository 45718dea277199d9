/**
 * The four profiles as data (docs/specification.md R5.1). One engine runs all of them; every difference between them is
 * written here and nowhere else. A message that a profile forbids is an error for its sender, never a silent drop.
 */
import type { ClaimMode, Profile } from '../model/board/event.ts';
import { mayPass, sideOf, type MessageType } from '../model/team/message.ts';
import { isLead, LEAD } from '../model/text/names.ts';

interface ProfileRules {
  readonly claimMode: ClaimMode;
  /** To whom a teammate may write besides the lead: to any member, or to no other. */
  readonly peerMessages: 'any' | 'lead';
  readonly broadcast: 'any' | 'lead';
  /** Whether the lead answers questions of teammates. */
  readonly answersQuestions: boolean;
  /** Milliseconds from the shutdown request to the first signal. */
  readonly shutdownWaitMs: number;
  /** An idle teammate stops by itself after this many milliseconds; null: never. */
  readonly idleTimeoutMs: number | null;
  /** When a teammate stops without a request. */
  readonly leaves: 'at shutdown' | 'when its work is done';
  /** What happens to the task of a member without progress. `leave`: nothing; the relay has its own time-out rules. */
  readonly whenSilent: 'reassign' | 'reset' | 'leave';
  /** Whether pending tasks move to other members when their owner is out or when a member has no work. */
  readonly redistributes: boolean;
}

const SECOND = 1_000;

export const profiles: Readonly<Record<Profile, ProfileRules>> = {
  v8: {
    claimMode: 'auto',
    peerMessages: 'any',
    broadcast: 'any',
    answersQuestions: true,
    shutdownWaitMs: 15 * SECOND,
    idleTimeoutMs: null,
    leaves: 'at shutdown',
    whenSilent: 'reassign',
    redistributes: true,
  },
  forge: {
    claimMode: 'assigned',
    peerMessages: 'any',
    broadcast: 'lead',
    answersQuestions: true,
    shutdownWaitMs: 15 * SECOND,
    idleTimeoutMs: null,
    leaves: 'at shutdown',
    whenSilent: 'reassign',
    redistributes: true,
  },
  relay: {
    claimMode: 'assigned',
    peerMessages: 'lead',
    broadcast: 'lead',
    answersQuestions: false,
    shutdownWaitMs: 30 * SECOND,
    idleTimeoutMs: null,
    leaves: 'at shutdown',
    whenSilent: 'leave',
    redistributes: false,
  },
  pipeline: {
    claimMode: 'prefix',
    peerMessages: 'lead',
    broadcast: 'lead',
    answersQuestions: true,
    shutdownWaitMs: 15 * SECOND,
    idleTimeoutMs: null,
    leaves: 'when its work is done',
    whenSilent: 'reset',
    redistributes: true,
  },
};

/**
 * Whether this message may be sent. First the role × type table decides, then the profile's rules for peers. It is
 * asked before a message is sent. A refusal reaches the sender as `POLICY_DENIED` and names the rule, so that a model
 * does not try again.
 *
 * @param from a member's name or any alias of the lead; so is `to`
 * @returns undefined if allowed, else the reason
 */
export function mayMessage(profile: Profile, type: MessageType, from: string, to: string): { why: string } | undefined {
  const sender = isLead(from) ? LEAD : from;
  const recipient = isLead(to) ? LEAD : to;
  if (!mayPass(type, sender, recipient))
    return { why: `A ${sideOf(sender)} may not send a ${type} to a ${sideOf(recipient)} (rule: role × type).` };
  if (sideOf(sender) === 'lead') return undefined;
  const rules = profiles[profile];
  if (type === 'broadcast' && rules.broadcast === 'lead')
    return {
      why: `Under the profile ${profile} only the lead broadcasts (rule: broadcast); write to one member, or to the lead.`,
    };
  if (sideOf(recipient) === 'teammate' && rules.peerMessages === 'lead')
    return {
      why: `Under the profile ${profile} a teammate writes to the lead only, not to ${recipient} (rule: peer messages).`,
    };
  return undefined;
}

/**
 * Whether a teammate may ask the lead this. An unattended loop answers no question, so a teammate would wait for ever.
 *
 * @param kind of its message
 * @returns undefined if allowed, else the reason
 */
export const mayAsk = (profile: Profile, kind: string | undefined): { why: string } | undefined =>
  kind === 'question' && !profiles[profile].answersQuestions
    ? {
        why: `Under the profile ${profile} no one answers questions (rule: questions); decide by yourself, and state your assumptions in your result.`,
      }
    : undefined;
