/** One reader with a full inbox: how fast it empties it, how much memory it uses, how long it holds the lock. */
import { openSync, writeSync } from 'node:fs';
import { audit, bodyOf } from '../lib/body.mjs';
import { peakMb } from '../lib/process-cost.mjs';
import { lineOf, realDisk } from '../.build/product.mjs';
import { bodiesIn } from '../yardsticks/lines.mjs';
import { lazyDisk, makeTeamIn, pathsIn, READER, readerIn } from './team.mjs';

const WHO = 'ada';
const CHUNK = 1_000;
/** As many as a member takes at once. */
const BATCH = 1_000;
const ULID = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const idOf = (number) => ULID.slice(0, 18) + String(number).padStart(8, '0');

/** Writes lines as the sender does, without a million sends. */
export function fill(dir, count) {
  const paths = makeTeamIn(dir);
  const fd = openSync(paths.inbox(READER).inbox, 'a', 0o600);
  for (let from = 0; from < count; from += CHUNK) {
    const lines = [];
    for (let n = from; n < Math.min(count, from + CHUNK); n += 1) {
      const draft = { type: 'message', content: bodyOf(WHO, n) };
      lines.push(lineOf({ sender: WHO, recipient: READER, draft }, idOf(n), 1.7e9));
    }
    writeSync(fd, Buffer.concat(lines));
  }
}

/** A disk that measures how long each lock is held. */
function watchedDisk(disk, lock, held) {
  let since = 0;
  return {
    ...disk,
    linkSync(from, to) {
      disk.linkSync(from, to);
      if (to === lock) since = performance.now();
    },
    unlinkSync(path) {
      disk.unlinkSync(path);
      if (path === lock) held.push(performance.now() - since);
    },
  };
}

/** @param isDurable whether used mail is flushed to the disk, as shipped; a bare parser flushes nothing */
export function empty({ dir, count, isDurable }) {
  const held = [];
  const inbox = pathsIn(dir).inbox(READER);
  const reader = readerIn(dir, watchedDisk(isDurable ? realDisk : lazyDisk, inbox.lock, held));
  return async () => {
    const began = performance.now();
    for (;;) {
      const messages = await reader.take(BATCH);
      if (messages.length === 0) break;
      reader.acknowledge(messages);
    }
    const took = performance.now() - began;
    const rssMb = peakMb();
    reader.close();
    const tally = audit(bodiesIn(inbox.history), [{ who: WHO, count }]);
    return { rate: count / (took / 1000), rssMb, heldMs: Math.max(...held), ...tally };
  };
}
