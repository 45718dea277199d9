/** A taken file of which all is used needs no record: it is closed, and the history knows its mail. */
import {
  closeSync,
  existsSync,
  linkSync,
  openSync,
  readdirSync,
  readlinkSync,
  statSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { realDisk } from '../../../src/store/files/disk.ts';
import type { InboxPaths, TeamPaths } from '../../../src/store/files/paths.ts';
import { ackPath, measureWaiting, readAck, readNote, segmentsOf } from '../../../src/store/mail/inbox-files.ts';
import { InboxTail } from '../../../src/store/mail/inbox-tail.ts';
import { countWaiting, pastMail, waitingMail, waitingMark } from '../../../src/store/mail/inbox-view.ts';
import { KEEP_MS, type Reader } from '../../../src/store/mail/reader.ts';
import { FakeClock } from '../../support/clock.ts';
import { hang, name, readerOf, senderOf, teamAt, type Parts } from '../../support/team.ts';
import { tempDir } from '../../support/temp.ts';

const ADA = name('ada');
let paths: TeamPaths;
let box: InboxPaths;
beforeEach(() => {
  paths = teamAt(tempDir());
  box = paths.inbox(ADA);
  hang(paths, ADA);
});

const reading = (parts: Parts = {}): Reader => {
  const { reader, close } = readerOf(paths, ADA, parts);
  onTestFinished(close);
  return reader;
};
const say = async (...texts: string[]): Promise<void> => {
  const { sender, close } = senderOf(paths, {});
  onTestFinished(close);
  const draft = (content: string) => ({ type: 'message', content }) as const;
  await Promise.all(texts.map((text) => sender.send({ sender: 'bob', recipient: ADA, draft: draft(text) })));
};
/** A program that has the inbox open before it is taken and closed: later it could not open it. */
function foreignWriter(): { write: (content: string) => void } {
  const fd = openSync(box.inbox, 'a');
  onTestFinished(() => closeSync(fd));
  return {
    write: (content) => writeSync(fd, `${JSON.stringify({ type: 'message', sender: 'py', content, timestamp: 1 })}\n`),
  };
}
const contents = (mail: Iterable<{ content: string }>): string[] => [...mail].map(({ content }) => content);
const acks = (): string[] => readdirSync(paths.folder).filter((file) => file.endsWith('.ack'));
const [READ_ONLY, MODE] = [0o400, 0o777];
const segment = (): string => segmentsOf(realDisk, box)[0] ?? '';
const views = () => ({
  waiting: [...waitingMail(realDisk, box), ...new InboxTail(realDisk, box).look()],
  count: countWaiting(realDisk, box),
  room: measureWaiting(realDisk, box),
  mark: waitingMark(realDisk, box),
});
const NOTHING = { waiting: [], count: 0, room: { bytes: 0, messages: 0 }, mark: '' };

it('a segment of which all is used is closed, has no record, and shows as used', async () => {
  await say('one', 'two');
  const reader = reading();
  const mail = await reader.take();
  reader.acknowledge(mail.slice(0, 1));
  expect([acks(), contents(views().waiting)]).toEqual([[`${ackPath(segment()).split('/').at(-1)}`], ['two', 'two']]);
  reader.acknowledge(mail.slice(1));
  expect(views()).toEqual(NOTHING);
  await say('three');
  reader.acknowledge(await reader.take());
  expect([views(), acks()]).toEqual([NOTHING, [expect.stringContaining('.taken.000001-')]]);
  expect(segmentsOf(realDisk, box).map((path) => statSync(path).mode & MODE)).toEqual([0o600, READ_ONLY]);
  reader.makeInbox();
  expect(views()).toEqual(NOTHING);
});

it('a killed process leaves no record, and the next one hands nothing out twice, but what came late', async () => {
  await say('one', 'two');
  const foreign = foreignWriter();
  const killed = reading();
  killed.acknowledge(await killed.take());
  expect(acks()).toEqual([]);
  foreign.write('late');
  const clock = new FakeClock();
  const next = reading({ clock });
  expect(contents(await next.take())).toEqual(['late']);
  expect(contents(await next.take())).toEqual([]);
});

it('mail that comes late into a closed segment is handed out once, and the segment is recorded then', async () => {
  await say('one');
  const foreign = foreignWriter();
  const clock = new FakeClock();
  const reader = reading({ clock });
  reader.acknowledge(await reader.take());
  foreign.write('late');
  clock.advance(KEEP_MS);
  reader.tidy();
  const late = await reader.take();
  expect(contents(late)).toEqual(['late']);
  reader.acknowledge(late);
  expect(readAck(realDisk, segment())).toBe(statSync(segment()).size);
  clock.advance(KEEP_MS - 1);
  reader.tidy();
  expect(existsSync(segment())).toBe(true);
  clock.advance(1);
  reader.tidy();
  expect([segmentsOf(realDisk, box), acks(), contents(pastMail(realDisk, box))]).toEqual([[], [], ['one', 'late']]);
});

it('a line without an id of its own is recorded: the history would not recognize it', async () => {
  writeFileSync(box.inbox, `${JSON.stringify({ type: 'message', sender: 'py', content: 'foreign', timestamp: 1 })}\n`);
  const reader = reading();
  reader.acknowledge(await reader.take());
  expect(readAck(realDisk, segment())).toBe(statSync(segment()).size);
  expect(await reading().take()).toEqual([]);
});

it('a process that ends records what it used: the next one need not read the history', async () => {
  await say('one');
  const first = reading();
  first.acknowledge(await first.take());
  const { size } = statSync(box.history);
  await say('two');
  first.acknowledge(await first.take());
  first.close();
  const ends = segmentsOf(realDisk, box).map((path) => [readAck(realDisk, path), readNote(realDisk, path).history]);
  expect(ends).toEqual(segmentsOf(realDisk, box).map((path, at) => [statSync(path).size, at * size]));
  expect(await reading().take()).toEqual([]);
});

it('a process that was replaced records nothing when it ends', async () => {
  await say('one');
  let isCurrent = true;
  const { reader } = readerOf(paths, ADA, { isCurrent: () => isCurrent });
  reader.acknowledge(await reader.take());
  isCurrent = false;
  reader.close();
  expect(acks()).toEqual([]);
});

/** Which files of the inbox this process has open. */
const openFiles = (): string[] =>
  readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${fd}`);
      return target.startsWith(`${paths.folder}/ada_inbox`) ? [target.slice(paths.folder.length + 1)] : [];
    } catch {
      return [];
    }
  });

it('the inbox that is made ahead stays open until the next one is made, and none longer than its reader', async () => {
  const reader = reading();
  reader.makeInbox();
  for (const text of ['one', 'two', 'three']) {
    await say(text);
    const mail = await reader.take();
    expect(contents(mail)).toEqual([text]);
    reader.acknowledge(mail);
    reader.makeInbox();
    expect(openFiles()).toEqual(['ada_inbox.jsonl']);
  }
  reader.close();
  expect(openFiles()).toEqual([]);
});

it('an inbox that another program put in the place of the one that was made is the one that is read', async () => {
  const reader = reading();
  reader.makeInbox();
  unlinkSync(box.inbox);
  await say('in the new file');
  expect(contents(await reader.take())).toEqual(['in the new file']);
  reader.makeInbox();
  linkSync(box.inbox, `${box.inbox}.other`);
  await expect(say('shared')).rejects.toMatchObject({ code: 'CORRUPT' });
  writeFileSync(box.inbox, 'x\n');
  await expect(reader.take()).rejects.toMatchObject({ code: 'CORRUPT' });
});
