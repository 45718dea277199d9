/** Work by parts: at once, or so that others have their turn after each part. */
export type Parts<T> = Generator<undefined, T, undefined>;

/** @param work yields where others may have their turn */
export async function gently<T>(work: Parts<T>): Promise<T> {
  for (let next = work.next(); ; next = work.next()) {
    if (next.done === true) return next.value;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

export function atOnce<T>(work: Parts<T>): T {
  for (let next = work.next(); ; next = work.next()) if (next.done === true) return next.value;
}
