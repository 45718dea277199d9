/** One reader before a full inbox: how fast it empties it, how much memory it takes, how long it holds the lock. */
import { openSync, writeSync } from 'node:fs';
import { bodyOf } from '../lib/body.mjs';
import { lineOf, realDisk } from '../.build/product.mjs';
import { drain, makeTeamIn, pathsIn, READER, readerIn } from './team.mjs';

const WHO = 'ada';
const CHUNK = 1_000;
const ULID = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const idOf = (number) => ULID.slice(0, 18) + String(number).padStart(8, '0');

/** Lines as the sender writes them, without a million sends. */
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
function watchedDisk(lock, held) {
  let since = 0;
  return {
    ...realDisk,
    linkSync(from, to) {
      realDisk.linkSync(from, to);
      if (to === lock) since = performance.now();
    },
    unlinkSync(path) {
      realDisk.unlinkSync(path);
      if (path === lock) held.push(performance.now() - since);
    },
  };
}

export function empty({ dir, count }) {
  const held = [];
  const reader = readerIn(dir, watchedDisk(pathsIn(dir).inbox(READER).lock, held));
  return async () => {
    const began = performance.now();
    let got = 0;
    let damaged = 0;
    for await (const { content } of drain(reader)) {
      // Not kept: what is measured is the reader's memory. The order is the proof that none is missing.
      if (content !== bodyOf(WHO, got)) damaged += 1;
      got += 1;
    }
    const took = performance.now() - began;
    reader.close();
    const { maxRSS } = process.resourceUsage();
    return { rate: count / (took / 1000), rssMb: maxRSS / 1024, heldMs: Math.max(...held), lost: count - got, damaged };
  };
}
