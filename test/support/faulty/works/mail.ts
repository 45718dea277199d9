/** Sending and taking, each with the checks after a fault in it. */
import { appendFileSync, readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { isTeamError } from '../../../../src/model/text/errors.ts';
import type { Message } from '../../../../src/model/team/message.ts';
import { Reader } from '../../../../src/store/mail/reader.ts';
import { openStore, type TeamStore } from '../../../../src/store/team/team-store.ts';
import { Crashed } from '../disk.ts';
import { ADA, type Work, type World } from '../trial.ts';

export const say = (store: TeamStore, content: string): Promise<unknown> =>
  store.sender.send({ sender: 'bob', recipient: ADA, draft: { type: 'message', content } });

const readerOf = (store: TeamStore): Reader =>
  new Reader(store.paths, ADA, { disk: store.disk, clock: store.clock, locks: store.locks, isCurrent: () => true });

/** Uses and acknowledges all waiting mail, and finishes the segments. */
export async function drain(store: TeamStore, { clock }: World): Promise<Message[]> {
  const reader = readerOf(store);
  const all: Message[] = [];
  for (let looks = 0; looks < 3; looks += 1) {
    const mail = await reader.take();
    reader.acknowledge(mail);
    all.push(...mail);
    clock.advance(4_000);
    reader.tidy();
  }
  expect(reader.hasMore()).toBe(false);
  reader.close();
  return all;
}

export const send: Work = {
  name: 'send',
  async run(world, disk) {
    const store = openStore(world.paths, world.options(disk));
    const attempt = (text: string): Promise<unknown> =>
      say(store, text).then(
        () => world.told.add(text),
        (error: unknown) => expect(isTeamError(error) || error instanceof Crashed, String(error)).toBe(true),
      );
    await Promise.all(['mail 1', 'mail 2'].map(attempt));
    await attempt('mail 3');
  },
  async check(store, world, time) {
    const texts = (await drain(store, world)).map(({ content }) => content);
    if (time === 2) {
      expect(texts).toEqual([]);
      return;
    }
    expect(texts).toEqual(texts.toSorted());
    expect(texts).toEqual(expect.arrayContaining([...world.told]));
    for (const text of texts) expect(text).toMatch(/^mail [123]$/);
    await say(store, 'after');
    expect((await drain(store, world)).map(({ content }) => content)).toEqual(['after']);
  },
};

const LONG = 'x'.repeat(300_000);

export const sendLong: Work = {
  name: 'send of a long body',
  async run(world, disk) {
    const store = openStore(world.paths, world.options(disk));
    await say(store, LONG);
    world.told.add('sent');
  },
  async check(store, world, time) {
    const mail = await drain(store, world);
    if (time === 2) {
      expect(mail).toEqual([]);
      return;
    }
    if (world.told.has('sent')) expect(mail).toHaveLength(1);
    for (const { blob = '' } of mail) expect(readFileSync(store.paths.blob(blob), 'utf8')).toBe(LONG);
  },
};

const MAIL = ['mail 1', 'mail 2', 'mail 3', 'mail 4'];

export const take: Work = {
  name: 'take',
  async prepare(store) {
    for (const text of MAIL) {
      await say(store, text);
      appendFileSync(store.paths.inbox(ADA).inbox, `not mail ${text}\n`);
    }
    appendFileSync(store.paths.inbox(ADA).inbox, 'a line without an end');
  },
  async run(world, disk) {
    const store = openStore(world.paths, world.options(disk));
    const reader = readerOf(store);
    for (let turn = 0; turn < 4; turn += 1) {
      const mail = await reader.take(2);
      for (const { content } of mail) world.told.add(`used ${content}`);
      reader.acknowledge(mail);
      for (const { content } of mail) world.told.add(`acknowledged ${content}`);
      world.clock.advance(4_000);
      reader.tidy();
    }
  },
  async check(store, world, time) {
    const mail = await drain(store, world);
    const bad = readFileSync(store.paths.inbox(ADA).bad, 'utf8');
    for (const text of [...MAIL.map((one) => `not mail ${one}`), 'a line without an end']) expect(bad).toContain(text);
    if (time === 2) {
      expect(mail).toEqual([]);
      return;
    }
    for (const text of MAIL) {
      const found = mail.filter(({ content }) => content === text);
      const isUsed = world.told.has(`used ${text}`);
      expect(found.length + Number(isUsed), text).toBeGreaterThanOrEqual(1);
      if (world.told.has(`acknowledged ${text}`)) expect(found, text).toEqual([]);
      // After a power loss it may be where it was before it was taken.
      if (isUsed && world.fault !== 'power loss after')
        expect(
          found.every(({ redelivered }) => redelivered),
          text,
        ).toBe(true);
    }
  },
};
