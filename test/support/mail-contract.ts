/**
 * `MAIL_CONTRACT`: what holds for the mail of a team wherever the team is, as a table of cases. It runs on files
 * (test/store/mail/mail-contract.test.ts) and in a store, where the mail is sent on one machine and read on another
 * (test/runtime/relay/mail-contract.test.ts).
 */
import { expect } from 'vitest';
import { INLINE_BYTES, type Draft, type Message } from '../../src/model/team/message.ts';
import { readFileSync } from 'node:fs';
import { Reader } from '../../src/store/mail/reader.ts';
import { realDisk } from '../../src/store/files/disk.ts';
import { pastMail, waitingMail } from '../../src/store/mail/inbox-view.ts';
import type { TeamStore } from '../../src/store/team/team-store.ts';
import { name } from './team.ts';

/** A team with the members `ada` and `bob`, as its senders and its reader have it open. */
export interface MailPlace {
  readonly sending: TeamStore;
  readonly reading: TeamStore;
}

interface MailCase {
  readonly what: string;
  readonly holds: (mail: TeamMail) => Promise<void>;
}

const ada = name('ada');
const PATIENCE = { timeout: 20_000, interval: 10 };

/** Sends to `ada`, and reads her mail. */
export class TeamMail {
  readonly #place: MailPlace;
  readonly #readers: Reader[] = [];

  constructor(place: MailPlace) {
    this.#place = place;
  }

  say(content: string, from = 'bob', draft: Partial<Draft> = {}, id?: string) {
    const { sender } = this.#place.sending;
    const known = id === undefined ? {} : { id };
    return sender.send({ sender: from, recipient: ada, ...known, draft: { type: 'message', content, ...draft } });
  }

  /** A process of hers. @param isCurrent false once another one has taken over */
  reader(isCurrent = (): boolean => true): Reader {
    const { disk, clock, locks, paths, pinned } = this.#place.reading;
    const reader = new Reader(paths, ada, { disk, clock, locks, pinned, isCurrent });
    this.#readers.push(reader);
    return reader;
  }

  waiting = (): string[] => contents(waitingMail(realDisk, this.#place.reading.paths.inbox(ada)));
  used = (): string[] => contents(pastMail(realDisk, this.#place.reading.paths.inbox(ada)));

  /** Waits until it is in her inbox: in a store it is on its way when a send has returned. */
  async comes(...content: readonly string[]): Promise<void> {
    await expect.poll(this.waiting, PATIENCE).toEqual(content);
  }

  blob(hash: string): string {
    return readFileSync(this.#place.reading.paths.blob(hash), 'utf8');
  }

  send(to: string, content: string) {
    const { sender } = this.#place.sending;
    return sender.send({ sender: 'bob', recipient: name(to), draft: { type: 'message', content } });
  }

  close(): void {
    for (const reader of this.#readers) reader.close();
  }
}

const contents = (mail: Iterable<{ content: string }>): string[] => [...mail].map(({ content }) => content);
const marked = (mail: readonly Message[]): unknown[] => mail.map(({ content, redelivered }) => [content, redelivered]);
const numbers = (count: number): string[] => Array.from({ length: count }, (_, n) => String(n));

export const MAIL_CONTRACT: readonly MailCase[] = [
  {
    what: 'is read with all that its sender gave, under the id of its receipt',
    async holds(mail) {
      const { id } = await mail.say('hello', 'bob', { kind: 'question', data: { n: 1 } });
      await mail.comes('hello');
      expect(await mail.reader().take()).toEqual([
        expect.objectContaining({
          id,
          sender: 'bob',
          recipient: 'ada',
          content: 'hello',
          kind: 'question',
          data: { n: 1 },
        }),
      ]);
    },
  },
  {
    what: 'is handed out in the order in which it was sent, within a tick and one after the other',
    async holds(mail) {
      await Promise.all(numbers(20).map((n) => mail.say(n)));
      for (const n of ['20', '21']) await mail.say(n);
      await mail.comes(...numbers(22));
      const reader = mail.reader();
      expect(contents([...(await reader.take(5)), ...(await reader.take())])).toEqual(numbers(22));
      expect([reader.hasMore(), await reader.take()]).toEqual([false, []]);
    },
  },
  {
    what: 'of many senders at once is there once each, in the order of each sender',
    async holds(mail) {
      const senders = numbers(8).map((n) => `s${n}`);
      const sent = senders.map(async (from) => {
        for (const n of numbers(20)) await mail.say(n, from);
      });
      await Promise.all(sent);
      await expect.poll(() => mail.waiting().length, PATIENCE).toBe(160);
      const taken = await mail.reader().take();
      for (const from of senders) expect(contents(taken.filter(({ sender }) => sender === from))).toEqual(numbers(20));
    },
  },
  {
    what: 'with a long body has its beginning in the inbox, and all of it in a file',
    async holds(mail) {
      const content = `${'x'.repeat(4_095)}😀${'ü'.repeat(INLINE_BYTES / 2)}`;
      await mail.say(content);
      await expect.poll(() => mail.waiting().length, PATIENCE).toBe(1);
      const [message] = await mail.reader().take();
      expect(content.startsWith((message?.content ?? '').slice(0, 100))).toBe(true);
      expect(message?.content.length).toBeLessThan(5_000);
      expect(mail.blob(message?.blob ?? '')).toBe(content);
    },
  },
  {
    what: 'that was sent twice under one id is handed out once',
    async holds(mail) {
      const id = 'twice';
      await mail.say('a', 'bob', {}, id);
      await mail.say('b');
      await mail.say('a', 'bob', {}, id);
      await mail.say('c');
      await expect.poll(() => mail.waiting().at(-1), PATIENCE).toBe('c');
      expect(contents(await mail.reader().take())).toEqual(['a', 'b', 'c']);
    },
  },
  {
    what: 'that was acknowledged is gone, also for the next process, and is in the history once',
    async holds(mail) {
      for (const n of ['a', 'b', 'c']) await mail.say(n);
      await mail.comes('a', 'b', 'c');
      const reader = mail.reader();
      const taken = await reader.take();
      reader.acknowledge(taken.slice(0, 2));
      reader.acknowledge(taken.slice(0, 2));
      expect(mail.used()).toEqual(['a', 'b']);
      await mail.comes('c');
      expect(contents(await mail.reader().take())).toEqual(['c']);
    },
  },
  {
    what: 'that was not acknowledged is given to the next process, marked as redelivered; new mail is not',
    async holds(mail) {
      for (const n of ['a', 'b']) await mail.say(n);
      await mail.comes('a', 'b');
      await mail.reader().take();
      const second = mail.reader();
      const again = await second.take();
      expect(marked(again)).toEqual([
        ['a', true],
        ['b', true],
      ]);
      second.acknowledge(again);
      await mail.say('c');
      await mail.comes('c');
      expect(marked(await mail.reader().take())).toEqual([['c', undefined]]);
    },
  },
  {
    what: 'is handed out once by two takes at the same time',
    async holds(mail) {
      for (const n of numbers(20)) await mail.say(n);
      await mail.comes(...numbers(20));
      const reader = mail.reader();
      const [one, two] = await Promise.all([reader.take(15), reader.take(15)]);
      expect([...contents(one), ...contents(two)]).toEqual(numbers(20));
    },
  },
  {
    what: 'is neither taken nor acknowledged by a process that was replaced',
    async holds(mail) {
      await mail.say('a');
      await mail.comes('a');
      let isCurrent = true;
      const stale = mail.reader(() => isCurrent);
      const taken = await stale.take();
      isCurrent = false;
      await mail.say('b');
      await mail.comes('a', 'b');
      await expect(stale.take()).rejects.toMatchObject({ code: 'STALE_CLAIM' });
      expect(() => stale.acknowledge(taken)).toThrow(expect.objectContaining({ code: 'STALE_CLAIM' }));
      expect(mail.waiting()).toEqual(['a', 'b']);
      expect(contents(await mail.reader().take())).toEqual(['a', 'b']);
    },
  },
];
