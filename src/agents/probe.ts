/** Whether a server is there: asked without a key, and without waiting long. */

/** How long a local server may take to answer. */
const PROBE_MS = 1_000;

/** @returns the status of its answer; undefined where nothing answers in time */
export async function probeServer(url: URL): Promise<number | undefined> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(PROBE_MS) });
    await answer.body?.cancel();
    return answer.status;
  } catch {
    // Not there, not http, or too slow: it cannot be worked with.
    return undefined;
  }
}
