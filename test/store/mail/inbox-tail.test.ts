/** Following an inbox from outside, while its owner takes it and others write to it. */
import { appendFileSync, renameSync, rmSync } from 'node:fs';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { realDisk } from '../../../src/store/files/disk.ts';
import { InboxTail } from '../../../src/store/mail/inbox-tail.ts';
import { storedLine } from '../../../src/store/mail/mail-lines.ts';
import type { InboxPaths } from '../../../src/store/files/paths.ts';
import { readerOf, name, teamAt } from '../../support/team.ts';
import { tempDir } from '../../support/temp.ts';

let inbox: InboxPaths;
let tail: InboxTail;
let paths: ReturnType<typeof teamAt>;

const put = (content: string, path = inbox.inbox): void =>
  appendFileSync(path, `${JSON.stringify({ type: 'message', sender: 'x', content, timestamp: 1 })}\n`);
const look = (): string[] => [...tail.look()].map(({ content }) => content);
const segment = (number: number): string => inbox.segment(number, '01ARZ3NDEKTSV4RRFFQ69G5FAV');

beforeEach(() => {
  paths = teamAt(tempDir());
  inbox = paths.inbox(name('ada'));
  const made = new InboxTail(realDisk, inbox);
  tail = made;
  onTestFinished(() => made.close());
});

it('an inbox that is removed and made anew is another one, whatever number its file gets', () => {
  // Many file systems give the number of a removed file to the next one.
  for (let round = 10; round < 30; round += 1) {
    put(`message ${round}`);
    expect(look()).toEqual([`message ${round}`]);
    rmSync(inbox.inbox);
  }
});

it('the tail yields the waiting messages, then only new ones', () => {
  expect(look()).toEqual([]);
  put('one');
  expect(look()).toEqual(['one']);
  expect(look()).toEqual([]);
  put('two');
  expect(look()).toEqual(['two']);
});

it('the tail waits for the end of a line', () => {
  appendFileSync(inbox.inbox, '{"type":"message","sender":"x","content":"torn"');
  expect(look()).toEqual([]);
  appendFileSync(inbox.inbox, ',"timestamp":1}\n');
  expect(look()).toEqual(['torn']);
});

it('the tail goes on at its place in a taken inbox, and in the inboxes after it', () => {
  put('one');
  look();
  put('two');
  renameSync(inbox.inbox, segment(1));
  put('three');
  renameSync(inbox.inbox, segment(2));
  put('four');
  expect(look()).toEqual(['two', 'three', 'four']);
  put('late, from a foreign writer', segment(1));
  expect(look()).toEqual(['late, from a foreign writer']);
});

it('the tail begins with the unacknowledged messages', async () => {
  for (const content of ['one', 'two']) put(content);
  const { reader, close } = readerOf(paths, name('ada'));
  reader.acknowledge(await reader.take(1));
  close();
  expect(look()).toEqual(['two']);
});

it('the tail goes on after a file that was removed', () => {
  put('one');
  look();
  rmSync(inbox.inbox);
  put('two');
  put('three');
  expect(look()).toEqual(expect.arrayContaining(['three']));
});

it('the tail shows a message once that was sent twice', () => {
  const line = `${JSON.stringify({ type: 'message', sender: 'x', content: 'twice', timestamp: 1, id: 'm1' })}\n`;
  appendFileSync(inbox.inbox, line + line);
  expect(look()).toEqual(['twice']);
});

it('the tail skips the lines that a reader adds', () => {
  put('one');
  const [message] = tail.look();
  expect(message?.id).toBe('ada_inbox-0');
  expect(message && storedLine({ ...message, redelivered: true })).toEqual({
    type: 'message',
    sender: 'x',
    content: 'one',
    timestamp: 1,
  });
});
