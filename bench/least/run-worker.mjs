/**
 * A teammate of {@link ./run.mjs}: claims each of its tasks in the log, runs it in a shell of its own group, keeps what
 * it printed and its result, says in the log that it is done, and tells the lead.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fdatasyncSync, fsyncSync, fstatSync, openSync, readSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { lineOf, sender } from './store-calls.mjs';

const [dir, number, workers, tasks] = [process.argv[2], ...process.argv.slice(3).map(Number)];
const path = join(dir, 'log.jsonl');
const log = openSync(path, 'a+');
const folder = openSync(dir, 'r');
const tell = sender(dir, `m${number}`, { isFlushed: true });

/** Every process folds what the others wrote. */
let at = 0;
function fold() {
  const { size } = fstatSync(log);
  const bytes = Buffer.allocUnsafe(size - at);
  const end = bytes.subarray(0, readSync(log, bytes, 0, size - at, at)).lastIndexOf(10) + 1;
  at += end;
  for (const line of bytes.latin1Slice(0, end).split('\n')) if (line !== '') JSON.parse(line);
}

const record = (type, task) =>
  writeSync(log, `\n${JSON.stringify({ type, task, at: new Date().toISOString(), by: `m${number}` })}\n`);

function keep(name, text) {
  const file = openSync(join(dir, `${name}.tmp`), 'wx', 0o600);
  writeSync(file, text);
  fdatasyncSync(file);
  closeSync(file);
  renameSync(join(dir, `${name}.tmp`), join(dir, name));
  fsyncSync(folder);
}

for (let task = number; task < tasks; task += workers) {
  fold();
  record('task.claimed', task);
  fold();
  const output = openSync(join(dir, `${task}.output`), 'a', 0o600);
  const child = spawn('/bin/sh', ['-c', 'true'], { detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => writeSync(output, bytes));
  const [code] = await once(child, 'close');
  closeSync(output);
  keep(`${task}.result`, JSON.stringify({ code }));
  record('task.completed', task);
  fdatasyncSync(log);
  fold();
  tell(lineOf(`m${number}`, `done ${task}`));
}
