// Reads paths between NULs from stdin; for each writes `kind TAB bytes TAB lines TAB path` and a NUL. The kinds are file
// (text), binary (a NUL among the first 8,000 bytes, git's rule), link, folder, special and gone. Follows no link, opens
// nothing but regular files. Lines are -1 where they were not counted: binary, above 16 MB, or 30 s after the start.
import { closeSync, constants, lstatSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';

const LARGEST_COUNTED = 16_000_000;
const COUNT_UNTIL = performance.now() + 30_000;
const NUL = 0;
const NEWLINE = 10;
const head = Buffer.alloc(8000);

function* between(bytes, separator) {
  let start = 0;
  for (let end = bytes.indexOf(separator); end !== -1; end = bytes.indexOf(separator, start)) {
    yield bytes.subarray(start, end);
    start = end + 1;
  }
}

function startsWithText(path) {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    return !head.subarray(0, readSync(file, head, 0, head.length, 0)).includes(NUL);
  } finally {
    closeSync(file);
  }
}

function countLines(path, size) {
  if (size > LARGEST_COUNTED || performance.now() > COUNT_UNTIL) return -1;
  const bytes = readFileSync(path);
  let lines = 0;
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) lines += 1;
  return bytes.length > 0 && bytes.at(-1) !== NEWLINE ? lines + 1 : lines;
}

function measure(path) {
  const stat = lstatSync(path);
  if (stat.isSymbolicLink()) return ['link', 0, 0];
  if (stat.isDirectory()) return ['folder', 0, 0];
  if (!stat.isFile()) return ['special', 0, 0];
  return startsWithText(path) ? ['file', stat.size, countLines(path, stat.size)] : ['binary', stat.size, 0];
}

function measured(path) {
  try {
    return measure(path);
  } catch {
    return ['gone', 0, 0]; // removed since it was listed, or not ours to read: both are counted as one kind
  }
}

const seen = new Set();
const records = [];
for (const path of between(readFileSync(0), NUL)) {
  const key = path.toString('latin1'); // a file in conflict is listed once per side
  if (seen.has(key)) continue;
  seen.add(key);
  records.push(Buffer.from(`${measured(path).join('\t')}\t`), path, Buffer.of(NUL));
}
const answer = Buffer.concat(records);
for (let at = 0; at < answer.length;) at += writeSync(1, answer, at);
