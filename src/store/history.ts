/** `<name>_history.jsonl`: mail that was used, and the memory of its last ids, for telling repetitions. */
import type { Message } from '../model/message.ts';
import { lookAt, type Disk } from './disk.ts';
import { Journal } from './journal.ts';
import { mailIn } from './mail-lines.ts';

/** Ids that are remembered. */
export const REMEMBERED = 4_096;
const TAIL = 4 * 1024 * 1024;

export class History {
  readonly #disk: Disk;
  readonly #journal: Journal;
  #recent: Set<string> | undefined;

  constructor(disk: Disk, path: string) {
    this.#disk = disk;
    this.#journal = new Journal(disk, path, { create: true });
  }

  /** Whether a message of this id was used, as far back as memory goes. */
  has(id: string): boolean {
    return this.#ids().has(id);
  }

  /** Appends messages, durably. */
  append(messages: readonly Message[]): void {
    const text = messages.map((message) => JSON.stringify(asStored(message))).join('\n');
    this.#journal.appendText(text, { durable: true });
    const ids = this.#ids();
    for (const { id } of messages) ids.add(id);
    if (ids.size > 2 * REMEMBERED) this.#recent = new Set([...ids].slice(-REMEMBERED));
  }

  close(): void {
    this.#journal.close();
  }

  #ids(): Set<string> {
    return (this.#recent ??= this.#load());
  }

  #load(): Set<string> {
    const { path } = this.#journal;
    const size = lookAt(this.#disk, path)?.size ?? 0;
    const ids: string[] = [];
    for (const line of mailIn(this.#disk, path, Math.max(0, size - TAIL))) if (line.ok) ids.push(line.message.id);
    return new Set(ids.slice(-REMEMBERED));
  }
}

/** Whether it was handed out before is said on reading, never stored. */
function asStored(message: Message): Message {
  if (message.redelivered === undefined) return message;
  const { redelivered: _, ...stored } = message;
  return stored;
}
