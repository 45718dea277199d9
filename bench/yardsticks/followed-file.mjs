/**
 * One writer appends to a file, one reader follows it from its last position; callers choose how the reader is woken.
 */
import { closeSync, fstatSync, openSync, readSync, writeFileSync, writeSync } from 'node:fs';
import { inboxIn } from './lines.mjs';

export const prepare = (dir) => writeFileSync(inboxIn(dir), '');

export function producer({ dir }) {
  const fd = openSync(inboxIn(dir), 'a');
  return {
    add: (bodies) => bodies.forEach((body) => writeSync(fd, `${JSON.stringify({ body })}\n`)),
    close: () => closeSync(fd),
  };
}

/** @returns a function that reads what came since its last call */
export function follow(dir, onBody) {
  const fd = openSync(inboxIn(dir), 'r');
  let at = 0;
  let rest = '';
  return () => {
    const { size } = fstatSync(fd);
    if (size <= at) return;
    const buffer = Buffer.allocUnsafe(size - at);
    at += readSync(fd, buffer, 0, buffer.length, at);
    const lines = (rest + buffer.toString()).split('\n');
    rest = lines.pop();
    for (const line of lines) onBody(JSON.parse(line).body);
  };
}
