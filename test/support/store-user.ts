/**
 * `StoreUser`: a person on a machine of their own who names a store (`--store`, `TEAMS_STORE`), and has what every person
 * has: a project, a state directory, the key. Each verb is a process. Use it for what people type; `Machine` has a relay
 * that runs as a service.
 *
 *     const [here, there] = StoreUser.two(place);
 *     await there.ok('status', 'login', '--store', here.url);
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished } from 'vitest';
import { realDisk } from '../../src/store/files/disk.ts';
import { openSeal } from '../../src/store/user/seal.ts';
import { Signatures } from '../../src/store/user/signature.ts';
import { BIN, until, type Answer, type Workplace } from './cli.ts';
import { told } from './machine.ts';
import { running, type Running } from './processes.ts';

export class StoreUser {
  readonly project: string;
  readonly state: string;
  readonly environment: Record<string, string>;

  /** @param environment without a store, which the verbs name */
  constructor(place: Workplace, name: string) {
    this.project = join(place.root, name);
    this.state = join(place.root, `${name}-state`);
    mkdirSync(this.project);
    const { TEAMS_STORE: _, ...environment } = place.environment;
    this.environment = { ...environment, XDG_STATE_HOME: this.state };
    onTestFinished(async () => {
      await this.endRelays();
    });
  }

  /** Two with the same key. */
  static two(place: Workplace): [StoreUser, StoreUser] {
    const users: [StoreUser, StoreUser] = [new StoreUser(place, 'a'), new StoreUser(place, 'b')];
    openSeal(realDisk, join(users[0].state, 'teams', 'key')).sign({});
    cpSync(users[0].state, users[1].state, { recursive: true });
    return users;
  }

  /** Two with keys of their own: neither machine has the state directory of the other. */
  static apart(place: Workplace): [StoreUser, StoreUser] {
    return [new StoreUser(place, 'a'), new StoreUser(place, 'b')];
  }

  /** Three with the same key. */
  static three(place: Workplace): [StoreUser, StoreUser, StoreUser] {
    const [a, b] = StoreUser.two(place);
    const c = new StoreUser(place, 'c');
    mkdirSync(join(c.state, 'teams'), { recursive: true });
    cpSync(join(a.state, 'teams', 'key'), join(c.state, 'teams', 'key'));
    return [a, b, c];
  }

  /** A verb as a process. */
  process(argv: readonly string[], more: Record<string, string> = {}): ChildProcess {
    return spawn(process.execPath, [BIN, ...argv], {
      cwd: this.project,
      env: { ...this.environment, ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  async teams(argv: readonly string[], more: Record<string, string> = {}): Promise<Answer> {
    const { stdout, stderr, ...child } = spawned(this.process(argv, more));
    const [out, err] = await Promise.all([text(stdout), text(stderr), child.ended]);
    return { code: (await child.ended) ?? -1, out, err };
  }

  async ok(...argv: string[]): Promise<Answer> {
    const answer = await this.teams(argv);
    expect(answer.code, told(answer)).toBe(0);
    return answer;
  }

  /** Its public key. */
  get key(): string {
    const seal = openSeal(realDisk, join(this.state, 'teams', 'key'));
    return new Signatures(seal, realDisk, () => []).key;
  }

  /** Where its replica is; undefined if it has none. */
  get root(): string | undefined {
    const folder = join(this.state, 'teams', 'replicas');
    const [name] = existsSync(folder) ? readdirSync(folder) : [];
    return name === undefined ? undefined : join(folder, name);
  }

  /** A file of its replica; empty if there is none. */
  file(...path: string[]): string {
    const file = join(this.root ?? '/none', ...path);
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  }

  /** The log of the team `login` in its replica. */
  get log(): string {
    return this.file('.tasks', 'login', 'log.jsonl');
  }

  put(path: readonly string[], text: string): void {
    writeFileSync(join(this.root ?? '/none', ...path), text);
  }

  relays(): Running[] {
    return running().filter(({ command }) => command.includes('store relay') && command.includes(this.state));
  }

  /** @returns whether there was one */
  async endRelays(signal: NodeJS.Signals = 'SIGTERM'): Promise<boolean> {
    const relays = this.relays();
    for (const { pid } of relays) process.kill(pid, signal);
    const ids = new Set(relays.map(({ pid }) => pid));
    await until(() => !this.relays().some(({ pid }) => ids.has(pid)), 'the relays end');
    return relays.length > 0;
  }
}

function spawned(child: ChildProcess) {
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error('It has pipes.');
  return { stdout, stderr, ended: once(child, 'exit').then(() => child.exitCode) };
}
