/** Worker processes of a test: started together, released together, read line by line, ended with the test. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { program } from './programs.ts';

export class Worker {
  readonly child: ChildProcess;
  readonly #heard: AsyncIterator<string, undefined>;
  readonly #lines: Interface;
  readonly #exited: Promise<unknown>;
  #errors = '';

  constructor(child: ChildProcess) {
    this.child = child;
    if (!child.stdout || !child.stderr) throw new Error('a worker speaks by its pipes');
    this.#lines = createInterface({ input: child.stdout });
    this.#heard = this.#lines[Symbol.asyncIterator]();
    this.#exited = once(child, 'exit');
    child.stderr.on('data', (data: Buffer) => (this.#errors += data.toString()));
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Its next line; undefined if it ended without one. */
  async next(): Promise<string | undefined> {
    const heard = await this.#heard.next();
    return heard.done === true ? undefined : heard.value;
  }

  go(word = 'go'): void {
    this.child.stdin?.write(`${word}\n`);
  }

  /** Its result: its last line, as JSON. A killed worker has none. */
  async result<T>(): Promise<T | undefined> {
    let last: string | undefined;
    for (let line = await this.next(); line !== undefined; line = await this.next()) last = line;
    await this.#exited;
    if (this.child.exitCode !== 0 && this.child.signalCode === null) throw new Error(`worker failed: ${this.#errors}`);
    return last === undefined || this.child.signalCode !== null ? undefined : (JSON.parse(last) as T);
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.#exited;
    this.#lines.close();
  }
}

/** Starts a program and ends it with the test. */
export function start(file: string, args: readonly string[], cwd: string): Worker {
  const worker = new Worker(spawn(file, args, { cwd, stdio: ['pipe', 'pipe', 'pipe'] }));
  onTestFinished(() => worker.kill());
  return worker;
}

/** Starts `store-worker.ts` with a job; it prints `ready` and waits for {@link Worker.go}. */
export const startStore = (cwd: string, job: string, options: object = {}): Promise<Worker> =>
  startStoreBy((command) => command, cwd, job, options);

/** As {@link startStore}, but by a given command, for example one that gives it a disk. */
export async function startStoreBy(
  commandOf: (command: readonly [string, ...string[]]) => readonly [string, ...string[]],
  cwd: string,
  job: string,
  options: object,
): Promise<Worker> {
  const [file, ...args] = commandOf([process.execPath, program('store-worker'), job, JSON.stringify(options)]);
  const worker = start(file, args, cwd);
  const said = await worker.next();
  if (said !== 'ready') await worker.result();
  return worker;
}

/** One process for each of the options, released at once when all are ready. */
export async function together(cwd: string, job: string, options: readonly object[]): Promise<Worker[]> {
  const workers = await Promise.all(options.map((option) => startStore(cwd, job, option)));
  for (const worker of workers) worker.go();
  return workers;
}

/** Polls until it holds, for changes without a notice. */
export async function until(holds: () => boolean, ms = 10_000): Promise<void> {
  for (const end = Date.now() + ms; !holds(); await new Promise((resolve) => setTimeout(resolve, 2)))
    if (Date.now() > end) throw new Error(`it never came true: ${holds.toString()}`);
}
