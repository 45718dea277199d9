/** The facts of a member that explanations use: its state, since when, and when its next step is due. */
import type { Board } from '../../model/board/board.ts';
import { timestamp } from '../../model/text/clock.ts';
import type { MemberStatus } from '../../model/member/member-status.ts';
import type { MemberFacts } from './explanation.ts';
import type { MemberObservation } from '../supervise/progress.ts';
import { RESTART_AFTER_MS } from '../supervise/restart.ts';
import { stateTimeOf, type KnownTimes, type StateTimes } from '../view/state-times.ts';

export interface SeenNow {
  readonly status: MemberStatus & { readonly unread: number };
  readonly seen?: MemberObservation | undefined;
  /** The kind of its agent. */
  readonly agent?: string | undefined;
  /** From the events, ISO 8601. */
  readonly died?: string | undefined;
  readonly quarantined?: string | undefined;
  /** From its process record, wall time in milliseconds. */
  readonly forked?: number | undefined;
  readonly noted?: number | undefined;
  readonly until?: number | undefined;
}

interface Moment {
  readonly board: Board;
  readonly since: StateTimes;
  /** Wall time in milliseconds. */
  readonly now: number;
}

export function memberFacts(one: SeenNow, { board, since, now }: Moment): MemberFacts {
  const { status, seen, agent, until } = one;
  const task = board.tasks.get(status.task ?? '');
  const lastSign = now - (seen?.progressAge ?? 0);
  const lastBeat = now - (seen?.beatAge ?? 0);
  const times: KnownTimes = {
    ...since.member(status.name),
    sign: timestamp(lastSign),
    beat: timestamp(lastBeat),
    died: one.died,
    quarantined: one.quarantined,
    claimed: task?.status === 'in_progress' ? task.claimed_at : undefined,
    forked: one.forked === undefined ? undefined : timestamp(one.forked),
    noted: one.noted === undefined ? undefined : timestamp(one.noted),
  };
  const restart = restartAt(one, now);
  return {
    status,
    unread: status.unread,
    lastSign,
    lastBeat,
    runs: seen?.process === 'alive',
    since: stateTimeOf(status.state, times),
    until: until === undefined || status.state !== 'rate-limited' ? undefined : until,
    restartAt: restart,
    agent,
  };
}

function restartAt({ seen, died }: SeenNow, now: number): number | undefined {
  if (seen?.process !== 'dead' || seen.givenUp || seen.byHand) return undefined;
  const wait = RESTART_AFTER_MS[seen.restarts];
  return wait === undefined ? undefined : wait + (died === undefined ? now : Date.parse(died));
}
