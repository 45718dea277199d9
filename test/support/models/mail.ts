/** One member's mail as a plain list: what was sent, in its order, and what became of it. Used mail is no longer in it. */
import { expect } from 'vitest';
import type { Message } from '../../../src/model/team/message.ts';

interface Mail {
  readonly content: string;
  /** The reader's life in which it was sent. */
  readonly sentIn: number;
  wasHandedOut: boolean;
  /** `open`: handed out in this life. `unknown`: its acknowledgement was under way when the reader died. */
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

  /** Another reader: what was handed out before comes again, unless it was acknowledged. */
  begin(): void {
    this.#life += 1;
    for (const mail of this.#mail) if (mail.state === 'open') mail.state = 'waiting';
  }

  /** The reader gave what waits, in order, each once; only what was under way may be missing, and is used then. */
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

  /** M2: what may have been used before says so, and what cannot have been does not. */
  #judgeFlag(isFlagged: boolean, { wasHandedOut, sentIn }: Mail): void {
    if (wasHandedOut) expect(isFlagged).toBe(true);
    if (sentIn === this.#life) expect(isFlagged).toBe(false);
  }
}
