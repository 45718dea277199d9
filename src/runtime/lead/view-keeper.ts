/** Keeps the task views for people: writes the changed ones every 200 ms, not once for each event. */
import { writeViews } from '../../store/team/views.ts';
import { readResult, showResult } from '../../store/board/results.ts';
import type { TeamStore } from '../../store/team/team-store.ts';

const EVERY_MS = 200;
/** Views that are written without a look at the board between them. */
const AT_ONCE = 200;

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

  /**
   * Writes what is due; `now` writes all. A view that cannot be written is tried again later: the log stays the truth.
   */
  flush({ now = false }: { now?: boolean } = {}): void {
    const { clock, events } = this.#store;
    if (this.#dirty.size === 0 || (!now && clock.monotonic() - this.#writtenAt < EVERY_MS)) return;
    this.#writtenAt = clock.monotonic();
    const ids = now ? [...this.#dirty] : [...this.#dirty].slice(0, AT_ONCE);
    for (const id of ids) this.#dirty.delete(id);
    try {
      writeViews(this.#store, ids);
      for (const id of ids) this.#showResult(id);
    } catch (error) {
      this.changed(ids);
      events.append({ type: 'view.failed', text: error instanceof Error ? error.message : String(error) });
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
