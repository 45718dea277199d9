/**
 * When an agent that keeps failing gives its place to another (SPEC §8 "Choice"): at once where it cannot work at all,
 * after another try where the next may go well. What a vendor refuses for a while is waited for; a command never falls
 * back. Without another agent its member gets no more tasks, so that nobody tries for ever.
 */
import type { FailureClass } from '../model/agent.ts';
import type { Board } from '../model/board.ts';
import { profiles } from './profiles.ts';
import type { AgentFault, MemberSighting, Verdict } from './sighting.ts';

/** How often in a row one fault of an agent at one task is borne; `crashed`: after the third restart. */
const BORNE: Readonly<Record<FailureClass, number>> = {
  not_installed: 0,
  unauthorised: 0,
  overflow: 1,
  bad_output: 1,
  timeout: 1,
  crashed: 3,
  rate_limited: Number.POSITIVE_INFINITY,
};

const isUnbearable = ({ fault, times }: AgentFault): boolean => times > BORNE[fault];

/** Whether another agent is needed for a member. */
export const needsAnother = ({ agent, fault, quarantined, process }: MemberSighting): boolean =>
  !quarantined && process !== 'none' && agent !== 'exec' && fault !== undefined && isUnbearable(fault);

/** @returns undefined as long as its own agent may go on */
export function fallBack(board: Board, seen: MemberSighting): Verdict | undefined {
  const { name: member, fault, agent, standIn, byHand } = seen;
  // In the relay the loop decides about another.
  if (profiles[board.profile].whenSilent === 'leave' || fault === undefined || !needsAnother(seen)) return undefined;
  const often = fault.times > 1 ? `${fault.times} times in a row` : 'at once';
  const why = `its agent${agent === undefined ? '' : ` ${agent}`} failed ${often} (${fault.fault}: ${fault.text})`;
  if (standIn !== undefined && !byHand) return { do: 'fall back', member, to: standIn, why };
  // A time that was over is a failed attempt, which is counted elsewhere.
  if (fault.fault === 'timeout') return undefined;
  return { do: 'quarantine', member, why: `${why}, and there is no other agent for it` };
}
