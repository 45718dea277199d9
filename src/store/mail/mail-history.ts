/** `<name>_history.jsonl`: mail that was used. Its last ids are remembered, to recognize repetitions. */
import type { Message } from '../../model/team/message.ts';
import { lookAt, type Disk } from '../files/disk.ts';
import { Journal } from '../files/journal.ts';
import { mailIn } from './mail-lines.ts';

/** The least number of ids that are remembered. */
const REMEMBERED = 4_096;
const TAIL = 4 * 1024 * 1024;

/** A message that was used, and its original line, if the line has its own id. */
interface UsedMessage {
  readonly message: Message;
  readonly text: string | undefined;
}

export class History {
  readonly #disk: Disk;
  readonly #journal: Journal;
  #recent: Set<string> | undefined;
  /** The ids before the recent ones. When there are enough recent ids, the older ones are forgotten. */
  #older = new Set<string>();

  constructor(disk: Disk, path: string) {
    this.#disk = disk;
    this.#journal = new Journal(disk, path, { create: true });
  }

  /** Whether a message with this id was used, among the ids that are remembered. */
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

/** The ids of used mail, as many as are remembered. */
export function usedIds(disk: Disk, path: string): Set<string> {
  const size = lookAt(disk, path)?.size ?? 0;
  const ids: string[] = [];
  for (const line of mailIn(disk, path, Math.max(0, size - TAIL))) if (line.ok) ids.push(line.message.id);
  return new Set(ids.slice(-REMEMBERED));
}

/** `redelivered` is added on reading and never stored. */
function asStored(message: Message): Message {
  if (message.redelivered === undefined) return message;
  const { redelivered: _, ...stored } = message;
  return stored;
}
