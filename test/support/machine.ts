/**
 * `Machine`: a machine of a team that is in a store, as a root with a relay of its own. The store is a PostgreSQL server
 * of the test's own (`postgres.ts`). Use it for teams on several machines (test/runtime/relay/).
 *
 *     const a = await Machine.start(place, 'a');
 *     await a.ok('create', 'login', '--member', 'ada');
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { parseEngineAddress } from '../../src/model/config/engine-address.ts';
import { realClock } from '../../src/os/system-clock.ts';
import { initEngine } from '../../src/store/engine/engine-setup.ts';
import { BIN, Workplace, type Answer } from './cli.ts';
import type { Postgres } from './postgres.ts';

let count = 0;

/** Verbs find their relay, and start none. */
const STORELESS = { TEAMS_STORE: '' };

/** A workplace with a store of its own. */
export async function storePlace(engine: Postgres): Promise<{ place: Workplace; database: string }> {
  count += 1;
  const database = `store_${String(count)}`;
  await engine.query(`create database ${database}`);
  await initEngine(parseEngineAddress(engine.url('owner', database), 'environment'), [], realClock);
  return { place: new Workplace({ TEAMS_STORE: engine.url('owner', database) }), database };
}

export const told = (answer: Answer): string => `${answer.code} ${answer.out}${answer.err}`;

async function answerOf(child: ChildProcess): Promise<Answer> {
  const said = { out: '', err: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (said.out += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (said.err += text));
  await once(child, 'close');
  return { ...said, code: child.exitCode ?? -1 };
}

export class Machine {
  readonly root: string;
  readonly place: Workplace;
  relay: ChildProcess | undefined;
  /** What its present relay has said. */
  said = '';

  readonly environment: Readonly<Record<string, string>>;
  readonly #isOfPlace: boolean;

  /** @param environment what differs from that of the place, such as the user's folders on this machine */
  constructor(place: Workplace, name: string, environment: Readonly<Record<string, string>> = {}) {
    this.place = place;
    this.#isOfPlace = Object.keys(environment).length === 0;
    this.environment = { ...place.environment, ...environment };
    this.root = join(place.root, name);
    mkdirSync(this.root);
    onTestFinished(async () => {
      await this.stop();
    });
  }

  /** Two machines, with a team that both have. */
  static two(place: Workplace, ...members: string[]): Promise<[Machine, Machine]> {
    return Machine.twoOf(place, members, () => ({}));
  }

  /** @param environment of each machine, by its name */
  static async twoOf(
    place: Workplace,
    members: readonly string[],
    environment: (name: string) => Readonly<Record<string, string>>,
  ): Promise<[Machine, Machine]> {
    const made = (name: string): Machine => new Machine(place, name, environment(name));
    const machines: [Machine, Machine] = [made('a'), made('b')];
    for (const one of machines) expect(await one.start(), one.said).toBeNull();
    await machines[0].ok('create', 'login', ...members.flatMap((member) => ['--member', member]));
    // The file is there before its records.
    const size = (one: Machine): number => (existsSync(one.log()) ? statSync(one.log()).size : 0);
    await expect.poll(() => size(machines[1]), { timeout: 10_000 }).toBe(size(machines[0]));
    return machines;
  }

  /** Starts its relay. @returns its exit code if it has ended, null when it serves */
  async start(): Promise<number | null> {
    const child = this.#process(['store', 'relay'], this.environment);
    this.relay = child;
    this.said = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.said += text));
    const serving = new Promise<null>((resolve) => child.stdout?.once('data', () => resolve(null)));
    const ended = once(child, 'close').then(() => child.exitCode);
    return Promise.race([serving, ended]);
  }

  /** A verb as a process, in this root. */
  process(...argv: string[]): ChildProcess {
    return this.#process(argv, { ...this.environment, ...STORELESS });
  }

  #process(argv: readonly string[], env: Readonly<Record<string, string>>): ChildProcess {
    return spawn(process.execPath, [BIN, ...argv, '--root', this.root], {
      cwd: this.place.root,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  /** Ends its relay. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    const child = this.relay;
    if (child === undefined) return null;
    if (child.exitCode === null && child.signalCode === null) {
      const gone = once(child, 'exit');
      child.kill(signal);
      await gone;
    }
    return child.exitCode;
  }

  /** Resolves with the exit code of its relay when that ends by itself. */
  async ended(): Promise<number | null> {
    if (this.relay?.exitCode === null) await once(this.relay, 'exit');
    return this.relay?.exitCode ?? null;
  }

  /** The most memory that its relay had, in bytes. */
  peakMemory(): number {
    const status = readFileSync(`/proc/${String(this.relay?.pid ?? 0)}/status`, 'utf8');
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) * 1024;
  }

  /** A verb; as a process where the machine has an environment of its own. */
  teams(...argv: string[]): Promise<Answer> {
    if (this.#isOfPlace) return this.place.say([...argv, '--root', this.root], { environment: STORELESS });
    return answerOf(this.process(...argv));
  }

  async ok(...argv: string[]): Promise<Answer> {
    const answer = await this.teams(...argv);
    expect(answer.code, told(answer)).toBe(0);
    return answer;
  }

  log(team = 'login'): string {
    return join(this.root, '.tasks', team, 'log.jsonl');
  }

  /** A file of the team's folder; empty if there is none. */
  file(name: string, team = 'login'): string {
    const path = join(this.root, '.teams', team, name);
    return existsSync(path) ? readFileSync(path, 'utf8') : '';
  }
}
