/**
 * A member's incoming mail: taken as it comes, also in mid-turn. Control mail acts at once and is acknowledged; mail
 * that needs no thought never costs a turn; the rest waits for the agent's next turn and is acknowledged after it.
 */
import { judgeReceived, type Message } from '../../model/team/message.ts';
import type { Name } from '../../model/text/names.ts';
import { isIdleNotice, superseded } from '../../policy/supervise/superseded-mail.ts';
import { storedLine } from '../../store/mail/mail-lines.ts';
import { Reader } from '../../store/mail/reader.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import { watchFile, type FileWatch } from '../../store/files/watch-file.ts';

export interface MailroomEnvironment {
  readonly store: TeamStore;
  readonly member: Name;
  readonly isCurrent: () => boolean;
  /** Carries out control mail and answers what needs no thought; true when the message is used up by that. */
  readonly handle: (message: Message) => Promise<boolean>;
  /** Called after mail arrived, and at each re-look. */
  readonly onLook: () => void;
  /** Between two takes: who is in no hurry takes more at once, and leaves fewer segments. */
  readonly gapMs?: number;
  /** Told when the inbox cannot be read; the next look tries again. */
  readonly onTrouble: (error: unknown) => void;
}

/** Mail that no watcher told of is seen within this time. */
const RELOOK_MS = 1_000;
/** Taken at once, so that a full inbox stays on disk. */
const BATCH = 1_000;

export class Mailroom {
  readonly #environment: MailroomEnvironment;
  readonly #reader: Reader;
  readonly #waiting: Message[] = [];
  readonly #watched: FileWatch;
  readonly #timer: NodeJS.Timeout;
  #looking: Promise<void> | undefined;
  #isRung = false;
  readonly #closing = new AbortController();

  constructor(environment: MailroomEnvironment) {
    const { store, member, isCurrent } = environment;
    this.#environment = environment;
    const onBad = (why: string): void => void store.events.append({ type: 'mail.set_aside', member, text: why });
    this.#reader = new Reader(store.paths, member, {
      disk: store.disk,
      clock: store.clock,
      locks: store.locks,
      pinned: store.pinned,
      isCurrent,
      onBad,
    });
    const onTrouble = (why: string): void => void store.events.append({ type: 'watch.lost', member, text: why });
    this.#watched = watchFile(store.disk, store.paths.inbox(member).bell, () => void this.look(), onTrouble);
    this.#timer = setInterval(() => void this.#relook(), RELOOK_MS);
  }

  /** Mail for the agent that waits for a turn. */
  get waiting(): readonly Message[] {
    return this.#waiting;
  }

  /** Looks now; a look that is under way is followed by another. */
  look(): Promise<void> {
    this.#isRung = true;
    this.#looking ??= this.#lookUntilQuiet().finally(() => (this.#looking = undefined));
    return this.#looking;
  }

  /** Takes the waiting mail for a turn; it is acknowledged by {@link used} after the turn, or comes again. */
  forTurn(max = Number.POSITIVE_INFINITY): Message[] {
    return this.#waiting.splice(0, max);
  }

  /** Done with the waiting mail that nobody needs any more. */
  drop(isOver: (message: Message) => boolean): void {
    const over = this.#waiting.filter(isOver);
    if (over.length === 0) return;
    this.#waiting.splice(0, this.#waiting.length, ...this.#waiting.filter((message) => !over.includes(message)));
    this.#reader.acknowledge(over);
  }

  /** The turn could not be held: the mail waits for the next. */
  putBack(messages: readonly Message[]): void {
    this.#waiting.unshift(...messages);
  }

  used(messages: readonly Message[]): void {
    this.#reader.acknowledge(messages);
  }

  /** @param options.last takes once more what came until now: the farewells of those who have just left */
  async close({ last = false }: { last?: boolean } = {}): Promise<void> {
    this.#closing.abort();
    clearInterval(this.#timer);
    this.#watched.close();
    await this.#looking;
    try {
      while (last && (await this.#receive()) === 'more');
    } catch (error) {
      this.#environment.onTrouble(error);
    }
    this.#reader.close();
  }

  async #lookUntilQuiet(): Promise<void> {
    const { store, gapMs = 0 } = this.#environment;
    while (this.#isRung && !this.#closing.signal.aborted) {
      this.#isRung = false;
      try {
        const received = await this.#receive();
        if (received === 'more') {
          // Between two batches others get their turn: a team may end while somebody floods its member's inbox.
          this.#isRung = true;
          await new Promise((resolve) => setImmediate(resolve));
        } else if (received === 'some' && gapMs > 0) await store.clock.sleep(gapMs, this.#closing.signal);
      } catch (error) {
        this.#environment.onTrouble(error);
      }
      this.#environment.onLook();
    }
  }

  /** One batch. @returns whether there was any mail, and whether there may be more */
  async #receive(): Promise<'none' | 'some' | 'more'> {
    const messages = await this.#reader.take(BATCH);
    const done: Message[] = [];
    for (const message of messages)
      if (await this.#environment.handle(this.#judged(message))) done.push(message);
      else this.#waiting.push(message);
    this.#reader.acknowledge(done);
    if (messages.some(isIdleNotice)) {
      const over = superseded(this.#waiting);
      this.drop(({ id }) => over.has(id));
    }
    if (messages.length === BATCH) return 'more';
    return messages.length === 0 ? 'none' : 'some';
  }

  /** The role × type table once more, at the receiving end. */
  #judged(message: Message): Message {
    const { store, member } = this.#environment;
    const { type, denied } = judgeReceived(storedLine(message), member);
    if (denied !== undefined) store.events.append({ type: 'message.denied', member, text: `${denied}: ${message.id}` });
    return { ...message, type };
  }

  async #relook(): Promise<void> {
    try {
      this.#watched.check();
      this.#reader.tidy();
    } catch (error) {
      this.#environment.onTrouble(error);
    }
    await this.look();
  }
}
