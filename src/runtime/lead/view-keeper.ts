/**
 * Keeps the task views for people. A few changed views are written at once, but not more often than every 200 ms. Many
 * wait up to two seconds: on a busy board most of them change again, and replacing a file costs more than creating one.
 */
import { IdSet } from '../../model/board/id-set.ts';
import { writeViews } from '../../store/team/views.ts';
import { readResult, showResult } from '../../store/board/results.ts';
import type { TeamStore } from '../../store/team/team-store.ts';

const EVERY_MS = 200;
/** So many changed views wait for no others. */
const FEW = 16;
/** Of more, each makes all of them wait so long, up to a limit, in milliseconds. */
const WAIT_MS = { each: 10, most: 2_000 };
/** Views that are written without a look at the board between them, and beside other work. */
const AT_ONCE = 200;
const BESIDE = 10;
/** Tasks that are looked at for that, if it is not known which of them changed. */
const LOOKS_AT_ONCE = 1_000;
/** How long a lead that ends writes views, in milliseconds: it is waited for. */
const FINISH_MS = 3_000;

export class ViewKeeper {
  readonly #store: TeamStore;
  readonly #dirty = new IdSet();
  /** Tasks that changed before this lead, and whose views an earlier lead may not have written. */
  #older: Iterator<string | undefined> | undefined;
  #writtenAt = 0;
  /** When the first of the changed views changed. */
  #changedAt = 0;
  #writtenTo: number | undefined;

  constructor(store: TeamStore) {
    this.#store = store;
  }

  changed(ids: Iterable<string>): void {
    if (this.#dirty.size === 0) this.#changedAt = this.#store.clock.monotonic();
    for (const id of ids) this.#dirty.add(Number(id));
  }

  /** @param older more changed tasks, which take time to find; undefined for a step that found none */
  begin(changed: Iterable<string>, older: Iterator<string | undefined>): void {
    this.changed(changed);
    this.#older = older;
  }

  /** The views show every change before this offset of the log; undefined while that is not known. */
  get writtenTo(): number | undefined {
    return this.#writtenTo;
  }

  /**
   * Writes what is due. A view that cannot be written is tried again later: the log stays the truth.
   *
   * @returns whether the last missing view was written
   */
  flush(): boolean {
    const now = this.#store.clock.monotonic();
    if (this.#isWritten() || !this.#isDue(now)) return false;
    this.#writtenAt = now;
    this.#write();
    return this.#isWritten();
  }

  /** Writes a few beside other work, due or not; @returns whether there may be more */
  ahead(): boolean {
    return !this.#isWritten() && this.#write(BESIDE) && !this.#isWritten();
  }

  /** Writes all, as far as the time at the end of a lead allows; the next lead writes the others. */
  finish(): void {
    const { clock, events } = this.#store;
    const until = clock.monotonic() + FINISH_MS;
    while (!this.#isWritten() && clock.monotonic() < until && this.#write());
    if (!this.#isWritten()) events.append({ type: 'view.left', text: `${this.#left()} as they were before` });
  }

  #isDue(now: number): boolean {
    if (now - this.#writtenAt < EVERY_MS) return false;
    const { size } = this.#dirty;
    return size <= FEW || now - this.#changedAt >= Math.min(size * WAIT_MS.each, WAIT_MS.most);
  }

  #isWritten(): boolean {
    return this.#dirty.size === 0 && this.#older === undefined;
  }

  #left(): string {
    const { size } = this.#dirty;
    return this.#older === undefined ? `${size} task views are` : `${size} or more task views may be`;
  }

  /** @returns false when the views could not be written */
  #write(most = AT_ONCE): boolean {
    const ids = this.#due(most);
    for (const id of ids) this.#dirty.delete(Number(id));
    try {
      writeViews(this.#store, ids);
      for (const id of ids) this.#showResult(id);
      if (this.#isWritten()) this.#writtenTo = this.#store.board.offset;
      return true;
    } catch (error) {
      this.changed(ids);
      const text = error instanceof Error ? error.message : String(error);
      this.#store.events.append({ type: 'view.failed', text });
      return false;
    }
  }

  #due(most: number): string[] {
    const ids: string[] = [];
    for (const id of this.#dirty) {
      if (ids.length === most) return ids;
      ids.push(String(id));
    }
    for (let looks = 0; this.#older !== undefined && looks < LOOKS_AT_ONCE && ids.length < most; looks += 1) {
      const next = this.#older.next();
      if (next.done === true) this.#older = undefined;
      else if (next.value !== undefined) ids.push(next.value);
    }
    return ids;
  }

  #showResult(id: string): void {
    const { disk, paths, board } = this.#store;
    const task = board.board.tasks.get(id);
    if (task?.status !== 'completed' && task?.status !== 'failed') return;
    const epoch = task.by?.epoch;
    const text = epoch === undefined ? undefined : readResult(disk, paths, id, epoch);
    if (text !== undefined) showResult(disk, paths, id, text);
  }
}
