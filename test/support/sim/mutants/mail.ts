/** Wrong inboxes, each with one error that real programs have. */
import { lookAt, O_WRONLY, type Disk } from '../../../../src/store/files/disk.ts';
import { Locks } from '../../../../src/store/lock/lock.ts';
import { mailIn } from '../../../../src/store/mail/mail-lines.ts';
import type { TeamPaths } from '../../../../src/store/files/paths.ts';
import { pinDirectory } from '../../../../src/store/files/pinned.ts';
import { Reader } from '../../../../src/store/mail/reader.ts';
import { Sender } from '../../../../src/store/mail/sender.ts';
import type { Message } from '../../../../src/model/team/message.ts';
import { MANY, name } from '../../team.ts';
import type { Run } from '../life.ts';
import { INBOX, ours, PATHS, type Mail, type Mailbox } from '../scenarios/inbox.ts';
import { writeToInbox } from '../scenarios/v8-writer.ts';
import { over } from './over.ts';

const ADA = name('ada');

function sendWith(run: Run, from: string, disk: Disk): (text: string) => Promise<unknown> {
  const locks = new Locks(PATHS.tokens, run.lockEnvironment);
  const sender = new Sender(PATHS, {
    disk,
    clock: run.clock,
    locks,
    pinned: pinDirectory(disk, PATHS.folder),
    quota: MANY,
  });
  return (content) => sender.send({ sender: from, recipient: ADA, draft: { type: 'message', content } });
}

const readWith = (run: Run, isCurrent: () => boolean, disk: Disk, paths: TeamPaths = PATHS): Reader =>
  new Reader(paths, ADA, { disk, clock: run.clock, locks: new Locks(PATHS.tokens, run.lockEnvironment), isCurrent });

type Write = (fd: number, bytes: Buffer, at: number, length: number, position: number | null) => number;
const writing = (disk: Disk, writeSync: Write): Disk => over(disk, { writeSync } as Partial<Disk>);

/** Writes on after a torn tail. */
export const withoutSeal: Mailbox = {
  ...ours,
  send: (run, from) =>
    sendWith(
      run,
      from,
      writing(run.disk, (fd, bytes, at, length, position) => {
        const isSealed = bytes[at] === 10 && length > 1;
        if (!isSealed) return run.disk.writeSync(fd, bytes, at, length, position);
        return 1 + run.disk.writeSync(fd, bytes, at + 1, length - 1, position);
      }),
    ),
};

/** The v8 writer, verbatim, for our own mail. */
export const seedsWriter: Mailbox = {
  ...ours,
  send: (run, from) => (text) => {
    writeToInbox(run, { inbox: INBOX.inbox, lock: INBOX.lock, tries: 50 }, from, text);
    return Promise.resolve();
  },
};

/** The whole inbox is read and emptied, under a lock that works. */
export const readAndClear: Mailbox = { ...ours, read: (run) => clearing(run) };

function clearing(run: Run): Mail {
  const { disk } = run;
  const locks = new Locks(PATHS.tokens, run.lockEnvironment);
  const hasMore = (): boolean => (lookAt(disk, INBOX.inbox)?.size ?? 0) > 0;
  const clear = (): Message[] => {
    const mail = [...mailIn(disk, INBOX.inbox)].flatMap((line) => (line.ok ? [line.message] : []));
    const fd = disk.openSync(INBOX.inbox, O_WRONLY);
    disk.ftruncateSync(fd, 0);
    disk.closeSync(fd);
    return mail;
  };
  return {
    take: async () => (hasMore() ? locks.withLock(INBOX.lock, clear) : []),
    acknowledge: () => {},
    tidy: () => {},
    hasMore,
  };
}

/** One offset for all segments. */
export const ackWithoutSegment: Mailbox = {
  ...ours,
  read(run, isCurrent) {
    const { disk } = run;
    const openSync = (path: string, flags: number, mode: number): number =>
      disk.openSync(path.endsWith('.ack') ? `${PATHS.folder}/ada_inbox.ack` : path, flags, mode);
    const unlinkSync = (path: string): void => (path.endsWith('.ack') ? undefined : disk.unlinkSync(path));
    return readWith(run, isCurrent, over(disk, { openSync, unlinkSync } as Partial<Disk>));
  },
};

/** All taken segments have one name. */
export const oneTakenName: Mailbox = {
  ...ours,
  read(run, isCurrent) {
    const segment = (): string => INBOX.segment(1, '01AAAAAAAAAAAAAAAAAAAAAAAA');
    return readWith(run, isCurrent, run.disk, { ...PATHS, inbox: () => ({ ...INBOX, segment }) });
  },
};

/** Any process that has the inbox open takes from it. */
export const withoutIncarnation: Mailbox = { ...ours, read: (run) => readWith(run, () => true, run.disk) };

/** Removes a segment that a sender may still have open. */
export const removedUnclosed: Mailbox = {
  ...ours,
  read: (run, isCurrent) => readWith(run, isCurrent, over(run.disk, { fchmodSync: () => undefined })),
};

/** A foreign line is identified by its bytes and its offset, in any file. */
export const foreignIdFromBytes: Mailbox = {
  ...ours,
  read(run, isCurrent) {
    const mail = ours.read(run, isCurrent);
    const seen = new Set<string>();
    const isNew = ({ id, content, sender }: Message): boolean => {
      const [, at] = /^ada_inbox.*-(\d+)$/.exec(id) ?? [];
      const { size } = seen;
      return at === undefined || seen.add(`${sender} ${content} ${at}`).size > size;
    };
    const take = async (max?: number): Promise<Message[]> => {
      const taken = await mail.take(max);
      const fresh = taken.filter(isNew);
      mail.acknowledge(taken.filter((message) => !fresh.includes(message)));
      return fresh;
    };
    return {
      take,
      acknowledge: (all) => mail.acknowledge(all),
      tidy: () => mail.tidy(),
      hasMore: () => mail.hasMore(),
    };
  },
};
