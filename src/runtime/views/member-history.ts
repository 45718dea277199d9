/** What the event log tells of each member that no board and no process can: how it died, and what the lead decided. */
import type { TeamEvent } from '../../model/team/team-config.ts';
import type { TeamReader } from '../../store/team/team-reader.ts';

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

/** Reads the log once. Who is not named in it has no entry. */
export function deedsIn({ events }: Pick<TeamReader, 'events'>): ReadonlyMap<string, Deeds> {
  const deeds = new AllDeeds();
  for (const { event } of events.read()) deeds.add(event);
  return deeds.of;
}

/** The same for who hears of each event once. */
export class AllDeeds {
  readonly #of = new Map<string, Deeds>();

  get of(): ReadonlyMap<string, Deeds> {
    return this.#of;
  }

  add(event: TeamEvent): void {
    if (event.member === undefined) return;
    const deeds = this.#of.get(event.member) ?? { isStopped: false, restarts: 0, isGivenUp: false };
    this.#of.set(event.member, deeds);
    note(deeds, event);
  }
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
