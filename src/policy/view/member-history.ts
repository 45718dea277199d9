/** What the event log alone knows about each member: how it died, and what the lead decided about it. */
import type { MemberHistory } from '../../model/team/event-summary.ts';
import type { TeamEvent } from '../../model/team/team-event.ts';
import { actOf } from '../decision.ts';

/** Told each event of the event log once, in order. A member without events has no entry. */
export class MemberHistories {
  readonly #byMember: Map<string, MemberHistory>;

  /** @param before what the events before the first that is added say */
  constructor(before: Iterable<readonly [string, MemberHistory]> = []) {
    this.#byMember = new Map(before);
  }

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
