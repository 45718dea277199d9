/** What the event log tells of each member that no board and no process can: how it died, and what the lead decided. */
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

/** Reads the log once. Who is not named in it has no entry. */
export const deedsIn = (store: Pick<TeamReader, 'events'>): ReadonlyMap<string, Deeds> => new DeedsLog(store).read();

/** The same for who looks again and again: each event is read once. */
export class DeedsLog {
  readonly #store: Pick<TeamReader, 'events'>;
  readonly #all = new Map<string, Deeds>();
  #offset = 0;

  constructor(store: Pick<TeamReader, 'events'>) {
    this.#store = store;
  }

  read(): ReadonlyMap<string, Deeds> {
    const reader = this.#store.events.read(this.#offset);
    let next = reader.next();
    for (; next.done !== true; next = reader.next()) this.#add(next.value.event);
    this.#offset = next.value;
    return this.#all;
  }

  #add(event: TeamEvent): void {
    if (event.member === undefined) return;
    const deeds = this.#all.get(event.member) ?? { isStopped: false, restarts: 0, isGivenUp: false };
    this.#all.set(event.member, deeds);
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
