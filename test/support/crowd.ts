/**
 * `Crowd`: several `stress-worker.ts` processes that do the same in rounds, all released at once. Use it for races
 * between real processes (test/store/stress.test.ts).
 *
 *     const crowd = await Crowd.gather(root, 'enter', [options, options]);
 *     const wasAlone = await crowd.round<boolean>('1');
 */
import { program } from './programs.ts';
import { start, type Worker } from './workers.ts';

export class Crowd {
  readonly #workers: readonly Worker[];

  private constructor(workers: readonly Worker[]) {
    this.#workers = workers;
  }

  /** @param options one process for each */
  static async gather(cwd: string, job: string, options: readonly object[]): Promise<Crowd> {
    const workers = options.map((one) =>
      start(process.execPath, [program('stress-worker'), job, JSON.stringify(one)], cwd),
    );
    for (const worker of workers) await worker.next();
    return new Crowd(workers);
  }

  /** @returns the result of each process in the round */
  async round<T>(name: string): Promise<T[]> {
    for (const worker of this.#workers) worker.go(name);
    const said = await Promise.all(this.#workers.map((worker) => worker.next()));
    return said.map((line) => {
      if (line === undefined) throw new Error(`a worker ended in round ${name}`);
      return JSON.parse(line) as T;
    });
  }
}
