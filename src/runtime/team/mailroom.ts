/**
 * A member's incoming mail: taken as it comes, also during a turn. Control mail takes effect at once and is
 * acknowledged. Mail that needs no agent never costs a turn. The rest waits for the agent's next turn and is
 * acknowledged after it.
 */
import { judgeReceived, type Message } from '../../model/team/message.ts';
import type { Name } from '../../model/text/names.ts';
import { isIdleNotice, superseded } from '../../policy/supervise/superseded-mail.ts';
import { storedLine } from '../../store/mail/mail-lines.ts';
import { MailWatch } from '../../store/mail/mail-watch.ts';
import { Reader } from '../../store/mail/reader.ts';
import type { TeamStore } from '../../store/team/team-store.ts';

interface MailroomEnvironment {
  readonly store: TeamStore;
  readonly member: Name;
  readonly isCurrent: () => boolean;
  /**
   * Carries out control mail and answers what needs no agent.
   *
   * @returns true if the message is used up by that
   */
  readonly handle: (message: Message) => Promise<boolean>;
  /** Called after mail arrived, and at each periodic look. */
  readonly onLook: () => void;
  /** Milliseconds between two takes. A longer gap takes more at once and leaves fewer segments. */
  readonly gapMs?: number;
  /** Whether the member has nothing to do but to wait; then it looks less often, and is woken as before. */
  readonly mayRest?: () => boolean;
  /** Whether a member that rests may have something to do beside its mail. */
  readonly hasNews?: () => boolean;
  /** Called when the inbox cannot be read; the next look tries again. */
  readonly onTrouble: (error: unknown) => void;
}

/** Messages that are taken at once; the rest of a full inbox stays on disk. */
const BATCH = 1_000;

export class Mailroom {
  readonly #environment: MailroomEnvironment;
  readonly #reader: Reader;
  readonly #waiting: Message[] = [];
  readonly #watch: MailWatch;
  #looking: Promise<void> | undefined;
  #isRung = false;
  readonly #closing = new AbortController();

  constructor(environment: MailroomEnvironment) {
    const { store, member, isCurrent, mayRest, hasNews, onTrouble } = environment;
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
    const onLost = (why: string): void => void store.events.append({ type: 'watch.lost', member, text: why });
    const { disk, paths } = store;
    const [inbox, reader] = [paths.inbox(member), this.#reader];
    const onLook = (): void => void this.look();
    this.#watch = new MailWatch({ disk, inbox, reader, mayRest, hasNews, onLook, onLost, onTrouble });
  }

  /** Mail that waits for the agent's next turn. */
  get waiting(): readonly Message[] {
    return this.#waiting;
  }

  /** Looks now; if a look is running, another one follows. */
  look(): Promise<void> {
    this.#isRung = true;
    this.#looking ??= this.#lookUntilQuiet().finally(() => (this.#looking = undefined));
    return this.#looking;
  }

  /** At each heartbeat of the process. */
  beat(): void {
    if (!this.#closing.signal.aborted) this.#watch.beat();
  }

  /** Hands the waiting mail to a turn. {@link used} acknowledges it after the turn; otherwise it is delivered again. */
  forTurn(max = Number.POSITIVE_INFINITY): Message[] {
    return this.#waiting.splice(0, max);
  }

  /** Acknowledges and drops waiting mail that is over. */
  drop(isOver: (message: Message) => boolean): void {
    const over = this.#waiting.filter(isOver);
    if (over.length === 0) return;
    this.#waiting.splice(0, this.#waiting.length, ...this.#waiting.filter((message) => !over.includes(message)));
    this.#reader.acknowledge(over);
  }

  /** The turn could not take place: the mail waits for the next one. */
  putBack(messages: readonly Message[]): void {
    this.#waiting.unshift(...messages);
  }

  used(messages: readonly Message[]): void {
    this.#reader.acknowledge(messages);
  }

  /** @param options.last takes once more what has come so far: the last mail of members that have just left */
  async close({ last = false }: { last?: boolean } = {}): Promise<void> {
    this.#closing.abort();
    this.#watch.close();
    await this.#looking;
    try {
      while (last && (await this.#receive()) === 'more');
    } catch (error) {
      this.#environment.onTrouble(error);
    } finally {
      this.#reader.close();
    }
  }

  async #lookUntilQuiet(): Promise<void> {
    const { store, gapMs = 0 } = this.#environment;
    while (this.#isRung && !this.#closing.signal.aborted) {
      this.#isRung = false;
      try {
        const received = await this.#receive();
        if (received === 'more' || (received === 'some' && this.#prepareNext())) {
          this.#isRung = true;
          // Yield between two batches, so that a team can end while its member's inbox is flooded.
          await new Promise((resolve) => setImmediate(resolve));
        }
        if (received === 'some' && gapMs > 0) await store.clock.sleep(gapMs, this.#closing.signal);
      } catch (error) {
        this.#environment.onTrouble(error);
      }
      this.#environment.onLook();
    }
  }

  /**
   * Makes the next inbox file. Its sender need not: that may take ext4 longer than the rest of a delivery.
   *
   * @returns whether there is mail in it already
   */
  #prepareNext(): boolean {
    return !this.#closing.signal.aborted && this.#reader.makeInbox();
  }

  /**
   * Receives one batch.
   *
   * @returns whether there was mail, and whether there may be more
   */
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

  /** Applies the role × type table again at the receiver. */
  #judged(message: Message): Message {
    // Everybody may send this type to everybody.
    if (message.type === 'message') return message;
    const { store, member } = this.#environment;
    const { type, denied } = judgeReceived(storedLine(message), member);
    if (denied !== undefined) store.events.append({ type: 'message.denied', member, text: `${denied}: ${message.id}` });
    return type === message.type ? message : { ...message, type };
  }
}
