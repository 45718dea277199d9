/** The limit of the disk: 200 byte appends, each followed by one `fdatasync`. */
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { bodiesIn, inboxIn } from './lines.mjs';

export function writer({ dir, who }) {
  const fd = openSync(inboxIn(dir), 'a');
  return {
    write(bodies) {
      for (const content of bodies) {
        writeSync(fd, `${JSON.stringify({ sender: who, content })}\n`);
        fdatasyncSync(fd);
      }
    },
    close: () => closeSync(fd),
  };
}

export const collect = (dir) => bodiesIn(inboxIn(dir));
