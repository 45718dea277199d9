/**
 * A PostgreSQL server of the test's own: from Debian's packages, on a free port of the loopback address, started as an
 * ordinary user (PostgreSQL refuses root) in a directory that is removed.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';
import type { Networks } from './networks.ts';
import { running } from './processes.ts';
import { inMemory } from './temp.ts';

const PACKAGES = '/usr/lib/postgresql';
const OLDEST = 14;

/** Where a run of the suite keeps what servers begin with (`build-programs.ts`); elsewhere each server makes its own. */
const FIRSTS = process.env['TEAMS_TEST_FIRSTS'];

/** The newest version of Debian's packages that is new enough; undefined where there is none. */
const programs = ((): string | undefined => {
  if (!existsSync(PACKAGES)) return undefined;
  const versions = readdirSync(PACKAGES)
    .map(Number)
    .filter((version) => version >= OLDEST);
  return versions.length === 0 ? undefined : join(PACKAGES, String(Math.max(...versions)), 'bin');
})();

/** Root becomes the user of Debian's package. */
const asUser = ((): { uid: number; gid: number } | undefined => {
  if (userInfo().uid !== 0) return undefined;
  const ids = ['-u', '-g'].map((flag) => Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout));
  return { uid: ids[0] ?? 0, gid: ids[1] ?? 0 };
})();

export const hasPostgres = programs !== undefined;
if (!hasPostgres)
  process.stderr.write('SKIPPED: PostgreSQL is not installed (apt-get install postgresql); its tests do not run.\n');

/** How roles log in over TCP. */
type Login = 'trust' | 'scram-sha-256';

/** Where a server runs, if not on this machine: its network, and its name there. */
interface ServerPlace {
  readonly network: Networks;
  readonly name: string;
  readonly port: number;
}

export class Postgres {
  readonly home: string;
  readonly port: number;
  readonly #at: ServerPlace | undefined;
  readonly #server: { process: ChildProcess | undefined } = { process: undefined };

  private constructor(home: string, port: number, at: ServerPlace | undefined) {
    this.home = home;
    this.port = port;
    this.#at = at;
  }

  /**
   * @param settings lines of postgresql.conf
   */
  static async start(settings: readonly string[] = [], login: Login = 'trust', at?: ServerPlace): Promise<Postgres> {
    return Postgres.#made(settings, at, (home) => {
      makeData(home, login);
      if (at) appendFileSync(join(home, 'data', 'pg_hba.conf'), 'host all,replication all 10.77.0.0/24 trust\n');
    });
  }

  /** Lets it encrypt from its next start on, with a certificate that nobody has signed. */
  encrypt(): void {
    const made = ['req', '-new', '-x509', '-nodes', '-days', '2', '-subj', '/CN=localhost', '-out', 'server.crt'];
    const answer = spawnSync('openssl', [...made, '-keyout', 'server.key', '-addext', 'subjectAltName=IP:127.0.0.1'], {
      ...asUser,
      cwd: this.#data,
      encoding: 'utf8',
    });
    if (answer.status !== 0) throw new Error(`openssl: ${answer.stderr}`);
    chmodSync(join(this.#data, 'server.key'), 0o600);
    appendFileSync(join(this.#data, 'postgresql.conf'), 'ssl = on\n');
  }

  get certificate(): string {
    return join(this.#data, 'server.crt');
  }

  /** A standby of this server, which takes its records as they come. */
  async standby(settings: readonly string[] = [], at?: ServerPlace): Promise<Postgres> {
    const from = ['-h', this.#address, '-p', String(this.port), '-U', 'owner', '-R', '-X', 'stream', '-c', 'fast'];
    return Postgres.#made(settings, at, (home) =>
      ended([join(programs ?? '', 'pg_basebackup'), '-D', join(home, 'data'), ...from], home, at),
    );
  }

  get #address(): string {
    return this.#at?.network.address(this.#at.name) ?? '127.0.0.1';
  }

  static async #made(
    settings: readonly string[],
    at: ServerPlace | undefined,
    make: (home: string) => void,
  ): Promise<Postgres> {
    const home = emptyHome(FIRSTS === undefined ? tmpdir() : inMemory());
    const postgres = new Postgres(home, at?.port ?? (await freePort()), at);
    make(home);
    const own = [
      `port = ${String(postgres.port)}`,
      `unix_socket_directories = '${home}'`,
      `listen_addresses = '${postgres.#address}'`,
    ];
    appendFileSync(join(postgres.#data, 'postgresql.conf'), `${[...own, ...settings].join('\n')}\n`);
    await postgres.run();
    return postgres;
  }

  /** Changes its settings, in postgresql.conf. */
  async set(...settings: readonly string[]): Promise<void> {
    appendFileSync(join(this.#data, 'postgresql.conf'), `${settings.join('\n')}\n`);
    const client = await this.session('owner', 'postgres', this.home);
    await client.query('select pg_reload_conf()');
    await client.end();
  }

  get #data(): string {
    return join(this.home, 'data');
  }

  /** Starts the server, and waits until it answers. Processes of a killed one may still be ending. */
  async run(): Promise<void> {
    for (let tries = 0; ; tries += 1)
      try {
        await this.#run();
        return;
      } catch (error) {
        if (tries >= 50 || !String(error).includes('still in use')) throw error;
        await setTimeout(100);
      }
  }

  async #run(): Promise<void> {
    const [file, argv, user] = started([join(programs ?? '', 'postgres'), '-D', this.#data], this.#at);
    const server = spawn(file, argv, {
      ...user,
      cwd: this.home,
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, LC_ALL: 'C' },
    });
    this.#server.process = server;
    let said = '';
    await new Promise<void>((resolve, reject) => {
      server.stderr.setEncoding('utf8').on('data', (text: string) => {
        said += text;
        if (/ready to accept (?:read-only )?connections/.test(said)) resolve();
      });
      server.once('exit', () => reject(new Error(`postgres ended: ${said}`)));
    });
  }

  /** Stops all its processes at once, as a crash of its machine does. */
  async kill(): Promise<void> {
    const server = this.#server.process;
    if (server === undefined || hasEnded(server)) return;
    const gone = once(server, 'exit');
    // Its children notice that it is gone, and end.
    server.kill('SIGKILL');
    await gone;
  }

  /** All its processes stand still, or go on: its connections stay, and nothing is answered. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    const { pid } = this.#server.process ?? {};
    for (const one of running()) if (one.pid === pid || one.parent === pid) process.kill(one.pid, signal);
  }

  async stop(): Promise<void> {
    const server = this.#server.process;
    if (server !== undefined && !hasEnded(server)) {
      const gone = once(server, 'exit');
      server.kill('SIGQUIT');
      await gone;
    }
    rmSync(this.home, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }

  /** @returns the address for a role, in the database `postgres` unless another is given */
  url(role = 'owner', database = 'postgres'): string {
    return `postgres://${role}@${this.#address}:${String(this.port)}/${database}`;
  }

  /** A session of a role, which the caller ends. At `home` is its socket, where every role may log in. */
  async session(role = 'owner', database = 'postgres', host = '127.0.0.1'): Promise<Client> {
    const client = new Client({ host, port: this.port, user: role, database });
    client.on('error', () => {});
    await client.connect();
    return client;
  }

  async query(text: string, database = 'postgres'): Promise<void> {
    const client = await this.session('owner', database);
    try {
      await client.query(text);
    } finally {
      await client.end();
    }
  }
}

function emptyHome(place: string): string {
  const home = mkdtempSync(join(place, 'teams-postgres-'));
  if (asUser) chownSync(home, asUser.uid, asUser.gid);
  return home;
}

/** In a run of the suite a copy of what its first server began with: to make that takes a second. */
function makeData(home: string, login: Login): void {
  const data = join(home, 'data');
  const first = FIRSTS && join(FIRSTS, `postgres-${login}`);
  if (first !== undefined && existsSync(first)) return copyData(first, data);
  const how = ['-U', 'owner', '--auth-local=trust', `--auth-host=${login}`, '-N', '-E', 'UTF8'];
  ended([join(programs ?? '', 'initdb'), '-D', data, ...how], home);
  if (first === undefined) return;
  const fresh = `${first}.${String(process.pid)}`;
  copyData(data, fresh);
  try {
    renameSync(fresh, first);
  } catch {
    // Another process was faster.
    rmSync(fresh, { recursive: true });
  }
}

/** As they are, with their owner. */
function copyData(from: string, to: string): void {
  const { status, stderr } = spawnSync('cp', ['-a', '--reflink=auto', from, to], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`cp: ${stderr}`);
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;

/** In a network of its own it becomes the user after it has entered that. */
function started(
  command: readonly string[],
  at: ServerPlace | undefined,
): [file: string, argv: string[], user: typeof asUser] {
  const [file = '', ...argv] = command;
  if (at === undefined || asUser === undefined || !at.network.canCut) return [file, argv, asUser];
  const user = [`--reuid=${String(asUser.uid)}`, `--regid=${String(asUser.gid)}`, '--clear-groups'];
  return [...at.network.within(at.name, ['setpriv', ...user, ...command]), undefined];
}

function ended(command: readonly string[], cwd: string, at?: ServerPlace): void {
  const [file, argv, user] = started(command, at);
  const { status, stderr } = spawnSync(file, argv, {
    ...user,
    cwd,
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C' },
  });
  if (status !== 0) throw new Error(`${file}: ${stderr}`);
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
