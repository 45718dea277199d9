/** Looks whether the store of the team is heard, for a process that has a lease there. On files it always is. */
import { duration } from '../../policy/mail-wording.ts';
import { CUT_OFF_AFTER_MS, whenCutOff } from '../../policy/supervise/cut-off.ts';
import type { Lease } from '../../store/team/lease.ts';
import type { TeamStore } from '../../store/team/team-store.ts';

interface CutOffActs {
  /** Ends the present turn. @returns whether there was one that went on */
  readonly endTurn: () => boolean;
  readonly end: () => void;
}

export class CutOffWatch {
  readonly #lease: Lease;
  readonly #events: TeamStore['events'];
  readonly #endAfterMs: number;

  /** @param endAfterMs milliseconds without a word of the store after which the process ends */
  constructor(lease: Lease, { events }: Pick<TeamStore, 'events'>, endAfterMs = CUT_OFF_AFTER_MS) {
    this.#lease = lease;
    this.#events = events;
    this.#endAfterMs = endAfterMs;
  }

  /** Whether no turn may begin. */
  get isSilent(): boolean {
    return this.#rule !== 'go on';
  }

  /** Call it now and then. What was handed in waits until the store is heard again. */
  look({ endTurn, end }: CutOffActs): void {
    const rule = this.#rule;
    if (rule === 'end') return end();
    if (rule !== 'stop turns' || !endTurn()) return;
    const text = `the store of the team was not heard for ${duration(this.#lease.silentFor())}, so the turn was ended`;
    this.#events.append({ type: 'store.away', text });
  }

  get #rule(): ReturnType<typeof whenCutOff> {
    return whenCutOff(this.#lease.silentFor(), this.#endAfterMs);
  }
}
