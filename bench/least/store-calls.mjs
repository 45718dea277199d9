/**
 * The least that the rules of the store leave of a message: its file calls, in their order, and what a line must be to
 * be mail. No check of what the calls answer, no schema, no error, no identity of a process. What a goal asks for and this does not reach, the
 * rules do not allow (docs/decisions/154-the-least-a-rule-costs.md).
 */
import {
  closeSync,
  constants,
  fchmodSync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readSync,
  renameSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { randomInt } from 'node:crypto';
import { inboxIn } from '../yardsticks/lines.mjs';
import { whatIsWrong } from './line-rules.mjs';

const { O_APPEND, O_CREAT, O_DIRECTORY, O_NOFOLLOW, O_RDWR, O_WRONLY } = constants;
const asleep = new Int32Array(new SharedArrayBuffer(4));
const byte = Buffer.alloc(1);
const LOOK_MS = 1_000;
const KEEP_MS = 3_000;

const bellIn = (dir) => join(dir, 'inbox.bell');
const lockIn = (dir) => join(dir, 'inbox.lock');
export const historyIn = (dir) => join(dir, 'history.jsonl');

export function prepare(dir) {
  for (const path of [bellIn(dir), inboxIn(dir), historyIn(dir)]) writeFileSync(path, '');
}

/** Holds the lock while `work` runs; waits between two tries as the product does, 0.05 to 2 ms. */
function locked(dir, token, work) {
  for (;;) {
    try {
      linkSync(token, lockIn(dir));
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      Atomics.wait(asleep, 0, 0, randomInt(50, 2_000) / 1_000);
    }
  }
  try {
    return work();
  } finally {
    // Only one's own lock is released.
    lstatSync(lockIn(dir));
    unlinkSync(lockIn(dir));
  }
}

const tokenFor = (dir, who) => {
  const token = join(dir, `token-${who}`);
  writeFileSync(token, '');
  return token;
};

/** @returns sends these lines, as one group */
export function sender(dir, who, { isFlushed = false } = {}) {
  const token = tokenFor(dir, who);
  let named;
  return (lines) => {
    lstatSync(bellIn(dir));
    let fd;
    const { size, ino } = locked(dir, token, () => {
      lstatSync(dir);
      lstatSync(bellIn(dir));
      fd = openSync(inboxIn(dir), O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
      const before = fstatSync(fd);
      if (before.size > 0) readSync(fd, byte, 0, 1, before.size - 1);
      writeSync(fd, lines);
      // What was written to a closed file is sent again.
      fstatSync(fd);
      return before;
    });
    if (size === 0) {
      const bell = openSync(bellIn(dir), O_WRONLY | O_NOFOLLOW);
      writeSync(bell, byte, 0, 1, 0);
      closeSync(bell);
    }
    if (isFlushed) {
      fdatasyncSync(fd);
      if (ino !== named) syncDirectory(dir);
      named = ino;
    }
    lstatSync(dir);
    closeSync(fd);
  };
}

function syncDirectory(dir) {
  const fd = openSync(dir, O_DIRECTORY);
  fsyncSync(fd);
  closeSync(fd);
}

/** @returns takes what has come: each message to `use`, then into the history, then acknowledged */
export function taker(dir, use, { isFlushed = false } = {}) {
  const token = tokenFor(dir, 'reader');
  const history = openSync(historyIn(dir), 'a');
  const receipts = openSync(join(dir, 'receipts.jsonl'), 'a', 0o600);
  const known = new Set();
  const closed = [];
  let number = 0;
  setInterval(() => tidy(closed), LOOK_MS).unref();
  return () => {
    while ((lstatSync(inboxIn(dir), { throwIfNoEntry: false })?.size ?? 0) > 0) {
      const segment = join(dir, `inbox.taken.${(number += 1)}.jsonl`);
      locked(dir, token, () => {
        lstatSync(dir);
        renameSync(inboxIn(dir), segment);
      });
      const fd = openSync(segment, 'r');
      const { size } = fstatSync(fd);
      const bytes = Buffer.allocUnsafe(size);
      readSync(fd, bytes, 0, size, 0);
      closeSync(fd);
      lstatSync(dir);
      const text = bytes.utf8Slice();
      for (const line of text.split('\n')) {
        if (line === '') continue;
        const message = JSON.parse(line);
        if (whatIsWrong(line, message) || known.has(message.id)) continue;
        known.add(message.id);
        use(message.content);
      }
      writeSync(history, text);
      if (isFlushed) fdatasyncSync(history);
      const used = openSync(segment, 'r');
      fchmodSync(used, 0o400);
      closeSync(used);
      closed.push({ segment, at: performance.now() });
      writeSync(receipts, `{"read":${size}}\n`);
      if (!lstatSync(inboxIn(dir), { throwIfNoEntry: false }))
        closeSync(openSync(inboxIn(dir), O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600));
    }
  };
}

/** A taken file is removed 3 s after its last growth; until then it is looked at each second. */
function tidy(closed) {
  for (const { segment } of closed) lstatSync(segment);
  while (closed.length > 0 && performance.now() - closed[0].at >= KEEP_MS) unlinkSync(closed.shift().segment);
}

let last = 0;
/** As short as a line of mail can be; a real one has a ULID, its recipient and its kind, too. */
export const lineOf = (sent, content) =>
  `${JSON.stringify({ type: 'message', sender: sent, content, timestamp: Date.now() / 1000, id: `${sent}-${(last += 1)}` })}\n`;

export { bellIn };
