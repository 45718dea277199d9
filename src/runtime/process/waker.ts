/**
 * Waits for files to change: woken by the file watch, and after a second at the latest, because a watch may miss
 * changes.
 */
import type { Clock } from '../../model/text/clock.ts';
import type { Disk } from '../../store/files/disk.ts';
import { watchFile, type FileWatch, type WatchFile } from '../../store/files/watch-file.ts';

export const RELOOK_MS = 1_000;
/** Without a reason an abort makes an error with its stack. */
const CHANGED = 'a file has changed';

export class Waker {
  readonly #clock: Clock;
  readonly #signal: AbortSignal | undefined;
  readonly #watched: readonly FileWatch[];
  #isRung = false;
  #wake: () => void = () => {};

  /** Watches from now on, so that what changes before the first {@link wait} is not missed. */
  constructor(
    { disk, clock }: { readonly disk: Disk; readonly clock: Clock },
    paths: readonly string[],
    signal?: AbortSignal,
    watching: WatchFile = watchFile,
  ) {
    this.#clock = clock;
    this.#signal = signal;
    this.#watched = paths.map((path) => watching(disk, path, this.ring));
    signal?.addEventListener('abort', this.ring);
  }

  /** Resolves at once if something has changed since the last call. */
  async wait(): Promise<void> {
    for (const one of this.#watched) one.check();
    if (!this.#isRung && this.#signal?.aborted !== true) {
      const woken = new AbortController();
      this.#wake = () => woken.abort(CHANGED);
      await this.#clock.sleep(RELOOK_MS, woken.signal);
      this.#wake = () => {};
    }
    this.#isRung = false;
  }

  close(): void {
    this.#signal?.removeEventListener('abort', this.ring);
    for (const one of this.#watched) one.close();
  }

  /** Ends the present wait, or the next one at once. */
  readonly ring = (): void => {
    this.#isRung = true;
    this.#wake();
  };
}
