/**
 * Processes that do a job at the same time. Each prints `"ready"`, reads its work, and prints its result, all as lines
 * of JSON, so that a program in any language can take part. They live through all rounds: warm programs are measured.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const HAND = fileURLToPath(new URL('hand.mjs', import.meta.url));
const LONGEST_MS = 180_000;

/** A job of a module under bench/, for {@link hire}. */
export const job = (module, name, options) => [process.execPath, HAND, module, name, JSON.stringify(options)];

class Hand {
  #child;
  #lines;
  #errors = '';

  constructor([file, ...args]) {
    this.#child = spawn(file, args, { stdio: ['pipe', 'pipe', 'pipe'] });
    this.#child.stderr.on('data', (bytes) => (this.#errors = (this.#errors + bytes).slice(-2_000)));
    this.#child.stdin.on('error', () => {}); // It died; `ended` reports that.
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
    this.ended = new Promise((resolve) => this.#child.once('close', resolve));
  }

  get pid() {
    return this.#child.pid;
  }

  tell(what) {
    this.#child.stdin.write(`${JSON.stringify(what)}\n`);
  }

  /** @returns the next value that it prints */
  async hear() {
    const late = setTimeout(() => this.kill(), LONGEST_MS);
    const { done, value } = await this.#lines.next();
    clearTimeout(late);
    if (done) throw new Error(`A process of the bench died: ${this.#errors || 'without a word'}`);
    return JSON.parse(value);
  }

  kill() {
    this.#child.kill('SIGKILL');
  }
}

/** Starts processes, waits until all are ready, and passes them to `work`; none outlives it. */
export async function hire(jobs, work) {
  const hands = jobs.map((argv) => new Hand(argv));
  try {
    for (const hand of hands) await hand.hear();
    return await work([...hands]);
  } finally {
    for (const hand of hands) hand.kill();
    await Promise.all(hands.map(({ ended }) => ended));
  }
}

/**
 * Sends all of them the same value at once.
 * @returns their results
 */
export async function together(hands, what) {
  for (const hand of hands) hand.tell(what);
  return Promise.all(hands.map((hand) => hand.hear()));
}

/** One result of each of several jobs, done at the same time by fresh processes. */
export const once = (jobs) => hire(jobs, (hands) => together(hands, {}));
