/**
 * `events.jsonl`: every fact that is not on the board. An event's number is the offset of its line; views are drawn
 * from it.
 */
import type { Clock } from '../../model/text/clock.ts';
import { timestamp } from '../../model/text/clock.ts';
import { teamEventSchema, type TeamEvent } from '../../model/team/team-config.ts';
import type { Disk } from '../files/disk.ts';
import { Journal } from '../files/journal.ts';
import type { PinnedDirectory } from '../files/pinned.ts';

export interface Numbered {
  /** Offset of the line in bytes; it grows with each event. */
  readonly at: number;
  readonly event: TeamEvent;
}

export class EventLog {
  readonly #journal: Journal;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #pinned: PinnedDirectory | undefined;

  /** @param pinned the team's folder, checked before each write; a process that only reads has none */
  constructor(disk: Disk, path: string, clock: Pick<Clock, 'now'>, pinned?: PinnedDirectory) {
    this.#journal = new Journal(disk, path, { create: true });
    this.#clock = clock;
    this.#pinned = pinned;
  }

  /** Appends a fact. Returns a failure of the log itself and never throws it into the work that it reports. */
  append(event: Omit<TeamEvent, 'at'> & { type: string }): Error | undefined {
    try {
      this.#pinned?.check();
      this.#journal.append({ at: timestamp(this.#clock.now()), ...event });
      return undefined;
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  /** Yields events from an offset on and skips every line that is not our event. Returns the next offset. */
  *read(from = 0): Generator<Numbered, number> {
    const reader = this.#journal.read(from);
    for (let next = reader.next(); ; next = reader.next()) {
      if (next.done) return next.value;
      const line = next.value;
      const event = line.kind === 'text' ? parseEvent(line.text) : undefined;
      if (event) yield { at: line.at, event };
    }
  }

  /** The offset after the last event so far. */
  end(): number {
    return this.#journal.end();
  }

  close(): void {
    this.#journal.close();
  }
}

function parseEvent(text: string): TeamEvent | undefined {
  try {
    const parsed = teamEventSchema.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : undefined;
  } catch {
    // A torn line is not an event; it stays in the file for people to read.
    return undefined;
  }
}
