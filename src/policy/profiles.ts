/**
 * The four profiles as data (SPEC §1): one engine runs them all, and what differs between them is written here and
 * nowhere else. What a profile forbids is an error to its sender, never a silent drop.
 */
import type { ClaimMode, Profile } from '../model/board/event.ts';
import { mayPass, sideOf, type MessageType } from '../model/team/message.ts';
import { isLead, LEAD } from '../model/text/names.ts';

export interface ProfileRules {
  readonly claimMode: ClaimMode;
  /** Whom a teammate may write to besides the lead: any member, or nobody. */
  readonly peerMessages: 'any' | 'lead';
  readonly broadcast: 'any' | 'lead';
  /** Somebody answers what a teammate asks the lead. */
  readonly answersQuestions: boolean;
  /** From the shutdown request to the first signal. */
  readonly shutdownWaitMs: number;
  /** An idle teammate stops by itself after this; null: never. */
  readonly idleTimeoutMs: number | null;
  /** When a teammate leaves without being asked. */
  readonly leaves: 'at shutdown' | 'when its work is done';
  /** What becomes of the task of a member without progress. `leave`: the relay's own time-out rules. */
  readonly whenSilent: 'reassign' | 'reset' | 'leave';
  /** Pending tasks go on to other members when their owner is out, or when somebody runs out of work. */
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
 * May this message be sent? The role × type table first, then the profile's rules for peers. Asked before a send:
 * a refusal is the sender's `POLICY_DENIED`, and names the rule so that a model does not try again.
 *
 * @param from a member's name or any alias of the lead; so is `to`
 * @returns undefined for yes, else why not
 */
export function mayMessage(profile: Profile, type: MessageType, from: string, to: string): { why: string } | undefined {
  const sender = isLead(from) ? LEAD : from;
  const recipient = isLead(to) ? LEAD : to;
  if (!mayPass(type, sender, recipient))
    return { why: `A ${sideOf(sender)} sends no ${type} to a ${sideOf(recipient)} (rule: role × type).` };
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
 * May a teammate ask the lead this? A loop that nobody attends answers nothing, and whoever waits for it waits in vain.
 *
 * @param kind of its message
 * @returns undefined for yes, else why not
 */
export const mayAsk = (profile: Profile, kind: string | undefined): { why: string } | undefined =>
  kind === 'question' && !profiles[profile].answersQuestions
    ? {
        why: `Under the profile ${profile} nobody answers questions (rule: questions); decide by yourself, and say in your result what you took for granted.`,
      }
    : undefined;
