/** Incoming mail of a process: each message once and in order; the next inbox is made before its first sender comes. */
import { appendFileSync, existsSync, statSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { Mailroom } from '../../../src/runtime/team/mailroom.ts';
import { realDisk, type Disk } from '../../../src/store/files/disk.ts';
import { openStore, type TeamStore } from '../../../src/store/team/team-store.ts';
import { name } from '../../support/team.ts';
import { ToldTeam } from '../../support/told-team.ts';

const ADA = name('ada');

const foreign = (content: string): string =>
  `${JSON.stringify({ type: 'message', sender: 'py', content, timestamp: 1 })}\n`;

const say = ({ sender }: TeamStore, content: string): Promise<unknown> =>
  sender.send({ sender: 'bob', recipient: ADA, draft: { type: 'message', content } });

/** A mailroom whose handler uses each message. */
function mailroom(disk: Disk = realDisk, onMail = (_: string): void => {}) {
  const { store, clock } = new ToldTeam({ ada: 'executor/exec' });
  const own = openStore(store.paths, { clock, disk });
  const got: string[] = [];
  const troubles: unknown[] = [];
  const room = new Mailroom({
    store: own,
    member: ADA,
    isCurrent: () => true,
    handle: ({ content }) => {
      got.push(content);
      onMail(content);
      return Promise.resolve(true);
    },
    onLook: () => {},
    onTrouble: (error) => troubles.push(error),
  });
  onTestFinished(async () => {
    await room.close();
    await own.close();
  });
  return { store, room, got, troubles, inbox: store.paths.inbox(ADA).inbox };
}

test('after mail was used there is an empty inbox, and what is sent to it arrives at once', async () => {
  const { store, room, got, inbox } = mailroom();
  await room.look();
  expect(existsSync(inbox)).toBe(false);
  await say(store, 'one');
  await expect.poll(() => got, { interval: 5, timeout: 900 }).toEqual(['one']);
  await expect.poll(() => existsSync(inbox) && statSync(inbox).size).toBe(0);
  await say(store, 'two');
  await expect.poll(() => got, { interval: 5, timeout: 900 }).toEqual(['one', 'two']);
});

test('mail that comes without a bell while other mail is used is received next, not a second later', async () => {
  const { store, room, got, inbox } = mailroom(realDisk, (content) => {
    if (content === 'one') appendFileSync(inbox, foreign('two'));
  });
  await say(store, 'one');
  await room.look();
  expect(got).toEqual(['one', 'two']);
});

test('a process that ends makes no inbox', async () => {
  const { store, room, got, inbox } = mailroom(realDisk, () => void room.close());
  await say(store, 'one');
  await room.look();
  expect([got, existsSync(inbox)]).toEqual([['one'], false]);
});

test('an inbox that cannot be made is reported, and the next message is received', async () => {
  const openSync: Disk['openSync'] = (path, flags, mode) => {
    if (String(path).endsWith('ada_inbox.jsonl')) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    return realDisk.openSync(path, flags, mode);
  };
  const { store, room, got, troubles, inbox } = mailroom({ ...realDisk, openSync });
  await say(store, 'one');
  await room.look();
  expect([got, existsSync(inbox), troubles]).toEqual([['one'], false, [expect.objectContaining({ code: 'NO_SPACE' })]]);
  await say(store, 'two');
  await expect.poll(() => got).toEqual(['one', 'two']);
});
