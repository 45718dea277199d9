/**
 * The message bus of a pipeline (docs/specification.md R10.16): numbered records among a team's events. A number is
 * drawn and used under one lock.
 */
import { busRecordSchema, type BusEntry, type BusRecord } from '../../model/pipeline/bus-record.ts';
import type { TeamEvent } from '../../model/team/team-event.ts';
import type { EventLog } from '../board/events.ts';
import type { TeamLock } from '../files/paths.ts';
import type { Locks } from '../lock/lock.ts';

const TYPE = 'bus.logged';

export class Bus {
  readonly #events: EventLog;
  readonly #locks: Locks;
  readonly #lock: TeamLock;
  #offset = 0;
  #last = 0;
  readonly #causes = new Map<string, BusRecord>();

  constructor(events: EventLog, locks: Locks, lock: TeamLock) {
    this.#events = events;
    this.#locks = locks;
    this.#lock = lock;
  }

  /**
   * Writes one record. A record whose cause is already logged is not written again.
   *
   * @param member the member that views name as the source, if it is a member
   * @throws StoreError as the event log fails
   */
  async log(entry: BusEntry, member?: string): Promise<BusRecord> {
    return this.#locks.withLock(this.#lock, () => {
      this.#catchUp();
      const before = entry.cause === undefined ? undefined : this.#causes.get(entry.cause);
      if (before) return before;
      const record = { ...entry, seq: this.#last + 1 };
      const text = `#${record.seq} ${record.kind}: ${record.summary}${record.ref === undefined ? '' : ` (${record.ref})`}`;
      const failure = this.#events.append({ type: TYPE, member, text, ...record });
      if (failure) throw failure;
      return record;
    });
  }

  /** Reads what other processes wrote since. */
  #catchUp(): void {
    const reader = this.#events.read(this.#offset);
    for (let next = reader.next(); ; next = reader.next()) {
      if (next.done) {
        this.#offset = next.value;
        return;
      }
      const record = recordOf(next.value.event);
      if (record === undefined) continue;
      this.#last = record.seq;
      if (record.cause !== undefined) this.#causes.set(record.cause, record);
    }
  }
}

function recordOf(event: TeamEvent): BusRecord | undefined {
  if (event.type !== TYPE) return undefined;
  const parsed = busRecordSchema.safeParse(event);
  return parsed.success ? parsed.data : undefined;
}
