/** One member's mail as a plain list: what was sent, in order, and its state. Used mail is removed. */
import { expect } from 'vitest';
import type { Message } from '../../../src/model/team/message.ts';

interface Mail {
  readonly content: string;
  /** The reader's incarnation in which it was sent. */
  readonly sentIn: number;
  wasHandedOut: boolean;
  /** `open`: delivered in this incarnation. `unknown`: the reader died during its acknowledgement. */
  state: 'waiting' | 'open' | 'unknown';
}

export class PlainMail {
  #mail: Mail[] = [];
  #life = 0;

  get size(): number {
    return this.#mail.length;
  }

  remember(contents: readonly string[]): void {
    const sentIn = this.#life;
    for (const content of contents) this.#mail.push({ content, sentIn, wasHandedOut: false, state: 'waiting' });
  }

  /** Another reader: delivered mail comes again unless it was acknowledged. */
  begin(): void {
    this.#life += 1;
    for (const mail of this.#mail) if (mail.state === 'open') mail.state = 'waiting';
  }

  /**
   * The reader returned the waiting mail, in order, each once. Only mail with an interrupted acknowledgement may be
   * missing, and counts as used then.
   */
  compare(got: readonly Message[], max: number): void {
    let at = 0;
    const used = new Set<Mail>();
    for (const mail of this.#mail.filter(({ state }) => state !== 'open')) {
      if (at >= max) break;
      const message = got[at];
      if (message?.content !== mail.content && mail.state === 'unknown') used.add(mail);
      else {
        expect(message?.content).toBe(mail.content);
        this.#judgeFlag(message?.redelivered === true, mail);
        Object.assign(mail, { state: 'open', wasHandedOut: true });
        at += 1;
      }
    }
    expect(got.slice(at), 'never sent, or twice').toEqual([]);
    this.#mail = this.#mail.filter((mail) => !used.has(mail));
  }

  acknowledged(contents: ReadonlySet<string>): void {
    this.#mail = this.#mail.filter((mail) => !contents.has(mail.content));
  }

  /** The reader died while it acknowledged these. */
  doubted(contents: ReadonlySet<string>): void {
    for (const mail of this.#mail) if (contents.has(mail.content)) mail.state = 'unknown';
  }

  /** M2: mail that may have been used before is marked so, and other mail is not. */
  #judgeFlag(isFlagged: boolean, { wasHandedOut, sentIn }: Mail): void {
    if (wasHandedOut) expect(isFlagged).toBe(true);
    if (sentIn === this.#life) expect(isFlagged).toBe(false);
  }
}
