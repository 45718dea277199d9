/** Whether a server answers: asked without a key, and with a short time limit. */

/** How long a local server may take to answer, in milliseconds. */
const PROBE_MS = 1_000;

/** @returns the status of its answer; undefined when there is no answer in time */
export async function probeServer(url: URL): Promise<number | undefined> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(PROBE_MS) });
    await answer.body?.cancel();
    return answer.status;
  } catch {
    // Not running, not HTTP, or too slow: it cannot be used.
    return undefined;
  }
}
