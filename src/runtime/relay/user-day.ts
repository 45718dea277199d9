/**
 * The ledger of the user's day in a replica: a file a day, with the records of the store in their order. An empty file says
 * that the day has come, by the clock of the store. Where the user has no limit of the day in the store, there is none.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { SpendingNews } from '../../store/engine/engine-rows.ts';
import type { EngineSession } from '../../store/engine/engine-session.ts';
import { Replica } from '../../store/engine/replica.ts';
import { O_APPEND, O_CREAT, O_WRONLY, realDisk } from '../../store/files/disk.ts';
import { clearAway, makeDirectory, openSeen, using } from '../../store/files/file.ts';
import { rootPaths } from '../../store/files/paths.ts';
import type { SpendingAsked } from '../../store/replica/relay-request.ts';
import { daysIn } from '../../store/team/shared-day.ts';
import { requireSame } from './catch-up.ts';

/** So many days are kept. */
const KEPT = 40;

export class UserDay {
  readonly #folder: string;
  /** That of the last record. */
  #replica: Replica | undefined;

  constructor(root: string) {
    this.#folder = rootPaths(root).spending;
  }

  /**
   * @throws StoreError `ENGINE_DIVERGED` if the store has not what was read here: a failover has lost reservations
   */
  async connect(session: EngineSession, news: SpendingNews | null): Promise<void> {
    for (const day of daysIn(realDisk, this.#folder).toReversed()) {
      this.#replica = this.#replicaOf(day);
      if (this.#replica.position.number > 0) break;
    }
    if (this.#replica) await requireSame(session, this.#replica, 'spending');
    await this.follow(session, news);
  }

  /** Reads what is new in the store. */
  async follow(session: EngineSession, news: SpendingNews | null): Promise<void> {
    if (news === null) return;
    const { today, day, last } = news;
    makeDirectory(realDisk, this.#folder);
    // The relay has made no file of a day that has not come.
    for (const one of daysIn(realDisk, this.#folder)) if (one > today) this.#clear(one);
    const replica = this.#replicaOf(day);
    this.#replica = replica;
    while (replica.position.number < last) {
      const { found, isAll } = await session.after(day, replica.position.number, 'spending');
      replica.append(found);
      if (isAll) break;
    }
    const days = daysIn(realDisk, this.#folder);
    if (days.at(-1) === today) return;
    using(realDisk, openSeen(realDisk, this.#pathOf(today), O_WRONLY | O_APPEND | O_CREAT).fd, () => {});
    for (const old of days.slice(0, -KEPT)) this.#clear(old);
  }

  /** @returns false if others wrote before, or the day is over; the files here are up to date in both cases */
  async reserve(session: EngineSession, asked: SpendingAsked): Promise<boolean> {
    const { isWritten, ...news } = await session.appendSpending(asked);
    await this.follow(session, news);
    return isWritten;
  }

  #replicaOf(day: string): Replica {
    if (this.#replica?.id === day) return this.#replica;
    return new Replica(realDisk, day, { what: `the user's day ${day}`, path: this.#pathOf(day), create: true });
  }

  #pathOf(day: string): string {
    return join(this.#folder, `${day}.jsonl`);
  }

  #clear(day: string): void {
    clearAway(realDisk, this.#pathOf(day), randomBytes(6).toString('hex'));
  }
}
