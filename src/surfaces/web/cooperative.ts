/** Work in parts: run at once, or with pauses so that other work proceeds between the parts. */
export type CooperativeWork<T> = Generator<undefined, T, undefined>;

/** @param work yields where other work may run */
export async function runCooperatively<T>(work: CooperativeWork<T>): Promise<T> {
  for (let next = work.next(); ; next = work.next()) {
    if (next.done === true) return next.value;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

export function runAtOnce<T>(work: CooperativeWork<T>): T {
  for (let next = work.next(); ; next = work.next()) if (next.done === true) return next.value;
}
