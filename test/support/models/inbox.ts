/** One member's inbox next to a plain list of its mail: each command does the same to both and compares (M1–M6, M9). */
import { appendFileSync, existsSync } from 'node:fs';
import { expect } from 'vitest';
import { LEAD, type Name } from '../../../src/model/text/names.ts';
import type { Message } from '../../../src/model/team/message.ts';
import { createBell, removeBell } from '../../../src/store/mail/bell.ts';
import { realDisk } from '../../../src/store/files/disk.ts';
import { measureWaiting, segmentsOf } from '../../../src/store/mail/inbox-files.ts';
import { Locks } from '../../../src/store/lock/lock.ts';
import type { InboxPaths, TeamPaths } from '../../../src/store/files/paths.ts';
import { KEEP_MS, Reader } from '../../../src/store/mail/reader.ts';
import type { Sender } from '../../../src/store/mail/sender.ts';
import { FakeClock } from '../clock.ts';
import { senderOf } from '../team.ts';
import { PlainMail } from './mail.ts';
import { Died, mortal, type Mortal } from './mortal.ts';

const QUOTA = { inboxMaxMessages: 12, inboxMaxBytes: 2 ** 30 };

interface Life {
  readonly reader: Reader;
  readonly mortal: Mortal;
  isCurrent: boolean;
}

/** One member's mail, in the store and in the model. */
export class ModelledInbox {
  readonly box: InboxPaths;
  readonly #paths: TeamPaths;
  readonly #member: Name;
  readonly #clock = new FakeClock();
  readonly #senders: ReturnType<typeof senderOf>[];
  readonly #lives: Life[] = [];
  readonly #mail = new PlainMail();
  /** Delivered in this incarnation and not acknowledged, as the reader returned it. */
  #held: Message[] = [];
  #isMember = true;
  #sent = 0;

  constructor(paths: TeamPaths, member: Name) {
    this.#paths = paths;
    this.#member = member;
    this.box = paths.inbox(member);
    const { disk } = mortal();
    this.#senders = [0, 1].map(() => senderOf(paths, { disk, clock: this.#clock, quota: QUOTA }));
    createBell(realDisk, this.box.bell);
    this.#open();
  }

  /** Several at once, of which the last ones may be over the quota (M5), or all to an unknown recipient (M6). */
  async send(by: number, times: number): Promise<void> {
    const { sender } = this.#senders[by] ?? this.#senders[0] ?? fail('sender');
    const room = this.#isMember ? QUOTA.inboxMaxMessages - measureWaiting(realDisk, this.box).messages : 0;
    const existed = existsSync(this.box.inbox);
    const contents = Array.from({ length: times }, () => this.#next());
    const outcomes = await this.#deliver(sender, contents);
    const refusal = this.#isMember ? 'QUOTA' : 'UNKNOWN_RECIPIENT';
    expect(outcomes).toEqual(contents.map((_, at) => (at < room ? 'sent' : refusal)));
    if (!this.#isMember) expect(existsSync(this.box.inbox)).toBe(existed);
    this.#mail.remember(contents.slice(0, Math.max(0, room)));
  }

  /** Control mail passes a full inbox (M9). */
  async shutDown(): Promise<void> {
    const content = this.#next();
    const draft = { type: 'shutdown_request', content } as const;
    const sent = this.#senders[0]?.sender.send({ sender: LEAD, recipient: this.#member, draft });
    if (!this.#isMember) return expect(sent).rejects.toMatchObject({ code: 'UNKNOWN_RECIPIENT' });
    await sent;
    this.#mail.remember([content]);
  }

  /** A write of a program without a lock; behind a torn record its own is delivered all the same. */
  foreign(isTorn: boolean): void {
    const content = this.#next();
    const line = JSON.stringify({ type: 'message', sender: 'py', content, timestamp: 1 });
    appendFileSync(this.box.inbox, isTorn ? line.slice(0, 20) : `${line}\n`);
    if (!isTorn) this.#mail.remember([content]);
  }

  membership(isMember: boolean): void {
    if (isMember) createBell(realDisk, this.box.bell);
    else removeBell(realDisk, this.box.bell);
    this.#isMember = isMember;
  }

  async take(max: number): Promise<void> {
    this.#compare(await this.#life.reader.take(max), max);
  }

  /** @param picks which of the held messages, each by a number */
  acknowledge(picks: readonly number[]): void {
    const chosen = this.#chosen(picks);
    this.#life.reader.acknowledge(chosen);
    this.#settle(chosen, true);
  }

  /** The reader dies at the n-th file call of a take or of an acknowledgement, and a new one opens. */
  async crash(at: number, during: 'take' | 'acknowledge', picks: readonly number[]): Promise<void> {
    const { reader, mortal: life } = this.#life;
    const chosen = during === 'acknowledge' ? this.#chosen(picks) : [];
    life.dieAt(at);
    try {
      const taken = during === 'take' ? await reader.take() : undefined;
      reader.acknowledge(chosen);
      if (taken && !life.isDead()) this.#compare(taken, Number.POSITIVE_INFINITY);
    } catch (error) {
      if (!(error instanceof Died)) throw error;
    }
    this.#settle(chosen, !life.isDead());
    life.end();
    this.#open();
  }

  /** A new process of the member while the old one still runs: the old one takes and acknowledges nothing any more. */
  async replace(): Promise<void> {
    const before = this.#life;
    const held = this.#held;
    before.isCurrent = false;
    this.#open();
    const stale: unknown = expect.objectContaining({ code: 'STALE_CLAIM' });
    const taken: unknown = await before.reader.take().catch((error: unknown) => error);
    expect([[], stale]).toContainEqual(taken);
    if (held.length > 0)
      expect(() => before.reader.acknowledge(held)).toThrow(expect.objectContaining({ code: 'STALE_CLAIM' }));
  }

  tidy(): void {
    this.#clock.advance(KEEP_MS + 1);
    this.#life.reader.tidy();
  }

  /** At the end all mail is there, is acknowledged, and leaves nothing (V1). */
  async finish(): Promise<void> {
    this.#life.isCurrent = false;
    this.#open();
    await this.take(Number.POSITIVE_INFINITY);
    this.acknowledge(this.#held.map((_, at) => at));
    for (let again = 0; again < 2; again += 1) this.tidy();
    expect({ mail: this.#mail.size, segments: segmentsOf(realDisk, this.box) }).toEqual({ mail: 0, segments: [] });
  }

  close(): void {
    for (const { close } of this.#senders) close();
    for (const { mortal: life } of this.#lives) life.end();
    const locks = new Locks(this.#paths.tokens, { disk: realDisk, clock: this.#clock });
    locks.sweep([this.#paths.folder]);
    locks.close();
  }

  get #life(): Life {
    return this.#lives.at(-1) ?? fail('life');
  }

  #open(): void {
    this.#mail.begin();
    this.#held = [];
    const life = mortal();
    const { disk, identity } = life;
    const clock = this.#clock;
    const locks = new Locks(this.#paths.tokens, { disk, clock, identity });
    const entry = { mortal: life, isCurrent: true };
    const reader = new Reader(this.#paths, this.#member, { disk, clock, locks, isCurrent: () => entry.isCurrent });
    this.#lives.push(Object.assign(entry, { reader }));
  }

  #next(): string {
    this.#sent += 1;
    return `${this.#member} ${this.#sent}`;
  }

  async #deliver(sender: Sender, contents: readonly string[]): Promise<string[]> {
    const sends = contents.map((content) =>
      sender.send({ sender: 'bob', recipient: this.#member, draft: { type: 'message', content } }),
    );
    const settled = await Promise.allSettled(sends);
    return settled.map((one) => (one.status === 'fulfilled' ? 'sent' : (one.reason as { code: string }).code));
  }

  #chosen(picks: readonly number[]): Message[] {
    return this.#held.filter((_, at) => picks.includes(at));
  }

  #compare(got: readonly Message[], max: number): void {
    this.#mail.compare(got, max);
    this.#held.push(...got);
  }

  #settle(chosen: readonly Message[], isSure: boolean): void {
    const contents = new Set(chosen.map(({ content }) => content));
    this.#held = this.#held.filter(({ content }) => !contents.has(content));
    if (isSure) this.#mail.acknowledged(contents);
    else this.#mail.doubted(contents);
  }
}

function fail(what: string): never {
  throw new Error(`There is no ${what}.`);
}
