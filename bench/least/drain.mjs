/** A drain with the work of the store's rules and nothing else: each id is looked up, each line goes to the history. */
import { openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { peakMb } from '../lib/process-cost.mjs';

const CHUNK = 64 * 1024;
/** As many ids of the history as a reader knows. */
const KNOWN = 4_096;
/** As many messages as a member takes, and acknowledges, at once. */
const BATCH = 1_000;

export function drain({ dir, file, count }) {
  const fd = openSync(file, 'r');
  const history = openSync(join(dir, 'least-history.jsonl'), 'a');
  const ack = openSync(join(dir, 'least.ack'), 'w');
  return () => {
    const buffer = Buffer.allocUnsafe(CHUNK);
    const [known, order] = [new Set(), []];
    const began = performance.now();
    let rest = '';
    let got = 0;
    let batch = [];
    const acknowledge = () => {
      writeSync(history, `${batch.join('\n')}\n`);
      writeSync(ack, String(got).padStart(20), 0);
      for (const id of order.splice(0, order.length - KNOWN)) known.delete(id);
      batch = [];
    };
    for (let read = readSync(fd, buffer); read > 0; read = readSync(fd, buffer)) {
      const lines = (rest + buffer.utf8Slice(0, read)).split('\n');
      rest = lines.pop();
      for (const line of lines) {
        const { id, content } = JSON.parse(line);
        if (known.has(id)) continue;
        known.add(id);
        order.push(id);
        batch.push(line);
        if (content !== undefined) got += 1;
        if (batch.length === BATCH) acknowledge();
      }
    }
    if (batch.length > 0) acknowledge();
    const took = performance.now() - began;
    return { rate: count / (took / 1000), rssMb: peakMb(), lost: count - got };
  };
}
