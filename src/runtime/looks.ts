/** When to look again, for whoever follows files: at once, after each change, and each second behind that. */
import type { Clock } from '../model/clock.ts';
import { watchTree } from '../store/watch-tree.ts';

const RELOOK_MS = 1_000;

/**
 * Yields whenever it is time to look; ends when `signal` aborts.
 *
 * @param directory whose files are watched
 * @param only which of them count, by path
 */
export async function* looks(
  directory: string,
  only: (path: string) => boolean,
  clock: Pick<Clock, 'sleep'>,
  signal: AbortSignal,
): AsyncGenerator<void> {
  const bell = { isRung: true, wake: (): void => {} };
  const watched = await watchTree(directory, only, () => {
    bell.isRung = true;
    bell.wake();
  });
  try {
    while (!signal.aborted) {
      if (!bell.isRung) await napUntil((wake) => (bell.wake = wake), clock, signal);
      bell.isRung = false;
      yield;
    }
  } finally {
    await watched.close();
  }
}

async function napUntil(
  wakeBy: (wake: () => void) => void,
  clock: Pick<Clock, 'sleep'>,
  signal: AbortSignal,
): Promise<void> {
  const nap = new AbortController();
  const wake = (): void => nap.abort();
  wakeBy(wake);
  signal.addEventListener('abort', wake, { once: true });
  try {
    await clock.sleep(RELOOK_MS, nap.signal);
  } finally {
    signal.removeEventListener('abort', wake);
  }
}
