/** Work by parts: at once, or so that others have their turn after each part. */
export type CooperativeWork<T> = Generator<undefined, T, undefined>;

/** @param work yields where others may have their turn */
export async function runCooperatively<T>(work: CooperativeWork<T>): Promise<T> {
  for (let next = work.next(); ; next = work.next()) {
    if (next.done === true) return next.value;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

export function runAtOnce<T>(work: CooperativeWork<T>): T {
  for (let next = work.next(); ; next = work.next()) if (next.done === true) return next.value;
}
