/** What members' agents do that is no board event, read from the event log as it comes: any of it is progress (SPEC §6). */
import type { Name } from '../../model/text/names.ts';
import type { TeamEvent } from '../../model/team/team-config.ts';
import type { TeamStore } from '../../store/team/team-store.ts';

/** A message that its agent wrote is progress as well; the runtime's own mail makes no such event. */
const isAgentsAct = ({ type }: TeamEvent): boolean => type.startsWith('agent.') || type === 'message.sent';

export class AgentActivityWatch {
  readonly #store: Pick<TeamStore, 'events' | 'board'>;
  readonly #onAct: (name: Name) => void;
  #next: number;

  /** Watches from now on. */
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
