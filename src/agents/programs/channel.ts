/** A queue from any writers to one reader, in order, one value at a time. */

export interface Channel<T> {
  push(value: T): void;
  /** The next value, when there is one. One reader at a time. */
  next(): Promise<T>;
  /** Resolves when few enough values wait; a writer of many values must wait for it. */
  room(): Promise<void>;
}

/** Values that may wait before `room` makes the writer wait. */
const MOST = 256;

export function channel<T>(): Channel<T> {
  const waiting: T[] = [];
  let take: ((value: T) => void) | undefined;
  let gone: (() => void)[] = [];
  return {
    push(value) {
      if (take === undefined) return void waiting.push(value);
      const taker = take;
      take = undefined;
      taker(value);
    },
    next() {
      const [value] = waiting.splice(0, 1);
      if (waiting.length < MOST) for (const go of gone.splice(0)) go();
      return value === undefined ? new Promise((resolve) => (take = resolve)) : Promise.resolve(value);
    },
    async room() {
      if (waiting.length >= MOST) await new Promise<void>((resolve) => (gone = [...gone, resolve]));
    },
  };
}
