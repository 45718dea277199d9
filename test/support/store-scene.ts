/**
 * `useStore()`: a PostgreSQL server for the tests of a `describe`, and for each of them a store of its own. With it go
 * processes of people on machines (`store-user.ts`) that name this store and end with the test: hosts, leads, workers.
 *
 *     const store = useStore();
 *     it('…', async () => {
 *       const [a, b] = StoreUser.two(store.place);
 *       await store.host(b, 'build-7', '--slots', '2');
 *       const run = store.serving(a, 'run', 'plan.json');
 *       expect(await ended(run.child), run.said()).toBe(0);
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished } from 'vitest';
import type { Workplace } from './cli.ts';
import { allowLeft } from './leftovers.ts';
import { storePlace } from './machine.ts';
import { Postgres } from './postgres.ts';
import { killRunning, running } from './processes.ts';
import type { StoreUser } from './store-user.ts';

/** A verb that runs until the test ends, and what it has said. */
export interface Serving {
  readonly child: ChildProcess;
  readonly said: () => string;
}

const STARTS_MS = 20_000;
const ENDS_MS = 10_000;

class StoreScene {
  #engine: Postgres | undefined;
  #place: Workplace | undefined;
  database = '';

  get engine(): Postgres {
    if (this.#engine === undefined) throw new Error('The server runs while tests do.');
    return this.#engine;
  }

  get place(): Workplace {
    if (this.#place === undefined) throw new Error('Each test has a workplace.');
    return this.#place;
  }

  /** The store of this test, without a password. */
  get url(): string {
    return this.engine.url('owner', this.database);
  }

  async begin(engine: Postgres): Promise<void> {
    this.#engine = engine;
    ({ place: this.#place, database: this.database } = await storePlace(engine));
  }

  /** A server for this test alone, which may be killed. */
  async ownEngine(): Promise<Postgres> {
    const shared = this.engine;
    const own = await Postgres.start();
    onTestFinished(async () => {
      await own.stop();
      this.#engine = shared;
    });
    await this.begin(own);
    return own;
  }

  serving(user: StoreUser, ...argv: readonly string[]): Serving {
    return servingAt(this.url, user, ...argv);
  }

  async host(user: StoreUser, name: string, ...more: readonly string[]): Promise<Serving> {
    const host = this.serving(user, 'host', '--name', name, ...more);
    await expect.poll(host.said, { timeout: STARTS_MS }).toContain(`Host ${name} starts up to`);
    return host;
  }
}

/** A verb as a process that names a store. */
export function servingAt(url: string, user: StoreUser, ...argv: readonly string[]): Serving {
  const child = user.process([...argv, '--store', url]);
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => (said += text));
  onTestFinished(async () => {
    if (hasEnded(child)) return;
    child.kill('SIGCONT');
    const gone = once(child, 'exit');
    child.kill('SIGTERM');
    const late = setTimeout(() => child.kill('SIGKILL'), ENDS_MS);
    await gone;
    clearTimeout(late);
  });
  return { child, said: () => said };
}

export function useStore(): StoreScene {
  const scene = new StoreScene();
  let engine: Postgres | undefined;
  beforeAll(async () => {
    engine = await Postgres.start();
  });
  afterAll(() => engine?.stop());
  beforeEach(async () => {
    if (engine !== undefined) await scene.begin(engine);
  });
  return scene;
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;

/** @returns its exit code; null if a signal ended it */
export async function ended(child: ChildProcess): Promise<number | null> {
  if (!hasEnded(child)) await once(child, 'exit');
  return child.exitCode;
}

/** A machine is lost: a process of it, with all that was started there. */
export function killAll(child: ChildProcess, { state }: StoreUser): void {
  allowLeft();
  child.kill('SIGKILL');
  killRunning(state);
}

/** How many records of a type a log has. */
export const countIn = (log: string, type: string): number => log.split(`"type":"${type}"`).length - 1;

/** The members that run on the machine of a user. */
export const membersOf = ({ state }: StoreUser): string[] =>
  running()
    .filter(({ command }) => command.includes('teammate.cjs') && command.includes(state))
    .map(({ command }) => / login ([a-z0-9-]+)/.exec(command)?.[1] ?? '');
