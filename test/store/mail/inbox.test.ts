/**
 * Mail: a sent message is on disk or its sender gets an error; mail is delivered once and in order; nothing is lost.
 */
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import {
  appendFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import fc from 'fast-check';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { BLOB_BYTES, INLINE_BYTES, type Draft, type Message } from '../../../src/model/team/message.ts';
import { removeBell } from '../../../src/store/mail/bell.ts';
import { realDisk, type Disk } from '../../../src/store/files/disk.ts';
import { measureWaiting, segmentsOf } from '../../../src/store/mail/inbox-files.ts';
import { countWaiting, pastMail, WaitingCount, waitingMail } from '../../../src/store/mail/inbox-view.ts';
import type { InboxPaths, TeamPaths } from '../../../src/store/files/paths.ts';
import { KEEP_MS, type Reader } from '../../../src/store/mail/reader.ts';
import type { Sender } from '../../../src/store/mail/sender.ts';
import { FakeClock, realClock } from '../../support/clock.ts';
import { errno, failing, failingAt, writing } from '../../support/faults.ts';
import { hang, locksOf, name, readerOf, senderOf, teamAt, type Parts } from '../../support/team.ts';
import { tempDir } from '../../support/temp.ts';
import { start, startStore, together, until as untilTrue } from '../../support/workers.ts';

const WRITER = join(import.meta.dirname, '..', '..', 'fixtures', 'v8_writer.py');
const ada = name('ada');
const bob = name('bob');

let root = '';
let paths: TeamPaths;
let box: InboxPaths;
beforeEach(() => {
  root = tempDir();
  paths = teamAt(root);
  box = paths.inbox(ada);
  hang(paths, ada, bob);
});

const sending = (parts: Parts = {}): Sender => {
  const { sender, close } = senderOf(paths, parts);
  onTestFinished(close);
  return sender;
};
const reading = (parts: Parameters<typeof readerOf>[2] = {}): Reader => {
  const { reader, close } = readerOf(paths, ada, parts);
  onTestFinished(close);
  return reader;
};
const say = (sender: Sender, content: string, draft: Partial<Draft> = {}, from = 'bob') =>
  sender.send({ sender: from, recipient: ada, draft: { type: 'message', content, ...draft } });
const outcomes = async (all: Promise<unknown>[]): Promise<string[]> =>
  (await Promise.allSettled(all)).map((one) =>
    one.status === 'fulfilled' ? 'sent' : String((one.reason as { code?: string }).code),
  );
const contents = (mail: Iterable<{ content: string }>): string[] => [...mail].map(({ content }) => content);
const inboxLines = (): string[] => readFileSync(box.inbox, 'utf8').trimEnd().split('\n');
const foreign = (content: string): string =>
  `${JSON.stringify({ type: 'message', sender: 'py', content, timestamp: 1.5 })}\n`;
const bad = (): { why: string; line?: string; file?: string; bytes: number }[] =>
  readFileSync(box.bad, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as ReturnType<typeof bad>[number]);
const drain = async (reader: Reader, max?: number): Promise<Message[]> => {
  const all: Message[] = [];
  while (reader.hasMore()) {
    const mail = await reader.take(max);
    reader.acknowledge(mail);
    all.push(...mail);
  }
  return all;
};

describe('a send', () => {
  it('a sent line is in the inbox, with the four required keys first, when its receipt arrives', async () => {
    const receipt = await say(sending(), 'hello', { kind: 'question', data: { n: 1 } });
    const [line = ''] = inboxLines();
    expect(Object.keys(JSON.parse(line) as object)).toEqual([
      'type',
      'sender',
      'content',
      'timestamp',
      'id',
      'recipient',
      'kind',
      'data',
    ]);
    expect(JSON.parse(line)).toMatchObject({ sender: 'bob', content: 'hello', id: receipt.id, recipient: 'ada' });
    expect(statSync(box.inbox).mode & 0o777).toBe(0o600);
  });

  it('a send is written together with the others of its tick, in order, and synced before the receipts', async () => {
    const calls: string[] = [];
    const note = (call: 'linkSync' | 'fdatasyncSync' | 'writeSync') => ({
      [call]: (...args: never[]) => {
        calls.push(call);
        return (realDisk[call] as (...args: never[]) => unknown)(...args);
      },
    });
    const disk = { ...realDisk, ...note('linkSync'), ...note('fdatasyncSync'), ...note('writeSync') } as Disk;
    const sender = sending({ disk });
    const receipts = Array.from({ length: 64 }, (_, n) => say(sender, String(n)).then(() => calls.push('receipt')));
    await Promise.all(receipts);
    expect(contents(waitingMail(realDisk, box))).toEqual(Array.from({ length: 64 }, (_, n) => String(n)));
    // Token, lock, mail, bell, sync.
    expect(calls.slice(0, 5)).toEqual(['writeSync', 'linkSync', 'writeSync', 'writeSync', 'fdatasyncSync']);
    expect(calls.slice(5)).toEqual(Array.from({ length: 64 }, () => 'receipt'));
  });

  it('the name of an inbox is synced once a process, however many senders write to it', async () => {
    let syncs = 0;
    const fsyncSync: Disk['fsyncSync'] = (fd) => {
      syncs += 1;
      realDisk.fsyncSync(fd);
    };
    const disk: Disk = { ...realDisk, fsyncSync };
    for (const text of ['a', 'b', 'c']) await say(sending({ disk }), text);
    expect(syncs).toBe(1);
    rmSync(box.inbox);
    await say(sending({ disk }), 'd');
    expect(syncs).toBe(2);
  });

  it('message ids grow within a process, also within a millisecond', async () => {
    const sender = sending({ clock: new FakeClock() });
    const ids = (await Promise.all(Array.from({ length: 50 }, () => say(sender, 'x')))).map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)].sort());
  });

  it('a send to an unknown recipient is refused and creates no file, not even for a long body', async () => {
    const before = readdirSync(paths.folder);
    const sender = sending();
    const all = ['short', 'x'.repeat(INLINE_BYTES + 1)].map((content) =>
      sender.send({ sender: 'bob', recipient: name('eve'), draft: { type: 'message', content } }),
    );
    expect(await outcomes(all)).toEqual(['UNKNOWN_RECIPIENT', 'UNKNOWN_RECIPIENT']);
    expect(readdirSync(paths.folder)).toEqual(before);
    removeBell(realDisk, box.bell);
    expect(await outcomes([say(sender, 'gone')])).toEqual(['UNKNOWN_RECIPIENT']);
  });

  it('a short write counts up to the last whole line, and nothing behind it is written', async () => {
    let left = 1;
    const short = (bytes: Buffer): number | undefined => (bytes.includes('"sender"') && left-- > 0 ? 300 : undefined);
    const sender = sending({ disk: writing(short) });
    const long = 'y'.repeat(900_000);
    const all = [...['a', 'b', 'c', 'd'].map((content) => say(sender, content)), say(sender, 'z', { data: { long } })];
    expect(await outcomes(all)).toEqual(['sent', 'sent', 'NO_SPACE', 'NO_SPACE', 'NO_SPACE']);
    expect(await outcomes([say(sender, 'e')])).toEqual(['sent']);
    const reader = reading();
    expect(contents(await reader.take())).toEqual(['a', 'b', 'e']);
    expect(bad()).toHaveLength(1);
  });

  it('a send on a full disk fails, keeps earlier mail, and works again when there is space', async () => {
    let full = false;
    const sender = sending({ disk: writing((bytes) => (full && bytes.length > 1 ? 'ENOSPC' : undefined)) });
    await say(sender, 'before');
    full = true;
    expect(await outcomes([say(sender, 'during'), say(sender, 'during')])).toEqual(['NO_SPACE', 'NO_SPACE']);
    full = false;
    await say(sender, 'after');
    expect(contents(waitingMail(realDisk, box))).toEqual(['before', 'after']);
  });

  it('a send does not fail with its bell', async () => {
    const sender = sending({ disk: writing((bytes) => (bytes.length === 1 ? 'ENOSPC' : undefined)) });
    expect(await outcomes([say(sender, 'a')])).toEqual(['sent']);
  });

  it('a send fails if it cannot be synced', async () => {
    expect(await outcomes([say(sending({ disk: failing('EIO', 'fdatasyncSync') }), 'a')])).toEqual(['IO']);
  });

  it('a send seals a torn tail, so that only the torn line is lost', async () => {
    writeFileSync(box.inbox, `${foreign('one')}{"type":"message","sender":"py","cont`);
    await say(sending(), 'two');
    const reader = reading();
    expect(contents(await reader.take())).toEqual(['one', 'two']);
    expect(bad()).toMatchObject([{ line: '{"type":"message","sender":"py","cont' }]);
  });

  it('a send rings only if the inbox was empty', async () => {
    const sender = sending();
    const rung = (): number => statSync(box.bell).mtimeMs;
    fs.utimesSync(box.bell, 1, 1);
    await say(sender, 'first');
    expect(rung()).toBeGreaterThan(1_000);
    fs.utimesSync(box.bell, 1, 1);
    await say(sender, 'second');
    expect(rung()).toBe(1_000);
    expect(statSync(box.bell).size).toBe(1);
  });

  it('a send puts a long body into a blob, once, and its beginning into the line', async () => {
    const sender = sending();
    const content = `${'x'.repeat(4_095)}😀${'ü'.repeat(INLINE_BYTES / 2)}`;
    await Promise.all([say(sender, content), say(sender, content)]);
    const [first, second] = waitingMail(realDisk, box);
    expect(first?.content.length).toBeLessThan(5_000);
    expect(first?.content).toBe(Buffer.from(first?.content ?? '').toString());
    expect(readFileSync(paths.blob(first?.blob ?? ''), 'utf8')).toBe(content);
    expect([second?.blob, readdirSync(paths.blobs).length]).toEqual([first?.blob, 1]);
    expect(await outcomes([say(sender, 'x'.repeat(INLINE_BYTES))])).toEqual(['sent']);
    expect(readdirSync(paths.blobs)).toHaveLength(1);
    expect(await outcomes([say(sender, 'x'.repeat(BLOB_BYTES + 1))])).toEqual(['USAGE']);
  });

  const deep = (depth: number): object => (depth === 0 ? {} : { d: deep(depth - 1) });
  it.each([
    ['data longer than a line', { data: { long: 'x'.repeat(2 ** 21) } }],
    ['data nested too deep', { data: deep(70) as Record<string, never> }],
    ['a kind that is too long', { kind: 'k'.repeat(65) }],
  ])('a send refuses %s, which no reader would accept', async (_, draft) => {
    expect(await outcomes([say(sending(), 'x', draft)])).toEqual(['USAGE']);
    expect(existsSync(box.inbox)).toBe(false);
  });

  it.each([
    ['a symbolic link', (at: string) => symlinkSync(join(root, 'target'), at)],
    [
      'a hard link',
      (at: string) => {
        writeFileSync(join(root, 'secret'), 'secret');
        linkSync(join(root, 'secret'), at);
      },
    ],
    ['a FIFO', (at: string) => execFileSync('mkfifo', [at])],
    ['a directory', (at: string) => mkdirSync(at)],
  ])('a send refuses %s in the place of the inbox or of the bell', async (_, plant) => {
    plant(box.inbox);
    expect(await outcomes([say(sending(), 'x')])).toEqual(['CORRUPT']);
    const reader = reading();
    if (statSync(box.inbox, { throwIfNoEntry: false })?.isFile())
      await expect(reader.take()).rejects.toMatchObject({ code: 'CORRUPT' });
    rmSync(box.bell);
    plant(join(root, 'x'));
    fs.renameSync(join(root, 'x'), box.bell);
    expect(await outcomes([say(sending(), 'x')])).toEqual(['CORRUPT']);
    expect(existsSync(join(root, 'target'))).toBe(false);
    if (existsSync(join(root, 'secret'))) expect(readFileSync(join(root, 'secret'), 'utf8')).toBe('secret');
  });

  it('a send into a team that was removed or replaced fails and creates nothing', async () => {
    const sender = sending();
    await say(sender, 'x');
    rmSync(paths.folder, { recursive: true });
    expect(await outcomes([say(sender, 'x'), say(sender, 'x'.repeat(INLINE_BYTES + 1))])).not.toContain('sent');
    expect(existsSync(paths.folder)).toBe(false);
    teamAt(root);
    hang(paths, ada);
    expect(await outcomes([say(sender, 'x'), say(sender, 'x'.repeat(INLINE_BYTES + 1))])).toEqual([
      'TEAM_GONE',
      'TEAM_GONE',
    ]);
    expect(existsSync(box.inbox)).toBe(false);
  });

  it('a send leaves no descriptor open, whatever its outcome', async () => {
    const open = (): number => readdirSync('/proc/self/fd').length;
    const sender = sending({ lockTimeoutMs: 0, clock: new FakeClock() });
    await say(sender, 'x');
    const before = open();
    for (let n = 0; n < 50; n += 1) await say(sender, 'x');
    await outcomes([sender.send({ sender: 'bob', recipient: name('eve'), draft: { type: 'message', content: '' } })]);
    writeFileSync(box.lock, 'garbage');
    expect(await outcomes([say(sender, 'x')])).toEqual(['LOCK_TIMEOUT']);
    rmSync(box.lock);
    rmSync(box.inbox);
    mkdirSync(box.inbox);
    await outcomes([say(sender, 'x')]);
    expect(open()).toBe(before);
  });
});

describe('the quota', () => {
  const quota = { inboxMaxMessages: 10, inboxMaxBytes: 100_000 };

  it('the quota refuses messages over the count, accepts the rest of the batch, and lets shutdown pass', async () => {
    const sender = sending({ quota });
    const all = Array.from({ length: 12 }, (_, n) => say(sender, String(n)));
    const last = say(sender, 'stop', { type: 'shutdown_request' }, 'lead');
    expect(await outcomes([...all, last])).toEqual([
      ...Array.from({ length: 10 }, () => 'sent'),
      'QUOTA',
      'QUOTA',
      'sent',
    ]);
    expect(contents(waitingMail(realDisk, box)).at(-1)).toBe('stop');
  });

  it('the quota refuses messages over the bytes at once', async () => {
    const sender = sending({ quota });
    expect(
      await outcomes([say(sender, 'x'.repeat(60_000)), say(sender, 'x'.repeat(60_000)), say(sender, 'x')]),
    ).toEqual(['sent', 'QUOTA', 'QUOTA']);
    expect(await outcomes([say(sender, 'stop', { type: 'shutdown_request' }, 'lead')])).toEqual(['sent']);
  });

  it('the quota lets shutdown pass however full foreign writers made the inbox, and limits control mail too', async () => {
    writeFileSync(box.inbox, foreign('x'.repeat(1_000)).repeat(4_000));
    const sender = sending({ quota });
    const stop = (text: string) => say(sender, text, { type: 'shutdown_request' }, 'lead');
    expect(await outcomes([say(sender, 'x'), stop('stop')])).toEqual(['QUOTA', 'sent']);
    const many = await outcomes(Array.from({ length: 20 }, () => stop('x'.repeat(100_000))));
    expect([...new Set(many)]).toEqual(['sent', 'QUOTA']);
    rmSync(box.inbox);
    expect(await outcomes([say(sender, 'x'), stop('x'.repeat(100_000))])).toEqual(['sent', 'sent']);
  });

  it('the quota counts mail that is taken and not yet acknowledged', async () => {
    const sender = sending({ quota });
    const reader = reading();
    const used: Message[] = [];
    for (let n = 0; n < 10; n += 1) {
      await say(sender, 'x'.repeat(1_000));
      used.push(...(await reader.take()));
    }
    expect(await outcomes([say(sender, 'x')])).toEqual(['QUOTA']);
    reader.acknowledge(used.slice(0, 3));
    expect(await outcomes([1, 2, 3, 4].map(() => say(sender, 'x')))).toEqual(['sent', 'sent', 'sent', 'QUOTA']);
  });

  it('the quota does not count a few long taken messages as many', async () => {
    const sender = sending({ quota: { inboxMaxMessages: 100, inboxMaxBytes: 2 ** 30 } });
    const reader = reading();
    for (let n = 0; n < 5; n += 1) {
      await say(sender, 'x'.repeat(200_000));
      await reader.take();
    }
    expect(await outcomes([say(sender, 'x')])).toEqual(['sent']);
  });

  it('the quota holds at once in an inbox of 100,000 messages, for every sender', async () => {
    writeFileSync(box.inbox, Array.from({ length: 100_000 }, (_, n) => foreign(`message ${n}`)).join(''));
    expect(measureWaiting(realDisk, box)).toMatchObject({ messages: expect.closeTo(100_000, -4) as number });
    const sender = sending({ quota: { inboxMaxMessages: 10_000, inboxMaxBytes: 2 ** 26 } });
    expect(await outcomes([say(sender, 'x'), say(sender, 'stop', { type: 'shutdown_request' }, 'lead')])).toEqual([
      'QUOTA',
      'sent',
    ]);
  });

  it('the quota is kept by eight senders that measure rarely', async () => {
    const senders = Array.from({ length: 8 }, () =>
      sending({ quota: { inboxMaxMessages: 500, inboxMaxBytes: 2 ** 26 }, durable: false }),
    );
    let sent = 0;
    for (let round = 0; round < 100; round += 1)
      sent += (await outcomes(senders.map((sender) => say(sender, 'x')))).filter((one) => one === 'sent').length;
    expect(sent).toBe(500);
  });
});

describe('a take', () => {
  it('a take delivers in order, clears the inbox, and ends with the acknowledgement', async () => {
    const sender = sending();
    for (const content of ['a', 'b', 'c']) await say(sender, content);
    const reader = reading();
    const first = await reader.take(2);
    expect(contents(first)).toEqual(['a', 'b']);
    expect(existsSync(box.inbox)).toBe(false);
    await say(sender, 'd');
    expect(contents(await reader.take())).toEqual(['c', 'd']);
    expect([reader.hasMore(), contents(await reader.take())]).toEqual([false, []]);
    reader.acknowledge(first);
    expect(contents(pastMail(realDisk, box))).toEqual(['a', 'b']);
    expect(contents(waitingMail(realDisk, box))).toEqual(['c', 'd']);
    expect(countWaiting(realDisk, box)).toBe(2);
  });

  it('what waits is counted the same by whoever looks again and again', async () => {
    const sender = sending();
    const counting = new WaitingCount(realDisk, box);
    const seen: number[] = [];
    const look = (): void => {
      seen.push(counting.look());
      expect(seen.at(-1)).toBe(countWaiting(realDisk, box));
    };
    look();
    for (const content of ['a', 'b', 'c']) await say(sender, content);
    look();
    await say(sender, 'd');
    look();
    appendFileSync(box.inbox, '{"type":"message","sender":"eve","content":"torn');
    look();
    appendFileSync(box.inbox, '","timestamp":1}\nno mail\n');
    look();
    const reader = reading();
    const mail = await reader.take(2);
    look();
    reader.acknowledge(mail);
    look();
    await say(sender, 'e');
    look();
    reader.acknowledge(await reader.take());
    look();
    // More than is parsed at once.
    const line = `${JSON.stringify({ type: 'message', sender: 'eve', content: 'x'.repeat(1_000), timestamp: 1 })}\n`;
    appendFileSync(box.inbox, line.repeat(1_100));
    look();
    appendFileSync(box.inbox, line);
    look();
    // Another file in its place.
    writeFileSync(`${box.inbox}.new`, line);
    renameSync(`${box.inbox}.new`, box.inbox);
    look();
    expect(seen).toEqual([0, 3, 4, 4, 5, 5, 3, 4, 0, 1_100, 1_101, 1]);
  });

  it('a take gives unacknowledged mail to the next process, marked as redelivered, and new mail unmarked', async () => {
    const sender = sending();
    for (const content of ['a', 'b', 'c', 'd']) await say(sender, content);
    const first = reading();
    const mail = await first.take();
    // Out of order: the offset stays before `a`, and the history has `b`.
    first.acknowledge(mail.slice(1, 2));
    const second = reading();
    const again = await second.take();
    expect(again.map(({ content, redelivered }) => [content, redelivered])).toEqual([
      ['a', true],
      ['c', true],
      ['d', true],
    ]);
    second.acknowledge(again);
    await say(sender, 'e');
    const third = reading();
    expect((await third.take()).map(({ content, redelivered }) => [content, redelivered])).toEqual([['e', undefined]]);
    expect(contents(pastMail(realDisk, box))).toEqual(['b', 'a', 'c', 'd']);
    expect(readFileSync(box.history, 'utf8')).not.toContain('redelivered');
  });

  it('a take never redelivers what is in the history but not yet behind the offset', async () => {
    const sender = sending();
    await say(sender, 'a');
    const disk: Disk = { ...realDisk };
    const first = reading({ disk });
    const mail = await first.take();
    disk.fchmodSync = () => {
      throw errno('EIO');
    };
    expect(() => first.acknowledge(mail)).toThrow(expect.objectContaining({ code: 'IO' }));
    const second = reading();
    expect(await second.take()).toEqual([]);
    expect(contents(pastMail(realDisk, box))).toEqual(['a']);
  });

  it('a take delivers an id once, also across segments and after its acknowledgement', async () => {
    const sender = sending();
    const twice = (content: string) =>
      sender.send({ sender: 'bob', recipient: ada, draft: { type: 'message', content }, id: 'done:1:ada' });
    await twice('one');
    await twice('two');
    const reader = reading();
    const mail = await reader.take();
    await twice('three');
    expect([contents(mail), await reader.take()]).toEqual([['one'], []]);
    reader.acknowledge(mail);
    await twice('four');
    expect(await reader.take()).toEqual([]);
    const next = reading();
    await twice('five');
    expect(await next.take()).toEqual([]);
    expect(countWaiting(realDisk, box)).toBe(0);
  });

  it('a take delivers two equal foreign lines as two messages, and recognises them after a crash', async () => {
    writeFileSync(box.inbox, foreign('same') + foreign('same'));
    const mail = await reading().take();
    expect(new Set(mail.map(({ id }) => id)).size).toBe(2);
    writeFileSync(box.inbox, foreign('same'));
    const again = await reading().take();
    expect(again.map(({ id }) => id).slice(0, 2)).toEqual(mail.map(({ id }) => id));
    expect(again.map(({ redelivered }) => redelivered)).toEqual([true, true, undefined]);
  });

  it('a take is not confused by an id that looks like its own notes', async () => {
    const sender = sending();
    const send = (id: string, content: string) =>
      sender.send({ sender: 'bob', recipient: ada, draft: { type: 'message', content }, id });
    for (const [id, content] of [
      ['again 0', 'a'],
      ['bad 0', 'b'],
      ['again 0', 'c'],
      ['__proto__', 'd'],
      ['constructor', 'e'],
    ] as const)
      await send(id, content);
    const reader = reading();
    const mail = await reader.take();
    expect(contents(mail)).toEqual(['a', 'b', 'd', 'e']);
    reader.acknowledge(mail.slice(1));
    expect(contents(await reading().take())).toEqual(['a']);
  });

  it('a second acknowledgement changes nothing, and an id that was not delivered cannot be acknowledged', async () => {
    await say(sending(), 'a');
    const reader = reading();
    const mail = await reader.take();
    for (let again = 0; again < 2; again += 1) reader.acknowledge(mail);
    reader.acknowledge(mail.map((message) => ({ ...message, id: 'another' })));
    expect(readFileSync(box.history, 'utf8').trim().split('\n')).toHaveLength(1);
  });

  it('two simultaneous takes deliver nothing twice', async () => {
    const sender = sending();
    for (let n = 0; n < 20; n += 1) await say(sender, String(n));
    const reader = reading();
    const both = await Promise.all([reader.take(15), reader.take(15), say(sender, '20')]);
    expect([...contents(both[0]), ...contents(both[1])].map(Number)).toEqual(
      Array.from({ length: both[0].length + both[1].length }, (_, n) => n),
    );
    expect(both[0].length).toBe(15);
  });

  it('a take by a replaced process takes, acknowledges and removes nothing', async () => {
    const clock = new FakeClock();
    const sender = sending();
    await say(sender, 'a');
    let isCurrent = true;
    const stale = reading({ isCurrent: () => isCurrent, clock });
    const mail = await stale.take();
    isCurrent = false;
    await say(sender, 'b');
    await expect(stale.take()).rejects.toMatchObject({ code: 'STALE_CLAIM' });
    expect(() => stale.acknowledge(mail)).toThrow(expect.objectContaining({ code: 'STALE_CLAIM' }));
    clock.advance(10 * KEEP_MS);
    stale.tidy();
    await expect(reading({ isCurrent: () => false }).take()).rejects.toMatchObject({ code: 'STALE_CLAIM' });
    expect(contents(waitingMail(realDisk, box))).toEqual(['a', 'b']);
    expect(contents(await reading().take())).toEqual(['a', 'b']);
  });

  it('a take finds what the process before it took in its last moment', async () => {
    await say(sending(), 'a');
    const next = reading();
    await reading().take();
    expect((await next.take()).map(({ content, redelivered }) => [content, redelivered])).toEqual([['a', true]]);
  });

  it('a take delivers what it has if reading on fails', async () => {
    const sender = sending();
    for (const content of ['a', 'b']) await say(sender, content);
    const disk: Disk = { ...realDisk };
    const reader = reading({ disk, clock: new FakeClock() });
    expect(contents(await reader.take(1))).toEqual(['a']);
    await say(sender, 'c');
    writeFileSync(box.lock, 'garbage');
    expect(contents(await reader.take())).toEqual(['b']);
    await expect(reader.take()).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' });
    rmSync(box.lock);
    expect(contents(await reader.take())).toEqual(['c']);
  });

  it('a take loses neither mail nor bad lines if a bad line cannot be set aside', async () => {
    writeFileSync(box.inbox, `${foreign('a')}garbage\n${foreign('b')}`);
    let full = true;
    const disk = writing((bytes) => (full && bytes.includes('garbage') ? 'ENOSPC' : undefined));
    const reader = reading({ disk });
    const first = await reader.take();
    expect(contents(first)).toEqual(['a']);
    await expect(reader.take()).rejects.toMatchObject({ code: 'NO_SPACE' });
    full = false;
    expect(contents(await reader.take())).toEqual(['b']);
    expect(bad()).toMatchObject([{ line: 'garbage' }]);
  });

  it('a take sorts segments by number, not by letter', () => {
    for (const number of [999_999, 1_000_000, 2]) writeFileSync(box.segment(number, `01ABC${number}`), '');
    expect(segmentsOf(realDisk, box).map((path) => Number(/taken\.(\d+)/.exec(path)?.[1]))).toEqual([
      2, 999_999, 1_000_000,
    ]);
  });
});

describe('a bad line', () => {
  const nested = `{"type":"message","sender":"x","content":"x","timestamp":1,"data":${'['.repeat(5_000)}${']'.repeat(5_000)}}`;
  const lineOf = (more: object): string =>
    JSON.stringify({ type: 'message', sender: 'x', content: 'x', timestamp: 1, ...more });
  it.each<[string, string | Buffer, string]>([
    ['NULs', '\0\0\0', 'NUL'],
    ['a NUL inside', lineOf({}).replace('"x"', '"\0"'), 'NUL'],
    [
      'invalid UTF-8',
      Buffer.concat([Buffer.from('{"type":"mess'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]),
      'invalid UTF-8',
    ],
    ['depth 5,000', nested, 'nested deeper'],
    ['an array', '[1]', 'not a JSON object'],
    ['a wrong type', lineOf({ content: 7 }), 'content'],
    ['a missing key', '{"type":"message"}', 'sender'],
    ['1e999', lineOf({}).replace(':1', ':1e999'), 'timestamp'],
    ['half a line', '{"type":"message","sen', 'JSON'],
    ['a long one', `{${'x'.repeat(100_000)}`, 'JSON'],
  ])('a line with %s is set aside with its reason, and its neighbours are delivered', async (_, line, why) => {
    writeFileSync(
      box.inbox,
      Buffer.concat([Buffer.from(foreign('before')), Buffer.from(line), Buffer.from(`\n${foreign('after')}`)]),
    );
    const told: string[] = [];
    const reader = reading({ onBad: (reason) => told.push(reason) });
    const mail = await reader.take();
    expect(contents(mail)).toEqual(['before', 'after']);
    expect(told).toEqual([expect.stringContaining(why)]);
    const [kept] = bad();
    expect(kept?.why).toContain(why);
    const saved =
      kept?.file === undefined
        ? Buffer.from(kept?.line ?? '', typeof line === 'string' ? 'utf8' : 'latin1')
        : readFileSync(join(paths.folder, kept.file));
    expect(saved.toString('latin1').trimEnd()).toBe(Buffer.from(line).toString('latin1'));
    reader.acknowledge(mail);
    expect(await reading().take()).toEqual([]);
    expect(bad()).toHaveLength(1);
  });

  it.each<[string, string]>([
    ['a BOM', `\uFEFF${lineOf({ content: 'fine' })}`],
    ['a CR at its end', `${lineOf({ content: 'fine' })}\r`],
    ['U+2028', lineOf({ content: 'fine', data: { text: '\u2028\u2029' } })],
    ['a lone surrogate', lineOf({ content: 'fine' }).replace('"timestamp"', '"x":"\\ud800","timestamp"')],
    ['__proto__', lineOf({ content: 'fine' }).replace('"timestamp"', '"__proto__":{"polluted":1},"timestamp"')],
    ['an unknown type', lineOf({ content: 'fine', type: 'dance' })],
  ])('a line with %s is not bad', async (_, line) => {
    writeFileSync(box.inbox, `\n\n${line}\n`);
    const reader = reading();
    const mail = await reader.take();
    expect(contents(mail)).toEqual(['fine']);
    reader.acknowledge(mail);
    expect(contents(pastMail(realDisk, box))).toEqual(['fine']);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
    expect(existsSync(box.bad)).toBe(false);
  });

  it('a bad line of 100 MB costs little memory and does not block the event loop', async () => {
    const chunk = Buffer.alloc(2 ** 20, 'x');
    const fd = fs.openSync(box.inbox, 'a');
    fs.writeSync(fd, foreign('before'));
    for (let n = 0; n < 100; n += 1) fs.writeSync(fd, chunk);
    fs.writeSync(fd, `\n${foreign('after')}`);
    fs.closeSync(fd);
    const reader = reading();
    const loop = monitorEventLoopDelay({ resolution: 5 });
    const before = process.memoryUsage().rss;
    loop.enable();
    const mail = await reader.take();
    loop.disable();
    expect((process.memoryUsage().rss - before) / 2 ** 20).toBeLessThan(64);
    expect(contents(mail)).toEqual(['before', 'after']);
    expect(statSync(join(paths.folder, bad()[0]?.file ?? '')).size).toBeGreaterThanOrEqual(100 * 2 ** 20);
    // 500 ms allows for a very busy machine; it takes about 30 ms on an idle one.
    expect(loop.max / 1e6).toBeLessThan(500);
  });
});

describe('a segment', () => {
  const taken = (): string[] => readdirSync(paths.folder).filter((file) => file.includes('.taken.'));

  it('a segment stays 3 s after its last growth, and late foreign mail in it is delivered', async () => {
    const clock = new FakeClock();
    writeFileSync(box.inbox, foreign('a'));
    const late = fs.openSync(box.inbox, 'a');
    const reader = reading({ clock });
    reader.acknowledge(await reader.take());
    clock.advance(KEEP_MS - 1);
    reader.tidy();
    expect(taken()).toHaveLength(2);
    fs.writeSync(late, foreign('late'));
    fs.closeSync(late);
    expect(reader.hasMore()).toBe(true);
    const mail = await reader.take();
    expect(contents(mail)).toEqual(['late']);
    clock.advance(KEEP_MS - 1);
    reader.tidy();
    expect(taken()).toHaveLength(2);
    reader.acknowledge(mail);
    clock.advance(1);
    reader.tidy();
    expect(taken()).toEqual([]);
  });

  it('a segment that is removed while a sender is stopped in the middle of it costs no mail', async () => {
    const clock = new FakeClock();
    // A foreign writer removed its lock meanwhile: correctness does not depend on the lock.
    const disk = writing((bytes) => {
      if (!bytes.includes('stopped') || taken().length > 0 || existsSync(box.history)) return undefined;
      writeFileSync(box.history, '');
      fs.renameSync(box.inbox, box.segment(1, '01ABC'));
      const other = reading({ clock });
      clock.advance(KEEP_MS);
      other.tidy();
      return undefined;
    });
    await say(sending({ disk }), 'stopped');
    expect([taken(), existsSync(box.history)]).toEqual([[], true]);
    expect(contents(await drain(reading()))).toEqual(['stopped']);
  });

  it('a segment is removed only by the process that read its size after closing it', async () => {
    const clock = new FakeClock();
    writeFileSync(box.inbox, foreign('a'));
    const late = fs.openSync(box.inbox, 'a');
    const fchmodSync: Disk['fchmodSync'] = (fd, mode) => {
      fs.writeSync(late, foreign('late'));
      realDisk.fchmodSync(fd, mode);
    };
    const reader = reading({ clock, disk: { ...realDisk, fchmodSync } });
    reader.acknowledge(await reader.take());
    clock.advance(KEEP_MS);
    reader.tidy();
    expect(taken()).toHaveLength(2);
    expect(contents(await reader.take())).toEqual(['late']);
    fs.closeSync(late);
  });

  it('a segment gives late foreign mail to a single take too', async () => {
    const clock = new FakeClock();
    writeFileSync(box.inbox, foreign('a'));
    const late = fs.openSync(box.inbox, 'a');
    const reader = reading({ clock });
    await reader.take();
    fs.writeSync(late, foreign('late'));
    fs.closeSync(late);
    clock.advance(1_000);
    expect(contents(await reader.take())).toEqual(['late']);
  });

  it('a segment stays while something in it is unacknowledged', async () => {
    const clock = new FakeClock();
    writeFileSync(box.inbox, foreign('a'));
    const reader = reading({ clock });
    const mail = await reader.take();
    clock.advance(100 * KEEP_MS);
    reader.tidy();
    expect(taken()).toHaveLength(1);
    reader.acknowledge(mail);
    reader.tidy();
    expect(taken()).toEqual([]);
  });

  it('a segment found at start stays 3 s from then on, and an offset without a segment is removed', () => {
    const clock = new FakeClock();
    clock.advance(1_000_000);
    writeFileSync(box.segment(3, '01ABC'), '');
    writeFileSync(box.segment(4, '01ABD').replace(/jsonl$/, 'ack'), '0000000000000007');
    const reader = reading({ clock });
    expect(taken()).toHaveLength(1);
    reader.tidy();
    expect(taken()).toHaveLength(1);
    clock.advance(KEEP_MS);
    reader.tidy();
    expect(taken()).toEqual([]);
  });

  it.each([
    ['short', 'x'.repeat(10)],
    ['long', 'x'.repeat(100_000)],
  ])(
    'a segment with a %s tail that is never terminated delivers nothing of it, and sets it aside after 3 s',
    async (_, more) => {
      const clock = new FakeClock();
      const tail = `{"type":"message","sender":"${more}`;
      writeFileSync(box.inbox, foreign('a') + tail);
      const reader = reading({ clock });
      const mail = await reader.take();
      expect([contents(mail), reader.hasMore(), await reader.take()]).toEqual([['a'], false, []]);
      reader.acknowledge(mail);
      clock.advance(KEEP_MS - 1);
      reader.tidy();
      expect(existsSync(box.bad)).toBe(false);
      clock.advance(1);
      reader.tidy();
      const [kept] = bad();
      expect(kept).toMatchObject({ why: 'a line without an end', bytes: tail.length });
      expect(kept?.line ?? readFileSync(join(paths.folder, kept?.file ?? ''), 'utf8')).toContain(tail);
      expect(taken()).toEqual([]);
    },
  );

  it('a segment with a tail that is terminated in time delivers it', async () => {
    const clock = new FakeClock();
    const line = foreign('slow');
    writeFileSync(box.inbox, line.slice(0, 20));
    const late = fs.openSync(box.inbox, 'a');
    const reader = reading({ clock });
    expect([await reader.take(), reader.hasMore()]).toEqual([[], false]);
    clock.advance(KEEP_MS - 1);
    fs.writeSync(late, line.slice(20));
    fs.closeSync(late);
    reader.tidy();
    expect([reader.hasMore(), contents(await reader.take())]).toEqual([true, ['slow']]);
  });
});

describe('many processes', () => {
  const perSender = (mail: readonly Message[]): Map<string, number[]> => {
    const by = new Map<string, number[]>();
    for (const { sender, content } of mail) by.set(sender, [...(by.get(sender) ?? []), Number(content.split(' ')[1])]);
    return by;
  };
  const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n);
  const write = (sender: string, count: number, mode = '') =>
    start('python3', [WRITER, box.inbox, sender, String(count), mode], root);
  const until = async (reader: Reader, done: () => boolean): Promise<Message[]> => {
    const all: Message[] = [];
    for (let last = false; !last;) {
      last = done();
      if (!reader.hasMore()) await new Promise((resolve) => setTimeout(resolve, 5));
      all.push(...(await drain(reader, 100)));
      reader.tidy();
    }
    return all;
  };

  it('8 processes send 200 messages each, with as many foreign ones: nothing is lost, torn or out of order', async () => {
    const reader = reading();
    const ours = await together(
      root,
      'send',
      upTo(8).map((n) => ({ root, team: 'login', from: `ours${n}`, to: 'ada', times: 200, batch: n % 2 ? 1 : 16 })),
    );
    const theirs = upTo(8).map((n) => write(`py${n}`, 100));
    let left = ours.length + theirs.length;
    for (const worker of [...ours, ...theirs]) void worker.result().finally(() => (left -= 1));
    const mail = await until(reader, () => left === 0);
    const by = perSender(mail);
    for (let n = 0; n < 8; n += 1) {
      expect(by.get(`ours${n}`)).toEqual(upTo(200));
      expect(by.get(`py${n}`)).toEqual(upTo(100));
    }
    expect(mail).toHaveLength(8 * 300);
    expect(existsSync(box.bad)).toBe(false);
  });

  it('no mail is lost to a foreign writer that gives up on the lock and writes unlocked', async () => {
    // A process holds the lock for longer than the writer waits: 2.5 s, shortened here.
    const holder = await startStore(root, 'hold', { tokens: paths.tokens, lock: box.lock });
    holder.go();
    expect(await holder.next()).toBe('held');
    const impatient = join(root, 'impatient.py');
    writeFileSync(impatient, readFileSync(WRITER, 'utf8').replace('time.sleep(0.05)', 'time.sleep(0.002)'));
    const writer = start('python3', [impatient, box.inbox, 'py', '50'], root);
    await writer.result();
    // It has unlinked a lock that it never held.
    expect(existsSync(box.lock)).toBe(false);
    const [ours] = await together(root, 'send', [
      { root, team: 'login', from: 'ours', to: 'ada', times: 100, batch: 1 },
    ]);
    const more = start('python3', [impatient, box.inbox, 'py2', '50'], root);
    let left = 2;
    for (const worker of [ours, more]) void worker?.result().finally(() => (left -= 1));
    const by = perSender(await until(reading(), () => left === 0));
    expect([by.get('py'), by.get('py2'), by.get('ours')]).toEqual([upTo(50), upTo(50), upTo(100)]);
    await holder.kill();
    const locks = locksOf(paths);
    locks.sweep([paths.folder]);
    locks.close();
  });

  it('sends go on after a foreign writer died holding its empty lock', async () => {
    await write('py', 3, 'die')
      .result()
      .catch(() => undefined);
    expect(statSync(box.lock).size).toBe(0);
    const clock = new FakeClock();
    await say(sending({ clock }), 'after');
    expect(clock.monotonic()).toBeGreaterThanOrEqual(10_000);
    expect(await drain(reading())).toHaveLength(4);
  });

  it('a process killed while sending leaves the lock free, and all of its acknowledged mail is there', async () => {
    const workers = await together(
      root,
      'send',
      upTo(4).map((n) => ({ root, team: 'login', from: `ours${n}`, to: 'ada', times: 400, batch: 1 })),
    );
    const [victim, ...others] = workers;
    const sofar = (): string => (existsSync(box.inbox) ? readFileSync(box.inbox, 'utf8') : '');
    await untilTrue(() => sofar().includes('ours0 20'), 20_000);
    await victim?.kill();
    await Promise.all(others.map((worker) => worker.result()));
    const reader = reading();
    const by = perSender(await drain(reader));
    for (let n = 1; n < 4; n += 1) expect(by.get(`ours${n}`)).toEqual(upTo(400));
    expect(by.get('ours0')).toEqual(upTo(by.get('ours0')?.length ?? 0));
    const locks = locksOf(paths);
    locks.sweep([paths.folder]);
    locks.close();
    expect(readdirSync(paths.folder).filter((file) => /lock|tmp/.test(file))).toEqual([]);
  });
});

describe('a drain', () => {
  it('draining 200,000 messages uses little memory and releases the lock at once', async () => {
    const fd = fs.openSync(box.inbox, 'a');
    for (let block = 0; block < 200; block += 1)
      fs.writeSync(
        fd,
        Array.from({ length: 1_000 }, (_, n) => foreign(`${block * 1_000 + n} ${'x'.repeat(40)}`)).join(''),
      );
    fs.closeSync(fd);
    // This test is about memory, so flushing is off.
    const reader = reading({ disk: { ...realDisk, fdatasyncSync: () => undefined } });
    let seen = 0;
    let most = 0;
    const before = process.memoryUsage().rss;
    while (reader.hasMore()) {
      const mail = await reader.take(1_000);
      for (const { content } of mail) if (content.startsWith(`${seen} `)) seen += 1;
      reader.acknowledge(mail);
      most = Math.max(most, process.memoryUsage().rss);
    }
    expect(seen).toBe(200_000);
    expect((most - before) / 2 ** 20).toBeLessThan(96);
    appendFileSync(box.inbox, foreign('next'));
    expect(contents(await reader.take())).toEqual(['next']);
    expect(realClock.monotonic()).toBeGreaterThan(0);
  });
});

describe('whatever file call fails', () => {
  /** Sends, takes and acknowledges as a process does that goes on after an error. */
  async function live(sender: Sender, reader: Reader, clock: FakeClock) {
    const acked: string[] = [];
    const handled: string[] = [];
    const attempt = async (work: () => Promise<unknown>): Promise<void> => {
      await work().catch(() => undefined);
    };
    const use = async (): Promise<void> => {
      const mail = await reader.take();
      handled.push(...contents(mail));
      try {
        reader.acknowledge(mail);
      } catch {
        reader.acknowledge(mail); // The disk failed once; the same process tries again.
      }
    };
    for (const content of ['a', 'b', 'c']) {
      await attempt(() => say(sender, content).then(() => acked.push(content)));
      await attempt(use);
      clock.advance(1_000);
      await attempt(() => Promise.resolve().then(() => reader.tidy()));
    }
    for (let again = 0; again < 3; again += 1) await attempt(use);
    return { acked, handled };
  }

  it.each(['before', 'after'] as const)(
    'once, %s its effect: acknowledged mail is handled once, and nothing is left',
    async (when) => {
      for (let n = 1, fired: string | undefined = ''; fired !== undefined; n += 1) {
        const at = teamAt(root, `team-${n}`);
        hang(at, ada);
        const { disk, fault } = failingAt(n, when);
        const clock = new FakeClock();
        const out = senderOf(at, { disk, clock });
        const into = readerOf(at, ada, { disk, clock });
        fault.isArmed = true;
        const { acked, handled } = await live(out.sender, into.reader, clock);
        fault.isArmed = false;
        fired = fault.fired;
        const where = `call ${n}, ${fired}`;
        expect(handled.length, where).toBe(new Set(handled).size);
        expect(
          acked.filter((content) => !handled.includes(content)),
          where,
        ).toEqual([]);
        expect(handled, where).toEqual([...handled].sort());
        clock.advance(KEEP_MS);
        into.reader.tidy();
        into.close();
        const fresh = readerOf(at, ada);
        expect(await fresh.reader.take(), where).toEqual([]);
        fresh.close();
        out.close();
        const left = readdirSync(at.folder, { recursive: true, encoding: 'utf8' });
        expect(
          left.filter((file) => /lock|tmp|taken|tokens\//.test(file)),
          where,
        ).toEqual([]);
      }
    },
  );
});

describe('any bytes', () => {
  it('a truncated inbox delivers the beginning of its mail', () => {
    const whole = Buffer.from(['a', 'é', '\u2028'].map(foreign).join(''));
    const ends = [...whole.keys()].filter((at) => whole[at] === 10);
    for (let length = 0; length <= whole.length; length += 1) {
      writeFileSync(box.inbox, whole.subarray(0, length));
      expect([...waitingMail(realDisk, box)]).toHaveLength(ends.filter((end) => end < length).length);
    }
  });

  it('bytes between lines leave the lines around them whole', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 8 }), (noise) => {
        const parts = noise.flatMap((bytes, n) => [
          Buffer.from(foreign(`line ${n}`)),
          Buffer.from(bytes),
          Buffer.from('\n'),
        ]);
        writeFileSync(box.inbox, Buffer.concat(parts));
        const mail = contents(waitingMail(realDisk, box)).filter((content) => content.startsWith('line '));
        expect(mail).toEqual(noise.map((_, n) => `line ${n}`));
      }),
      { numRuns: 200 },
    );
  });
});
