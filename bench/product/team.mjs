/** A team directory with the parts of the product that a measurement needs. */
import { mkdirSync } from 'node:fs';
import {
  createBell,
  Locks,
  parseName,
  pinDirectory,
  Reader,
  realClock,
  realDisk,
  Sender,
  teamPaths,
} from '../.build/product.mjs';

/** A quota that no measurement reaches. */
export const MANY = { inboxMaxMessages: 1e9, inboxMaxBytes: 2 ** 50 };
export const READER = parseName('member', 'reader');

/** A disk that leaves flushing to the system, as the yardsticks do. */
export const lazyDisk = { ...realDisk, fdatasyncSync: () => {}, fsyncSync: () => {} };

export const pathsIn = (dir) => teamPaths(dir, parseName('team', 'bench'));

export function makeTeamIn(dir, members = [READER]) {
  const paths = pathsIn(dir);
  for (const path of [paths.folder, paths.board]) mkdirSync(path, { recursive: true, mode: 0o700 });
  for (const member of members) createBell(realDisk, paths.inbox(member).bell);
  return paths;
}

export const locksIn = (dir, disk = realDisk) => new Locks(pathsIn(dir).tokens, { disk, clock: realClock });

export function senderIn(dir, { durable = true } = {}) {
  const paths = pathsIn(dir);
  const pinned = pinDirectory(realDisk, paths.folder);
  return new Sender(paths, { disk: realDisk, clock: realClock, locks: locksIn(dir), pinned, quota: MANY, durable });
}

export function readerIn(dir, disk = realDisk, member = READER) {
  const environment = { disk, clock: realClock, locks: locksIn(dir, disk), isCurrent: () => true };
  return new Reader(pathsIn(dir), member, environment);
}

/** All waiting mail, taken and acknowledged as a member does it. */
export async function* drain(reader, batch = 1_000) {
  for (;;) {
    const messages = await reader.take(batch);
    if (messages.length === 0) return;
    yield* messages;
    reader.acknowledge(messages);
  }
}
