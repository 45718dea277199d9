/** Keeps the task views for people: writes the changed ones every 200 ms, not once for each event. */
import { writeViews } from '../../store/team/views.ts';
import { readResult, showResult } from '../../store/board/results.ts';
import type { TeamStore } from '../../store/team/team-store.ts';

const EVERY_MS = 200;
/** Views that are written without a look at the board between them. */
const AT_ONCE = 200;
/** How long a lead that ends writes views, in milliseconds: it is waited for. */
const FINISH_MS = 3_000;

export class ViewKeeper {
  readonly #store: TeamStore;
  readonly #dirty = new Set<string>();
  #writtenAt = 0;

  constructor(store: TeamStore) {
    this.#store = store;
  }

  changed(ids: readonly string[]): void {
    for (const id of ids) this.#dirty.add(id);
  }

  /** Writes what is due. A view that cannot be written is tried again later: the log stays the truth. */
  flush(): void {
    const { clock } = this.#store;
    if (this.#dirty.size === 0 || clock.monotonic() - this.#writtenAt < EVERY_MS) return;
    this.#writtenAt = clock.monotonic();
    this.#write();
  }

  /** Writes all, as far as the time at the end of a lead allows; the next lead writes the others. */
  finish(): void {
    const { clock, events } = this.#store;
    const until = clock.monotonic() + FINISH_MS;
    while (this.#dirty.size > 0 && clock.monotonic() < until && this.#write());
    if (this.#dirty.size > 0)
      events.append({ type: 'view.left', text: `${this.#dirty.size} task views are as they were before` });
  }

  /** @returns false when the views could not be written */
  #write(): boolean {
    const ids = [...take(this.#dirty, AT_ONCE)];
    for (const id of ids) this.#dirty.delete(id);
    try {
      writeViews(this.#store, ids);
      for (const id of ids) this.#showResult(id);
      return true;
    } catch (error) {
      this.changed(ids);
      const text = error instanceof Error ? error.message : String(error);
      this.#store.events.append({ type: 'view.failed', text });
      return false;
    }
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

function* take<T>(all: Iterable<T>, most: number): Generator<T> {
  let left = most;
  for (const one of all) {
    if (left === 0) return;
    left -= 1;
    yield one;
  }
}
