/** Work in parts: run at once, or with pauses so that other work proceeds between the parts. */
import { TimeSlices } from '../../app.ts';

export type CooperativeWork<T> = Generator<undefined, T, undefined>;

/** @param work yields after each part of less than a millisecond */
export async function runCooperatively<T>(work: CooperativeWork<T>): Promise<T> {
  const slices = new TimeSlices();
  for (let next = work.next(); ; next = work.next()) {
    if (next.done === true) return next.value;
    await slices.pause();
  }
}

export function runAtOnce<T>(work: CooperativeWork<T>): T {
  for (let next = work.next(); ; next = work.next()) if (next.done === true) return next.value;
}
