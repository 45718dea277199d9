/**
 * Writes to stdout and waits until the text was accepted. Used for long outputs, and where an action depends on the
 * text having been read.
 */
import { safeJson } from '../../../app.ts';
import type { CliContext } from '../context.ts';
import { SCHEMA_VERSION } from '../schema-version.ts';

/** @returns false when the reader of stdout is gone */
export function deliverMail({ io }: CliContext, text: string): Promise<boolean> {
  if (io.gone.aborted) return Promise.resolve(false);
  return new Promise((resolve) => void io.stdout.write(text, (error) => resolve(!error)));
}

/** Prints `{"schemaVersion":2,"messages":[…]}` item by item, so that a list of any length needs constant memory. */
export class MessageList {
  readonly #context: CliContext;
  #count = 0;

  constructor(context: CliContext) {
    this.#context = context;
  }

  /** @returns false when the reader of stdout is gone */
  add(items: readonly object[]): Promise<boolean> {
    const text = items.map((item) => `${this.#count++ === 0 ? this.#head : ','}${safeJson(item)}`).join('');
    return deliverMail(this.#context, text);
  }

  end(): Promise<boolean> {
    return deliverMail(this.#context, `${this.#count === 0 ? this.#head : ''}]}\n`);
  }

  get #head(): string {
    return `{"schemaVersion":${SCHEMA_VERSION},"messages":[`;
  }
}
