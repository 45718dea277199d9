/** A team directory made by the store's own parts, without the code of the runtime. */
import { mkdirSync } from 'node:fs';
import { ulid } from 'ulid';
import type { Clock } from '../../src/model/text/clock.ts';
import type { Author, BoardEvent, Body } from '../../src/model/board/event.ts';
import { LEAD, parseName, type Name } from '../../src/model/text/names.ts';
import { newTaskSchema } from '../../src/model/board/task.ts';
import { createBell } from '../../src/store/mail/bell.ts';
import { BoardStore } from '../../src/store/board/board.ts';
import { realDisk, type Disk } from '../../src/store/files/disk.ts';
import { Locks } from '../../src/store/lock/lock.ts';
import { teamPaths, type TeamPaths } from '../../src/store/files/paths.ts';
import { pinDirectory } from '../../src/store/files/pinned.ts';
import { Reader, type ReaderEnvironment } from '../../src/store/mail/reader.ts';
import { Sender, type Quota } from '../../src/store/mail/sender.ts';
import { realClock } from './clock.ts';

export const name = (text: string): Name => parseName('member', text);
export const PERSON: Author = { person: LEAD, epoch: 0 };
export const MANY: Quota = { inboxMaxMessages: 10_000_000, inboxMaxBytes: 2 ** 40 };

export function teamAt(root: string, team = 'login'): TeamPaths {
  const paths = teamPaths(root, parseName('team', team));
  for (const path of [paths.folder, paths.board, paths.processes]) mkdirSync(path, { recursive: true, mode: 0o700 });
  return paths;
}

export interface Parts {
  readonly disk?: Disk;
  readonly clock?: Clock;
  readonly quota?: Quota;
  readonly durable?: boolean;
  readonly lockTimeoutMs?: number;
}

export const locksOf = (paths: TeamPaths, { disk = realDisk, clock = realClock }: Parts = {}): Locks =>
  new Locks(paths.tokens, { disk, clock });

export function senderOf(paths: TeamPaths, parts: Parts = {}) {
  const { disk = realDisk, clock = realClock, quota = MANY, durable = true, lockTimeoutMs = 15_000 } = parts;
  const locks = locksOf(paths, parts);
  const pinned = pinDirectory(disk, paths.folder);
  const sender = new Sender(paths, { disk: pinned.disk, clock, locks, pinned, quota, durable, lockTimeoutMs });
  return {
    sender,
    close: (): void => {
      locks.close();
      pinned.close();
    },
  };
}

export function readerOf(paths: TeamPaths, member: Name, parts: Parts & Partial<ReaderEnvironment> = {}) {
  const { disk = realDisk, clock = realClock, isCurrent = () => true, onBad = () => {} } = parts;
  const locks = parts.locks ?? locksOf(paths, parts);
  const reader = new Reader(paths, member, { disk, clock, locks, isCurrent, onBad });
  return {
    reader,
    close: (): void => {
      reader.close();
      locks.close();
    },
  };
}

export const hang = (paths: TeamPaths, ...members: Name[]): void => {
  for (const member of members) createBell(realDisk, paths.inbox(member).bell);
};

export const boardOf = (paths: TeamPaths, parts: Parts & { create?: boolean } = {}): BoardStore =>
  new BoardStore(paths.log, {
    disk: parts.disk ?? realDisk,
    clock: parts.clock ?? realClock,
    create: parts.create ?? false,
  });

/**
 * A board with members in their first incarnation, and pending tasks.
 * @returns each member's incarnation
 */
export function openBoard(paths: TeamPaths, members: readonly string[], tasks = 0): Record<string, string> {
  const store = boardOf(paths, { create: true });
  const incs = Object.fromEntries(members.map((member) => [member, ulid()]));
  const say = (body: Body): unknown => store.append(PERSON, () => body);
  say({ type: 'log.opened', team: ulid(), name: paths.name });
  say({ type: 'team.opened', profile: 'v8', claim: 'auto' });
  for (const [member, inc] of Object.entries(incs)) {
    say({ type: 'member.joined', name: name(member), role: name('executor'), prefixes: [] });
    say({ type: 'member.started', name: name(member), inc, after: null });
  }
  for (let id = 1; id <= tasks; id += 1) say({ type: 'task.created', task: String(id), fields: task(`Task ${id}`) });
  store.close();
  return incs;
}

export const task = (subject: string) => newTaskSchema.parse({ subject });

export const eventOf = (body: Body): BoardEvent => ({
  ...body,
  id: ulid(),
  v: 1,
  at: '2026-01-01T00:00:00.000Z',
  author: PERSON,
});
