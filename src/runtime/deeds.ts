/** What the event log tells of each member that no board and no process can: how it died, and what the lead decided. */
import type { Name } from '../model/names.ts';
import type { TeamEvent } from '../model/team.ts';
import type { TeamReader } from '../store/team-reader.ts';

export interface Deeds {
  /** Its last death, as long as no later life is known to the log: `signal SIGKILL`, `exit 1`. */
  death?: { readonly how: string; readonly at: string };
  /** It was stopped in order after that. */
  isStopped: boolean;
  /** Since its last pardon. */
  restarts: number;
  isGivenUp: boolean;
  quarantinedAt?: string;
  /** When it last said or did something that is no board event. */
  lastActAt?: string;
  /** What the lead last decided about it. */
  decision?: TeamEvent;
}

/** Reads the log once. A member that it does not name has no entry. */
export function deedsIn(store: Pick<TeamReader, 'events' | 'board'>): ReadonlyMap<Name, Deeds> {
  const known = new Map<string, Name>([...store.board.fold().members.keys()].map((name) => [name, name]));
  const all = new Map<Name, Deeds>();
  for (const { event } of store.events.read()) {
    const name = known.get(event.member ?? '');
    if (name === undefined) continue;
    const deeds = all.get(name) ?? { isStopped: false, restarts: 0, isGivenUp: false };
    all.set(name, deeds);
    note(deeds, event);
  }
  return all;
}

export const noDeeds: Readonly<Deeds> = { isStopped: false, restarts: 0, isGivenUp: false };

function note(deeds: Deeds, event: TeamEvent): void {
  switch (event.type) {
    case 'member.exited':
      deeds.death = { how: event.text ?? 'gone', at: event.at };
      deeds.isStopped = event.text === 'exit 0';
      return;
    case 'member.stopped':
      deeds.isStopped = true;
      return;
    case 'lead.decided':
      return decided(deeds, event);
    default:
      if (isOwnAct(event)) deeds.lastActAt = event.at;
  }
}

/** What its agent did or said; mail that its process answers by itself is no progress. */
const isOwnAct = ({ type, ...facts }: TeamEvent): boolean =>
  type.startsWith('agent.') || (type === 'message.received' && facts['kind'] === 'message');

function decided(deeds: Deeds, event: TeamEvent): void {
  deeds.decision = event;
  switch (event['act']) {
    case 'restart':
      deeds.restarts += 1;
      delete deeds.death;
      return;
    case 'give up':
      deeds.isGivenUp = true;
      return;
    case 'pardon':
      deeds.restarts = 0;
      deeds.isGivenUp = false;
      return;
    case 'quarantine':
      deeds.quarantinedAt = event.at;
  }
}
