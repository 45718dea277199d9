/** Writing that is waited for: by whoever has much to say, and by whoever acts on its having been read. */
import { safeJson } from '../../../app.ts';
import type { CliContext } from '../context.ts';
import { SCHEMA_VERSION } from '../schema-version.ts';

/** @returns false when nobody reads stdout any more */
export function deliverMail({ io }: CliContext, text: string): Promise<boolean> {
  if (io.gone.aborted) return Promise.resolve(false);
  return new Promise((resolve) => void io.stdout.write(text, (error) => resolve(!error)));
}

/** `{"schemaVersion":2,"messages":[…]}`, written as its items come: a list of any length costs no memory. */
export class JsonList {
  readonly #context: CliContext;
  readonly #key: string;
  #count = 0;

  constructor(context: CliContext, key: string) {
    this.#context = context;
    this.#key = key;
  }

  /** @returns false when nobody reads any more */
  add(items: readonly object[]): Promise<boolean> {
    const text = items.map((item) => `${this.#count++ === 0 ? this.#head : ','}${safeJson(item)}`).join('');
    return deliverMail(this.#context, text);
  }

  end(): Promise<boolean> {
    return deliverMail(this.#context, `${this.#count === 0 ? this.#head : ''}]}\n`);
  }

  get #head(): string {
    return `{"schemaVersion":${SCHEMA_VERSION},${safeJson(this.#key)}:[`;
  }
}
