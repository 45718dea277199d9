/**
 * `CampaignHost`: a machine of the campaign, in a network of its own: `teams host`, the relay that it keeps, the members
 * that are placed on it, and a worker (test/fixtures/engine-worker.ts). All of it can be killed or stopped at once.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { BIN, type Workplace } from './cli.ts';
import type { Networks } from './networks.ts';
import { running, type Running } from './processes.ts';
import { program } from './programs.ts';

const MOST_SAID = 4_000;

export interface CampaignTeam {
  readonly network: Networks;
  readonly place: Workplace;
  readonly url: string;
  /** The file with the user's key. */
  readonly key: string;
  /** With this file the workers end. */
  readonly stop: string;
}

interface Acknowledged {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly what: string;
  readonly words: string;
}

export class CampaignHost {
  readonly name: string;
  readonly dir: string;
  readonly root: string;
  readonly ledger: string;
  readonly #team: CampaignTeam;
  readonly #children = new Set<ChildProcess>();
  #said = '';

  constructor(team: CampaignTeam, name: string) {
    this.#team = team;
    this.name = name;
    this.dir = join(team.place.root, name);
    this.root = join(this.dir, 'replica');
    // What was acknowledged is known also of a machine that is lost.
    this.ledger = join(team.place.root, `${name}.ledger`);
    this.#make();
  }

  /** A new machine, to which its user has brought the key. */
  #make(): void {
    const state = join(this.dir, 'state', 'teams');
    for (const folder of [this.root, join(this.dir, 'project'), state]) mkdirSync(folder, { recursive: true });
    cpSync(this.#team.key, join(state, 'key'));
  }

  /** What its processes said last. */
  get said(): string {
    return this.#said;
  }

  /** A verb that names the store. */
  verb(...argv: readonly string[]): ChildProcess {
    return this.#start([process.execPath, BIN, ...argv, '--store', this.#team.url, '--root', this.root]);
  }

  async begin(slots: number, team: string): Promise<void> {
    const child = this.verb('host', '--name', this.name, '--slots', String(slots), '--team', team);
    let said = '';
    child.stdout?.on('data', (text: string) => (said += text));
    await expect.poll(() => said, { timeout: 60_000 }).toContain(`Host ${this.name} starts up to`);
  }

  work(team: string, member: string, recipient: string, inc: string): void {
    const { root, ledger } = this;
    const options = { root, team, member, recipient, inc, ledger, stop: this.#team.stop };
    this.#start([process.execPath, program('engine-worker'), JSON.stringify(options)]);
  }

  #start(command: readonly string[]): ChildProcess {
    const { TEAMS_STORE: _, ...environment } = this.#team.place.environment;
    const [file, argv] = this.#team.network.within(this.name, command);
    const child = spawn(file, argv, {
      cwd: join(this.dir, 'project'),
      env: { ...environment, XDG_STATE_HOME: join(this.dir, 'state') },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#children.add(child);
    child.once('exit', () => this.#children.delete(child));
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (this.#said = (this.#said + text).slice(-MOST_SAID)));
    return child;
  }

  /** All processes of the machine. */
  processes(): Running[] {
    return running().filter(({ command, cwd }) => command.includes(`${this.dir}/`) || cwd?.startsWith(`${this.dir}/`));
  }

  relays = (): Running[] => this.processes().filter(({ command }) => command.includes('store relay'));
  members = (): Running[] => this.processes().filter(({ command }) => command.includes('teammate.cjs'));

  signal(signal: NodeJS.Signals, among: readonly Running[] = this.processes()): void {
    for (const { pid } of among)
      try {
        process.kill(pid, signal);
      } catch {
        // It has ended.
      }
  }

  /**
   * All at one moment, as a machine ends: stopped first, for else a member may live long enough to tell of its command's
   * death as of a failure.
   */
  async kill(): Promise<void> {
    this.signal('SIGSTOP');
    const ends = [...this.#children].map((child) => once(child, 'exit'));
    await expect
      .poll(() => {
        this.signal('SIGKILL');
        return this.processes();
      })
      .toEqual([]);
    await Promise.all(ends);
  }

  /** Its processes, its replica, its user's folders and its project are gone at once; a new machine has its name. */
  async lose(): Promise<void> {
    this.signal('SIGSTOP');
    this.signal('SIGKILL');
    rmSync(this.dir, { recursive: true, force: true, maxRetries: 50, retryDelay: 20 });
    await this.kill();
    rmSync(this.dir, { recursive: true, force: true });
    this.#make();
  }

  /** The ledger of its worker: what was acknowledged to it, and when. */
  acknowledged(): Acknowledged[] {
    if (!existsSync(this.ledger)) return [];
    const lines = readFileSync(this.ledger, 'utf8').split('\n').slice(0, -1);
    return lines.map((line) => {
      const [at, what = '', ...words] = line.split(' ');
      return { at: Number(at), what, words: words.join(' ') };
    });
  }

  log(team: string): string {
    const path = join(this.root, '.tasks', team, 'log.jsonl');
    return existsSync(path) ? readFileSync(path, 'utf8') : '';
  }
}
