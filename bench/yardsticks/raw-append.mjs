/** The physical limit: one `O_APPEND` write of 200 bytes per message, nothing else. */
import { closeSync, openSync, writeSync } from 'node:fs';
import { bodiesIn, inboxIn } from './lines.mjs';

const LINE = 200;

export function writer({ dir, who }) {
  const fd = openSync(inboxIn(dir), 'a');
  const head = `{"type":"message","sender":"${who}","content":"`;
  const tail = (length) => `","timestamp":1.5,"pad":"${'.'.repeat(Math.max(0, LINE - head.length - length - 29))}"}\n`;
  return {
    write(bodies) {
      for (const body of bodies) writeSync(fd, head + body + tail(body.length));
    },
    close: () => closeSync(fd),
  };
}

export const collect = (dir) => bodiesIn(inboxIn(dir));
