/** A short wait: for a process to end, for a file to appear. */

/** The longest delay of a platform timer in milliseconds; a longer one would fire at once. */
export const LONGEST_MS = 2 ** 31 - 1;

/** Resolves after `ms` milliseconds, or at once if `signal` aborts. Never rejects; leaves no timer and no listener. */
export const pause = (ms: number, signal?: AbortSignal): Promise<void> => wait(ms, signal, (timer) => timer);

/** The same, for work that keeps no process alive. */
export const pauseAside = (ms: number, signal?: AbortSignal): Promise<void> =>
  wait(ms, signal, (timer) => timer.unref());

async function wait(
  ms: number,
  signal: AbortSignal | undefined,
  held: (timer: NodeJS.Timeout) => NodeJS.Timeout,
): Promise<void> {
  if (signal?.aborted) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = held(setTimeout(done, Math.min(ms, LONGEST_MS)));
    signal?.addEventListener('abort', done);
  });
}
