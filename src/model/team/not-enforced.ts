/** A sandbox that nothing enforced, for a program or a command beside the members' own: said by an event and the report. */
import type { Sandbox } from '../agent/agent.ts';
import type { TeamEvent } from './team-event.ts';

export interface NotEnforced {
  /** What ran, for people: `the cross-verifier (claude)`. */
  readonly what: string;
  readonly sandbox: Sandbox;
  readonly why: string;
}

const TYPE = 'sandbox.not_enforced';

export const notEnforcedEvent = ({ what, sandbox, why }: NotEnforced) =>
  ({ type: TYPE, what, sandbox, text: notEnforcedText({ what, sandbox, why }) }) as const;

export const notEnforcedText = ({ what, sandbox, why }: NotEnforced): string =>
  `${what}: ${sandbox} is not enforced: ${why}`;

/** @returns the sentence; undefined for another event */
export const notEnforcedIn = ({ type, text }: TeamEvent): string | undefined => (type === TYPE ? text : undefined);
