/** The inbox of a member in a replica, against a store in memory: what others used is in no inbox here. */
import { beforeEach, expect, it } from 'vitest';
import { SharedInbox } from '../../../src/runtime/relay/shared-inbox.ts';
import { realDisk } from '../../../src/store/files/disk.ts';
import type { TeamPaths } from '../../../src/store/files/paths.ts';
import { waitingMail } from '../../../src/store/mail/inbox-view.ts';
import { createBell } from '../../../src/store/mail/bell.ts';
import type { Locks } from '../../../src/store/lock/lock.ts';
import { takeLease } from '../../../src/store/team/lease.ts';
import { realClock } from '../../support/clock.ts';
import { locksOf, name, senderOf, teamAt } from '../../support/team.ts';
import { tempDir } from '../../support/temp.ts';

const ADA = name('ada');
const HERE = { isElsewhere: false, isWhole: true };

/** The mailbox of ada. */
class Mailbox {
  readonly #ids: string[] = [];
  readonly #lines: string[] = [];
  readonly #waiting = new Set<string>();

  send(id: string): void {
    this.#ids.push(id);
    const line = { type: 'message', sender: 'bob', content: id, timestamp: 1, id, recipient: 'ada' };
    this.#lines.push(JSON.stringify(line));
    this.#waiting.add(id);
  }

  get known(): { last: number; used: number } {
    return { last: this.#lines.length, used: this.#lines.length - this.#waiting.size };
  }

  acknowledge(_team: string, _member: string, _by: string, ids: readonly string[]): Promise<number> {
    return Promise.resolve(ids.filter((id) => this.#waiting.delete(id)).length);
  }

  waiting(): Promise<Set<string>> {
    return Promise.resolve(new Set(this.#waiting));
  }

  after(_team: string, _member: string, after: number) {
    const found = this.#lines
      .map((line, at) => ({ number: at + 1, line }))
      .filter(({ number }) => number > after && this.#waiting.has(this.#ids[number - 1] ?? ''));
    return Promise.resolve({ found, isAll: true, log: 0 });
  }
}

let store: Mailbox;
let paths: TeamPaths;
let inbox: SharedInbox;
let locks: Locks;

beforeEach(() => {
  store = new Mailbox();
  paths = teamAt(tempDir());
  createBell(realDisk, paths.inbox(ADA).bell);
  locks = locksOf(paths);
  const { sender, close } = senderOf(paths, { durable: false });
  inbox = new SharedInbox({ disk: realDisk, paths, locks, sender, team: 'team', now: () => realClock.now() }, ADA);
  return () => {
    close();
    locks.close();
  };
});

const sync = (): Promise<void> =>
  inbox.sync({ mail: store, kept: () => Promise.resolve(undefined) }, store.known, HERE);
const waiting = (): string[] => [...waitingMail(realDisk, paths.inbox(ADA))].map(({ id }) => id);

it('mail that was used on another machine is removed here', async () => {
  store.send('m1');
  await sync();
  expect(waiting()).toEqual(['m1']);
  await store.acknowledge('', '', '', ['m1']);
  await sync();
  expect(waiting()).toEqual([]);
});

it('mail that was used on another machine is removed after its reader here has ended, though nothing else is used', async () => {
  const environment = { disk: realDisk, locks, now: () => realClock.now(), onLost: () => {}, isOurs: () => true };
  const answer = await takeLease(paths, ADA, environment);
  if (!answer.held) throw new Error('The lease is taken.');
  store.send('m1');
  store.send('m2');
  await sync();
  await store.acknowledge('', '', '', ['m1']);
  await sync();
  expect(waiting()).toEqual(['m1', 'm2']);
  await answer.lease.release();
  await sync();
  expect(waiting()).toEqual(['m2']);
  store.send('m3');
  await sync();
  expect(waiting()).toEqual(['m2', 'm3']);
});
