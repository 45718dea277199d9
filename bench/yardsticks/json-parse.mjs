/** The limit of a drain: the same file in chunks, each line through `JSON.parse`, and nothing else. */
import { openSync, readSync } from 'node:fs';
import { peakMb } from '../lib/process-cost.mjs';

const CHUNK = 64 * 1024;

export function parseAll({ file, count }) {
  const fd = openSync(file, 'r');
  return () => {
    const buffer = Buffer.allocUnsafe(CHUNK);
    const began = performance.now();
    let rest = '';
    let got = 0;
    for (let read = readSync(fd, buffer); read > 0; read = readSync(fd, buffer)) {
      const lines = (rest + buffer.utf8Slice(0, read)).split('\n');
      rest = lines.pop();
      for (const line of lines) if (JSON.parse(line).content !== undefined) got += 1;
    }
    const took = performance.now() - began;
    return { rate: count / (took / 1000), rssMb: peakMb(), lost: count - got };
  };
}
