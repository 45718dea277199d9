/**
 * A drain with the work of the store's rules and nothing else: each line is judged, its id is looked up, it is handed out
 * with its place, goes to the history, and is acknowledged.
 */
import { openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { whatIsWrong } from './line-rules.mjs';
import { peakMb } from '../lib/process-cost.mjs';

const CHUNK = 64 * 1024;
/** As many ids of the history as a reader knows. */
const KNOWN = 4_096;
/** As many messages as a member takes, and acknowledges, at once. */
const BATCH = 1_000;

export function drain({ dir, file, count }) {
  const fd = openSync(file, 'r');
  const history = openSync(join(dir, 'least-history.jsonl'), 'a');
  const receipts = openSync(join(dir, 'least-receipts.jsonl'), 'a');
  const ack = openSync(join(dir, 'least.ack'), 'w');
  return () => {
    const buffer = Buffer.allocUnsafe(CHUNK);
    const [known, order, open] = [new Set(), [], new Map()];
    const began = performance.now();
    let rest = '';
    let got = 0;
    let wrong = 0;
    let end = 0;
    let batch = [];
    const acknowledge = () => {
      const lines = batch.map(({ id }) => open.get(id).line);
      writeSync(history, `${lines.join('\n')}\n`);
      for (const { id } of batch) {
        open.delete(id);
        known.add(id);
        order.push(id);
      }
      writeSync(ack, String(end).padStart(20), 0);
      writeSync(receipts, `${JSON.stringify({ ids: batch.map(({ id }) => id) })}\n`);
      for (const id of order.splice(0, order.length - KNOWN)) known.delete(id);
      batch = [];
    };
    for (let read = readSync(fd, buffer); read > 0; read = readSync(fd, buffer)) {
      const lines = (rest + buffer.utf8Slice(0, read)).split('\n');
      rest = lines.pop();
      for (const line of lines) {
        end += line.length + 1;
        const message = JSON.parse(line);
        if (whatIsWrong(line, message)) {
          wrong += 1;
          continue;
        }
        if (open.has(message.id) || known.has(message.id)) continue;
        open.set(message.id, { line, end });
        batch.push(message);
        got += 1;
        if (batch.length === BATCH) acknowledge();
      }
    }
    if (batch.length > 0) acknowledge();
    const took = performance.now() - began;
    return { rate: count / (took / 1000), rssMb: peakMb(), lost: count - got + wrong };
  };
}
