/**
 * The events of a team in a replica. Every process writes to the event log of its machine, as on files; the relay tells
 * the store what is new there, and adds what other machines told. So the order differs from machine to machine, and
 * each event is once in each log. One that came from elsewhere says so: `"elsewhere":{"machine","number"}`.
 */
import type { Clock } from '../../model/text/clock.ts';
import { isTeamError } from '../../model/text/errors.ts';
import { jsonAnswer } from '../../model/text/json-answer.ts';
import { safeJson } from '../../model/text/safe-text.ts';
import { teamEventSchema } from '../../model/team/team-event.ts';
import { EventLog } from '../../store/board/events.ts';
import type { EngineEvent } from '../../store/engine/engine-rows.ts';
import type { EngineSession } from '../../store/engine/engine-session.ts';
import type { TeamPaths } from '../../store/files/paths.ts';
import type { PinnedDirectory } from '../../store/files/pinned.ts';
import type { Locks } from '../../store/lock/lock.ts';
import { machineName, numberElsewhere } from '../../store/replica/elsewhere.ts';

/** Bytes of lines that are told at once. */
const MOST_BYTES = 1024 * 1024;

interface EventPlace {
  readonly paths: TeamPaths;
  readonly pinned: PinnedDirectory;
  readonly locks: Locks;
  readonly clock: Pick<Clock, 'now'>;
  /** Its id in the store. */
  readonly team: string;
}

export class SharedEvents {
  readonly #team: string;
  readonly #log: EventLog;
  /** This folder of this machine: a copy of it is another source. */
  readonly #source: string;
  /** How far this log is told; undefined until the store has said it. */
  #told: number | undefined;
  /** The number of the last event from elsewhere. */
  #heard = 0;
  /** How many events the store had when all of them were heard. */
  #seen = 0;

  constructor({ paths, pinned, locks, clock, team }: EventPlace) {
    this.#team = team;
    this.#log = new EventLog(pinned.disk, paths.events, clock, { pinned, locks, lock: paths.eventFilesLock });
    const { dev, ino, born = 0 } = pinned.identity;
    this.#source = [machineName(), dev, ino, born].join('/');
    for (const { event } of this.#log.read()) this.#heard = Math.max(this.#heard, numberElsewhere(event) ?? 0);
  }

  /** The store was away: it says anew how far it has this log. */
  reconnected(): void {
    this.#told = undefined;
  }

  /** @param isCopy whether what is in the log was told by the folder that this one was copied from */
  async begin(session: EngineSession, isCopy: boolean): Promise<void> {
    this.#told = await session.eventSource(this.#team, this.#source, isCopy ? this.#log.end() : 0);
  }

  /** Tells what is new here. */
  async tell(session: EngineSession): Promise<void> {
    if (this.#told === undefined) await this.begin(session, false);
    while (await this.#tell(session)) continue;
  }

  /** Adds what is new elsewhere. @param last the number of the last event that the store has */
  async hear(session: EngineSession, last: number): Promise<void> {
    if (last === this.#seen) return;
    for (;;) {
      const { found, isAll } = await session.eventsAfter(this.#team, this.#source, this.#heard);
      if (!found.every((event) => this.#add(event))) return;
      if (isAll) break;
    }
    this.#seen = last;
  }

  close(): void {
    this.#log.close();
  }

  /** @returns whether there may be more */
  async #tell(session: EngineSession): Promise<boolean> {
    const from = this.#told ?? 0;
    const { lines, upTo, isAll } = this.#news(from);
    if (upTo === from) return false;
    try {
      if (lines.length > 0) await session.tellEvents(this.#team, this.#source, upTo, lines);
    } catch (error) {
      // One of them is no event that this role may tell: it stays on this machine.
      if (!isTeamError(error) || error.code !== 'ENGINE_UNFIT') throw error;
      if (lines.length > 1) await this.#tellEach(session, from, upTo);
    }
    this.#told = upTo;
    return !isAll;
  }

  async #tellEach(session: EngineSession, from: number, upTo: number): Promise<void> {
    for (let at = from; at < upTo;) {
      const one = this.#news(at, 1);
      try {
        if (one.lines.length > 0) await session.tellEvents(this.#team, this.#source, one.upTo, one.lines);
      } catch (error) {
        if (!isTeamError(error) || error.code !== 'ENGINE_UNFIT') throw error;
      }
      at = one.upTo;
    }
  }

  /** The events of this machine from a number on. */
  #news(from: number, mostBytes = MOST_BYTES): { lines: string[]; upTo: number; isAll: boolean } {
    const reader = this.#log.read(from);
    const lines: string[] = [];
    let bytes = 0;
    try {
      for (let next = reader.next(); ; next = reader.next()) {
        if (next.done === true) return { lines, upTo: next.value, isAll: true };
        const { at, event } = next.value;
        if (bytes >= mostBytes) return { lines, upTo: at, isAll: false };
        if (numberElsewhere(event) !== undefined) continue;
        const line = safeJson(event);
        lines.push(line);
        bytes += line.length;
      }
    } finally {
      reader.return(from);
    }
  }

  /** @returns false if this machine cannot keep it now */
  #add({ number, source, line }: EngineEvent): boolean {
    const event = jsonAnswer(teamEventSchema, line);
    const elsewhere = { machine: source.split('/', 1)[0], number };
    if (event.ok && this.#log.append({ ...event.value, elsewhere }) !== undefined) return false;
    this.#heard = number;
    return true;
  }
}
