/** Writing that is waited for: by whoever has much to say, and by whoever acts on its having been read. */
import { safeJson } from '../../../index.ts';
import type { Frame } from '../context.ts';

/** @returns false when nobody reads stdout any more */
export function delivered({ outside }: Frame, text: string): Promise<boolean> {
  if (outside.gone.aborted) return Promise.resolve(false);
  return new Promise((resolve) => void outside.stdout.write(text, (error) => resolve(!error)));
}

/** `{"schemaVersion":1,"messages":[…]}`, written as its items come: a list of any length costs no memory. */
export class JsonList {
  readonly #frame: Frame;
  readonly #key: string;
  #count = 0;

  constructor(frame: Frame, key: string) {
    this.#frame = frame;
    this.#key = key;
  }

  /** @returns false when nobody reads any more */
  add(items: readonly object[]): Promise<boolean> {
    const text = items.map((item) => `${this.#count++ === 0 ? this.#head : ','}${safeJson(item)}`).join('');
    return delivered(this.#frame, text);
  }

  end(): Promise<boolean> {
    return delivered(this.#frame, `${this.#count === 0 ? this.#head : ''}]}\n`);
  }

  get #head(): string {
    return `{"schemaVersion":1,${safeJson(this.#key)}:[`;
  }
}
