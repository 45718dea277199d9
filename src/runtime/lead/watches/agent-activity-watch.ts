/**
 * Reads the event log for acts of members' agents that are not board events. Each such act counts as progress
 * (docs/specification.md R5.5).
 */
import type { Name } from '../../../model/text/names.ts';
import type { TeamEvent } from '../../../model/team/team-event.ts';
import type { TeamStore } from '../../../store/team/team-store.ts';

/** A message that a member's agent wrote is progress, too. The runtime's own mail makes no such event. */
const isAgentsAct = ({ type }: TeamEvent): boolean => type.startsWith('agent.') || type === 'message.sent';

export class AgentActivityWatch {
  readonly #store: Pick<TeamStore, 'events' | 'board'>;
  readonly #onAct: (name: Name) => void;
  #next: number;

  /** Watches events from now on; earlier events are ignored. */
  constructor(store: Pick<TeamStore, 'events' | 'board'>, onAct: (name: Name) => void) {
    this.#store = store;
    this.#onAct = onAct;
    this.#next = store.events.end();
  }

  look(): void {
    const { events, board } = this.#store;
    const reader = events.read(this.#next);
    for (let next = reader.next(); ; next = reader.next()) {
      if (next.done) {
        this.#next = next.value;
        return;
      }
      const { event } = next.value;
      const member = isAgentsAct(event) ? memberIn(board.board.members.keys(), event) : undefined;
      if (member !== undefined) this.#onAct(member);
    }
  }
}

const memberIn = (members: Iterable<Name>, { member }: TeamEvent): Name | undefined =>
  [...members].find((name) => name === member);
