/**
 * A run with the work of the store's rules and nothing else: four teammates, each a process of Node, and their lead, which
 * takes what they tell. No plan is read, nothing is judged, watched over, limited, swept or shown, and nobody restarts.
 *
 *     node run.mjs DIRECTORY TASKS
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fdatasyncSync, openSync, watch, writeSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bellIn, prepare, taker } from './store-calls.mjs';

const WORKERS = 4;
const WORKER = fileURLToPath(new URL('run-worker.mjs', import.meta.url));

const [dir, tasks] = [process.argv[2], Number(process.argv[3])];
prepare(dir);
const log = openSync(join(dir, 'log.jsonl'), 'a', 0o600);
for (let task = 0; task < tasks; task += 1) writeSync(log, `\n${JSON.stringify({ type: 'task.created', task })}\n`);
fdatasyncSync(log);

let told = 0;
const take = taker(dir, () => (told += 1), { isFlushed: true });
watch(bellIn(dir), take);
const workers = Array.from({ length: WORKERS }, (_, number) =>
  spawn(process.execPath, [WORKER, dir, String(number), String(WORKERS), String(tasks)], { stdio: 'inherit' }),
);
const codes = await Promise.all(workers.map(async (worker) => (await once(worker, 'exit'))[0]));
take();
process.exit(codes.every((code) => code === 0) && told === tasks ? 0 : 1);
