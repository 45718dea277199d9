/** What is in the history is never handed out again, however much a process used before it died. */
import { expect, it } from 'vitest';
import { realDisk, type Disk } from '../../../src/store/files/disk.ts';
import { waitingMail } from '../../../src/store/mail/inbox-view.ts';
import { Reader } from '../../../src/store/mail/reader.ts';
import { errno } from '../../support/faults.ts';
import { name } from '../../support/team.ts';
import { ToldTeam } from '../../support/told-team.ts';

const ADA = name('ada');

/** As if the process died after the history was synced and before an offset was written, or the file closed. */
const dyingAtAck = (): Disk & { dies: boolean } => {
  const disk = {
    ...realDisk,
    dies: false,
    openSync: ((path: string, ...rest: [number, number?]) => {
      if (disk.dies && path.endsWith('.ack')) throw errno('EIO');
      return realDisk.openSync(path, ...rest);
    }) as Disk['openSync'],
    fchmodSync: (fd: number, mode: string | number) => {
      if (disk.dies) throw errno('EIO');
      realDisk.fchmodSync(fd, mode);
    },
  };
  return disk;
};

it.each([
  ['60 messages of 200 kB', 60, 200_000],
  ['6,000 short messages', 6_000, 10],
])('%s that are in the history but not behind the offset are never handed out again', async (_, count, size) => {
  const { store } = new ToldTeam({ ada: 'executor/exec' });
  const { paths, clock, locks, disk } = store;
  const say = (content: string): Promise<unknown> =>
    store.sender.send({ sender: 'lead', recipient: ADA, draft: { type: 'message', content } });
  const sendAll = async (from: number, to: number): Promise<void> => {
    for (let n = from; n < to; n += 500)
      await Promise.all(Array.from({ length: Math.min(500, to - n) }, (_, at) => say(`${n + at} ${'x'.repeat(size)}`)));
  };
  const readerOn = (its: Disk): Reader => new Reader(paths, ADA, { disk: its, clock, locks, isCurrent: () => true });
  await sendAll(0, 10);
  const first = readerOn(disk);
  first.acknowledge(await first.take());
  first.close();
  await sendAll(0, count);
  const dying = dyingAtAck();
  const dead = readerOn(dying);
  const mail = await dead.take();
  expect(mail).toHaveLength(count);
  dying.dies = true;
  expect(() => dead.acknowledge(mail)).toThrow();
  dead.close();
  await say('new');
  expect([...waitingMail(disk, paths.inbox(ADA))].map(({ content }) => content)).toContain('new');
  const next = readerOn(disk);
  expect((await next.take()).map(({ content }) => content)).toEqual(['new']);
  next.close();
});
