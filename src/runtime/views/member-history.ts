/** What the event log alone knows about each member: how it died, and what the lead decided about it. */
import type { TeamEvent } from '../../model/team/team-config.ts';
import { actOf } from '../../policy/decision.ts';
import type { TeamReader } from '../../store/team/team-reader.ts';

export interface MemberHistory {
  /** Its last death, unless a later process is known to the log: `signal SIGKILL`, `exit 1`. */
  death?: { readonly how: string; readonly at: string };
  /** It was stopped in order. */
  isStopped: boolean;
  /** Restarts since the lead last reset the count. */
  restarts: number;
  isGivenUp: boolean;
  quarantinedAt?: string;
  /** When it last said or did something that is not a board event. */
  lastActAt?: string;
  /** The lead's last decision about it. */
  decision?: TeamEvent;
}

/** Reads the log once. A member without events has no entry. */
export function memberHistories({ events }: Pick<TeamReader, 'events'>): ReadonlyMap<string, MemberHistory> {
  const histories = new MemberHistories();
  for (const { event } of events.read()) histories.add(event);
  return histories.byMember;
}

/** The same for callers that add each event once. */
export class MemberHistories {
  readonly #byMember = new Map<string, MemberHistory>();

  get byMember(): ReadonlyMap<string, MemberHistory> {
    return this.#byMember;
  }

  add(event: TeamEvent): void {
    if (event.member === undefined) return;
    const history = this.#byMember.get(event.member) ?? { isStopped: false, restarts: 0, isGivenUp: false };
    this.#byMember.set(event.member, history);
    note(history, event);
  }
}

export const emptyHistory: Readonly<MemberHistory> = { isStopped: false, restarts: 0, isGivenUp: false };

function note(history: MemberHistory, event: TeamEvent): void {
  switch (event.type) {
    case 'member.exited':
      history.death = { how: event.text ?? 'gone', at: event.at };
      history.isStopped = event.text === 'exit 0';
      return;
    case 'member.stopped':
      history.isStopped = true;
      return;
    case 'lead.decided':
      return decided(history, event);
    default:
      if (isOwnAct(event)) history.lastActAt = event.at;
  }
}

/** Whether its agent did or said it; mail that its process answers by itself is no progress. */
const isOwnAct = ({ type, ...facts }: TeamEvent): boolean =>
  type.startsWith('agent.') || (type === 'message.received' && facts['kind'] === 'message');

function decided(history: MemberHistory, event: TeamEvent): void {
  history.decision = event;
  const act: string = actOf(event) ?? '';
  switch (act) {
    case 'restart':
      history.restarts += 1;
      delete history.death;
      return;
    case 'abandon':
      history.isGivenUp = true;
      return;
    case 'resetRestarts':
      history.restarts = 0;
      history.isGivenUp = false;
      return;
    case 'quarantine':
      history.quarantinedAt = event.at;
      return;
    case 'lift':
      delete history.quarantinedAt;
  }
}
