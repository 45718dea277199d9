/**
 * Rows that change, each with the number of the event that last changed it. A client missed the rows with a higher
 * number than its last event.
 */
import { asJson } from './json.ts';

interface Entry {
  readonly text: string;
  readonly number: number;
}

export class VersionedRows {
  readonly #entries = new Map<string, Entry>();

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  /** @returns whether the row changed */
  put(key: string, row: unknown, number: number): boolean {
    const text = asJson(row);
    if (this.#entries.get(key)?.text === text) return false;
    this.#entries.set(key, { text, number });
    return true;
  }

  /** The JSON of a row, if it changed after an event. */
  one(key: string, after: number): string | undefined {
    const entry = this.#entries.get(key);
    return entry !== undefined && entry.number > after ? entry.text : undefined;
  }

  /** A JSON array of the rows that changed after an event, in the order of their first appearance. */
  list(after: number): string {
    const texts: string[] = [];
    for (const { text, number } of this.#entries.values()) if (number > after) texts.push(text);
    return `[${texts.join(',')}]`;
  }
}
