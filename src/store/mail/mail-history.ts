/** `<name>_history.jsonl`: mail that was used, and the memory of its last ids, for telling repetitions. */
import type { Message } from '../../model/team/message.ts';
import { lookAt, type Disk } from '../files/disk.ts';
import { Journal } from '../files/journal.ts';
import { mailIn } from './mail-lines.ts';

/** Ids that are remembered, at least. */
export const REMEMBERED = 4_096;
const TAIL = 4 * 1024 * 1024;

/** A message that was used, and its line as it came, if that has an id of its own. */
export interface UsedMessage {
  readonly message: Message;
  readonly text: string | undefined;
}

export class History {
  readonly #disk: Disk;
  readonly #journal: Journal;
  #recent: Set<string> | undefined;
  /** Those before the recent ones: when those are many enough, these are forgotten. */
  #older = new Set<string>();

  constructor(disk: Disk, path: string) {
    this.#disk = disk;
    this.#journal = new Journal(disk, path, { create: true });
  }

  /** Whether a message of this id was used, as far back as memory goes. */
  has(id: string): boolean {
    return this.#ids().has(id) || this.#older.has(id);
  }

  /** Appends messages, durably. */
  append(used: readonly UsedMessage[]): void {
    const lines = used.map(({ message, text }) => text ?? JSON.stringify(asStored(message)));
    this.#journal.appendText(lines.join('\n'), { durable: true });
    for (const { message } of used) this.#remember(message.id);
  }

  close(): void {
    this.#journal.close();
  }

  #remember(id: string): void {
    const recent = this.#ids();
    if (recent.size < REMEMBERED) {
      recent.add(id);
      return;
    }
    this.#older = recent;
    this.#recent = new Set([id]);
  }

  #ids(): Set<string> {
    return (this.#recent ??= usedIds(this.#disk, this.#journal.path));
  }
}

/** The ids of mail that was used, as far back as memory goes. */
export function usedIds(disk: Disk, path: string): Set<string> {
  const size = lookAt(disk, path)?.size ?? 0;
  const ids: string[] = [];
  for (const line of mailIn(disk, path, Math.max(0, size - TAIL))) if (line.ok) ids.push(line.message.id);
  return new Set(ids.slice(-REMEMBERED));
}

/** Whether it was handed out before is said on reading, never stored. */
function asStored(message: Message): Message {
  if (message.redelivered === undefined) return message;
  const { redelivered: _, ...stored } = message;
  return stored;
}
