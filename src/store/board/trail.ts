/** Where in the log the records of each task are, as offsets. It is folded with the board. */
import type { Board } from '../../model/board/board.ts';
import { keep, tasksNamedBy } from '../../model/past/board-trace.ts';
import type { Folded } from './fold-line.ts';

export interface TaskPlaces {
  /** Offsets of the accepted records that changed it. */
  readonly at: readonly number[];
  /** Offsets of the latest accepted records about it, also of those that changed nothing: requests, a repeated claim. */
  readonly named: readonly number[];
  /** The offset of its last claim or end. */
  readonly moved?: number | undefined;
}

const NOWHERE: TaskPlaces = { at: [], named: [] };

interface KeptPlaces {
  readonly at: number[];
  readonly named: number[];
  moved: number | undefined;
}

export class Trail {
  readonly #before: (id: string) => TaskPlaces | undefined;
  readonly #places = new Map<string, KeptPlaces>();

  /** @param before the places in the part of the log before the first record that is added */
  constructor(before: (id: string) => TaskPlaces | undefined = () => undefined) {
    this.#before = before;
  }

  of(id: string): TaskPlaces {
    return this.#places.get(id) ?? this.#before(id) ?? NOWHERE;
  }

  /** The tasks of the records that were added. */
  changed(): Iterable<string> {
    return this.#places.keys();
  }

  /** @param board with the event */
  add(board: Board, { event, outcome, at }: Folded & { readonly at: number }): void {
    if (!outcome.ok) return;
    for (const id of outcome.changed) this.#kept(id).at.push(at);
    for (const [id, isMoved] of tasksNamedBy(event, board)) {
      const places = this.#kept(id);
      keep(places.named, at);
      if (isMoved) places.moved = at;
    }
  }

  #kept(id: string): KeptPlaces {
    const known = this.#places.get(id);
    if (known) return known;
    const { at, named, moved } = this.#before(id) ?? NOWHERE;
    const made = { at: [...at], named: [...named], moved };
    this.#places.set(id, made);
    return made;
  }
}
