/** `<name>_history.jsonl`: mail that was used. Its last ids are remembered, to recognize repetitions. */
import { safeJson } from '../../model/text/safe-text.ts';
import type { Message } from '../../model/team/message.ts';
import { lookAt, type Disk } from '../files/disk.ts';
import { Journal } from '../files/journal.ts';
import type { InboxPaths } from '../files/paths.ts';
import { historySince } from './inbox-files.ts';
import { mailIn } from './mail-lines.ts';

/** The least number of ids that are remembered. */
const REMEMBERED = 4_096;
const TAIL = 4 * 1024 * 1024;

/** A message that was used, and its original line, if the line has its own id. */
interface UsedMessage {
  readonly message: Message;
  readonly entry: { readonly text: string | undefined };
}

export class History {
  readonly #disk: Disk;
  readonly #journal: Journal;
  #recent: Set<string> | undefined;
  /** The ids before the recent ones. When there are enough recent ids, the older ones are forgotten. */
  #older = new Set<string>();
  /** Ids that were used and may still be unacknowledged in a segment; never forgotten. */
  #left: ReadonlySet<string> = new Set<string>();
  readonly #inbox: InboxPaths;
  #size: number | undefined;

  constructor(disk: Disk, inbox: InboxPaths) {
    this.#disk = disk;
    this.#inbox = inbox;
    this.#journal = new Journal(disk, inbox.history, { create: true });
  }

  /** Whether a message with this id was used: among the ids that are remembered, and of all in open segments. */
  has(id: string): boolean {
    return this.#ids().has(id) || this.#older.has(id) || (this.#left.size > 0 && this.#left.has(id));
  }

  /** Bytes that are surely there: all that others wrote before the first look, and what this object appended. */
  get size(): number {
    return (this.#size ??= lookAt(this.#disk, this.#inbox.history)?.size ?? 0);
  }

  /** Appends messages, durably. */
  append(used: readonly UsedMessage[]): void {
    const text = used.map(({ message, entry }) => entry.text ?? safeJson(asStored(message))).join('\n');
    const before = this.size;
    this.#journal.appendText(text, { durable: true });
    this.#size = before + Buffer.byteLength(text) + 2;
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
    if (this.#recent) return this.#recent;
    this.#left = usedIds(this.#disk, this.#inbox);
    return (this.#recent = new Set([...this.#left].slice(-REMEMBERED)));
  }
}

/**
 * The ids of used mail: all that may still be unacknowledged in a segment, and the last ones before.
 *
 * @param isView only the last ones: enough to show an inbox
 */
export function usedIds(disk: Disk, inbox: InboxPaths, isView = false): Set<string> {
  const { history } = inbox;
  const size = lookAt(disk, history)?.size ?? 0;
  const since = (isView ? undefined : historySince(disk, inbox)) ?? size;
  const before: string[] = [];
  const all = new Set<string>();
  for (const line of mailIn(disk, history, Math.max(0, Math.min(since, size - TAIL)))) {
    if (!line.ok) continue;
    if (line.at < since) before.push(line.message.id);
    else all.add(line.message.id);
  }
  const room = Math.max(0, REMEMBERED - all.size);
  return new Set([...(room === 0 ? [] : before.slice(-room)), ...all]);
}

/** `redelivered` is added on reading and never stored. */
function asStored(message: Message): Message {
  if (message.redelivered === undefined) return message;
  const { redelivered: _, ...stored } = message;
  return stored;
}
