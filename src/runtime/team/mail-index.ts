/**
 * An index of all mail of a team, for search. It reads acknowledged mail from where it stopped, and unread mail again
 * when it has changed. It takes no mail, and yields to other work of the process while it reads.
 */
import type { Message } from '../../model/team/message.ts';
import { LEAD, type Name } from '../../model/text/names.ts';
import { safeText } from '../../model/text/safe-text.ts';
import { waitingMark } from '../../store/mail/inbox-view.ts';
import { mailIn } from '../../store/mail/mail-lines.ts';
import type { TeamReader } from '../../store/team/team-reader.ts';
import { TimeSlices } from '../process/time-slices.ts';
import { mailOf } from '../views/follow.ts';

export interface MailRow {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly from: string;
  readonly to: string;
  /** `message`, or the kind that its sender gave: `question`, `task_completed` … */
  readonly kind: string;
  readonly task: string | null;
  readonly text: string;
  readonly isWaiting: boolean;
}

export interface MailWanted {
  /** The owner of the inbox; all inboxes if undefined. */
  readonly member?: string | undefined;
  /** Text that the message contains, in upper or lower case. */
  readonly text?: string | undefined;
  /** Milliseconds since 1970: what was sent later is left out. */
  readonly until?: number | undefined;
  /** Rows to skip, from the newest. */
  readonly skip: number;
  readonly count: number;
}

/** Characters of a message that are kept and searched; its file has the whole message. */
const KEPT = 4_000;
/** Messages that are read at once. */
const PORTION = 20;

interface Shelf {
  offset: number;
  readonly read: MailRow[];
  readonly ids: Set<string>;
  mark: string;
  waiting: MailRow[];
}

export class MailIndex {
  readonly #store: TeamReader;
  readonly #shelves = new Map<Name, Shelf>();
  #newestFirst: readonly MailRow[] = [];
  #reading: Promise<void> | undefined;

  constructor(store: TeamReader) {
    this.#store = store;
  }

  /** @returns the wanted rows, newest first, and how many there are in all */
  async page({
    member,
    text = '',
    until = Infinity,
    skip,
    count,
  }: MailWanted): Promise<{ total: number; rows: readonly MailRow[] }> {
    await (this.#reading ??= this.#readOn().finally(() => (this.#reading = undefined)));
    const words = text.toLowerCase();
    const isWanted = (row: MailRow): boolean =>
      row.at <= until && (member === undefined || row.to === member) && (words === '' || wordsOf(row).includes(words));
    const isAll = member === undefined && words === '' && until === Infinity;
    const found = isAll ? this.#newestFirst : this.#newestFirst.filter(isWanted);
    return { total: found.length, rows: found.slice(skip, skip + count) };
  }

  async #readOn(): Promise<void> {
    let isNew = false;
    for (const name of [LEAD, ...this.#store.board.fold().members.keys()]) {
      const shelf = this.#shelves.get(name) ?? { offset: 0, read: [], ids: new Set(), mark: '', waiting: [] };
      this.#shelves.set(name, shelf);
      isNew = (await this.#readHistory(name, shelf)) || isNew;
      isNew = (await this.#readWaiting(name, shelf)) || isNew;
    }
    if (!isNew) return;
    const all = [...this.#shelves.values()].flatMap(({ read, waiting }) => [...waiting, ...read]);
    this.#newestFirst = all.sort((one, other) => other.at - one.at);
  }

  async #readHistory(name: Name, shelf: Shelf): Promise<boolean> {
    const { disk, paths } = this.#store;
    const before = shelf.read.length;
    const lines = mailIn(disk, paths.inbox(name).history, shelf.offset);
    let next = lines.next();
    const slices = new TimeSlices();
    for (let count = 1; next.done !== true; next = lines.next(), count += 1) {
      const line = next.value;
      if (line.ok && !shelf.ids.has(line.message.id)) {
        shelf.ids.add(line.message.id);
        shelf.read.push(rowOf(line.message, name, false));
      }
      if (count % PORTION === 0) await slices.pause();
    }
    shelf.offset = next.value;
    return shelf.read.length > before;
  }

  async #readWaiting(name: Name, shelf: Shelf): Promise<boolean> {
    const { disk, paths } = this.#store;
    const mark = waitingMark(disk, paths.inbox(name));
    if (mark === shelf.mark) return false;
    const waiting: MailRow[] = [];
    let count = 0;
    const slices = new TimeSlices();
    for (const message of mailOf(this.#store, name)) {
      if (!shelf.ids.has(message.id)) waiting.push(rowOf(message, name, true));
      if ((count += 1) % PORTION === 0) await slices.pause();
    }
    [shelf.mark, shelf.waiting] = [mark, waiting];
    return true;
  }
}

const rowOf = (message: Message, to: Name, isWaiting: boolean): MailRow => ({
  id: message.id,
  at: message.timestamp * 1_000,
  from: safeText(message.sender),
  to,
  isWaiting,
  kind: safeText(message.kind ?? message.type),
  task: message.task_id ?? null,
  text: safeText(message.content.slice(0, KEPT)),
});

const wordsOf = ({ from, to, kind, text }: MailRow): string => `${from}\n${to}\n${kind}\n${text}`.toLowerCase();
