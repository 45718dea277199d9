/**
 * A connection to the engine, a PostgreSQL server of the user's. Every address is asked, because a primary that was
 * replaced may come back and still take writes: the one that takes writes on the highest timeline counts.
 */
import { readFileSync } from 'node:fs';
import type { Client, ClientConfig } from 'pg';
import { shownAddress, type EngineAddress } from '../../model/config/engine-address.ts';
import type { Clock } from '../../model/text/clock.ts';
import { codeOf, StoreError } from '../../model/text/errors.ts';
import { limitAnswers, type AnswerLimit } from './answer-limit.ts';

const CONNECT_MS = 5_000;
/** A server that takes the connection and then stands still is as good as away. */
const QUERY_MS = 60_000;
/** What a stopped client may hold of the server before the server ends its session. */
const IDLE_IN_TRANSACTION = '30s';
const OLDEST = 14;

/** What a server says of itself. */
export interface EngineServer {
  /** For example `15.18`. */
  readonly version: string;
  /** Milliseconds since 1970, by its clock; `heard` by ours, in the middle of the question. */
  readonly now: number;
  readonly heard: number;
  readonly isSuperuser: boolean;
  readonly isEncrypted: boolean;
  /** Grows with each promotion of a standby. */
  readonly timeline: number;
  readonly fsync: boolean;
  readonly fullPageWrites: boolean;
  readonly host: string;
  readonly port: number;
}

export interface EngineConnection {
  readonly client: Client;
  readonly limit: AnswerLimit;
  readonly server: EngineServer;
  readonly close: () => Promise<void>;
}

/**
 * @param seen the highest timeline that was seen: a server on a later one is taken without waiting for the others, since a
 *   primary that was cut off answers nothing
 * @throws StoreError `ENGINE_UNREACHABLE` when no address answers, `ENGINE_UNFIT` when none can be used
 */
export async function connectEngine(
  address: EngineAddress,
  clock: Clock,
  seen = Number.POSITIVE_INFINITY,
): Promise<EngineConnection> {
  const Session = await loadPg();
  const tries = address.hosts.map((at) => connectTo(Session, address, at, clock));
  const later = tries.map(async (one) => {
    const found = await one;
    if (found.server.timeline <= seen) throw new Error('It is not later.');
    return found;
  });
  const first = await Promise.race([Promise.any(later).catch(() => undefined), Promise.allSettled(tries)]);
  if (first !== undefined && !Array.isArray(first)) return chosen(first, tries);
  const ended = await Promise.allSettled(tries);
  const found = ended.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const [best] = found.toSorted((a, b) => b.server.timeline - a.server.timeline);
  if (best !== undefined) return chosen(best, tries);
  throw worst(
    address,
    ended.flatMap((one): unknown[] => (one.status === 'rejected' ? [one.reason] : [])),
  );
}

type Connected = Pick<EngineConnection, 'client' | 'limit' | 'server'>;

/** Ends the others, also those that answer later. */
function chosen(best: Connected, tries: readonly Promise<Connected>[]): EngineConnection {
  for (const one of tries)
    void one.then(({ client }) => (client === best.client ? undefined : client.end())).catch(() => {});
  return { ...best, close: async () => best.client.end() };
}

/**
 * Whether another server takes writes on a later timeline than this one: then this one was replaced, also if it goes on.
 */
export async function isReplaced(address: EngineAddress, clock: Clock, server: EngineServer): Promise<boolean> {
  const others = address.hosts.filter(({ host, port }) => host !== server.host || port !== server.port);
  if (others.length === 0) return false;
  try {
    const { server: other, close } = await connectEngine({ ...address, hosts: others }, clock, server.timeline);
    void close().catch(() => {});
    return other.timeline > server.timeline;
  } catch {
    // A standby, or away.
    return false;
  }
}

async function connectTo(
  Session: typeof Client,
  address: EngineAddress,
  at: { readonly host: string; readonly port: number },
  clock: Clock,
): Promise<Connected> {
  const client = new Session(configOf(address, at.host, at.port));
  // Without a listener a lost connection would end this process; the next query says it.
  client.on('error', () => {});
  const limit = limitAnswers(Reflect.get(client, 'connection'), MOST_GREETING_BYTES, (most) =>
    unfit(
      `${placeOf(at)} answered more than ${Math.ceil(most / 2 ** 20)} MiB to one question: it is no store of teams, or damaged.`,
    ),
  );
  await client.connect().catch((error: unknown) => {
    // Its `end` waits for ever where the server has closed the connection.
    void client.end().catch(() => {});
    throw limit.why() ?? refusal(error, at);
  });
  limit.ask(MOST_GREETING_BYTES);
  try {
    return { client, limit, server: await lookAt(client, at, clock) };
  } catch (error) {
    await client.end().catch(() => {});
    throw limit.why() ?? refusal(error, at);
  }
}

/** For all that a server says of itself. */
const MOST_GREETING_BYTES = 1024 * 1024;

async function loadPg(): Promise<typeof Client> {
  try {
    return (await import('pg')).Client;
  } catch (error) {
    throw new StoreError(
      'ENGINE_UNREACHABLE',
      'A team on PostgreSQL needs the package pg, which is not installed: `npm install -g pg` beside teams, or `npm install pg` in the project that has it.',
      { cause: error },
    );
  }
}

function configOf(
  { user, password, database, tls, authorities }: EngineAddress,
  host: string,
  port: number,
): ClientConfig {
  const ca = authorities === undefined ? undefined : { ca: certificatesIn(authorities) };
  const ssl = {
    off: false,
    unverified: { rejectUnauthorized: false },
    certified: { ...ca, checkServerIdentity: () => undefined },
    verified: { ...ca },
  }[tls];
  const named = { user, password, database };
  const given = Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined));
  return {
    ...given,
    host,
    port,
    ssl,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: QUERY_MS,
    keepAlive: true,
    application_name: 'teams',
    idle_in_transaction_session_timeout: 30_000,
  };
}

function certificatesIn(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new StoreError(
      'ENGINE_UNREACHABLE',
      `${path}, which sslrootcert of the store names, cannot be read: ${codeOf(error) ?? 'unknown reason'}.`,
      { cause: error, path },
    );
  }
}

interface LookRow {
  readonly number: string;
  readonly version: string;
  readonly standby: boolean;
  readonly readonly: string;
  readonly now: string;
  readonly superuser: string;
  readonly encrypted: boolean | null;
  readonly fsync: string;
  readonly full: string;
  readonly commit: string;
}

const LOOK = `select current_setting('server_version_num') as number, current_setting('server_version') as version,
  pg_is_in_recovery() as standby, current_setting('default_transaction_read_only') as readonly,
  (extract(epoch from clock_timestamp()) * 1000)::bigint::text as now, current_setting('is_superuser') as superuser,
  (select ssl from pg_stat_ssl where pid = pg_backend_pid()) as encrypted, current_setting('fsync') as fsync,
  current_setting('full_page_writes') as full, current_setting('synchronous_commit') as commit`;

/** Weaker than what an acknowledged record promises; `remote_apply` is stronger and stays. */
const WEAK_COMMITS = new Set(['off', 'local', 'remote_write']);

/** @throws StoreError `ENGINE_UNFIT` */
async function lookAt(client: Client, at: { host: string; port: number }, clock: Clock): Promise<EngineServer> {
  const before = clock.now();
  const { rows } = await client.query<LookRow>(LOOK);
  const heard = (before + clock.now()) / 2;
  const [row] = rows;
  if (row === undefined) throw new Error('A query without a table has one row.');
  const place = placeOf(at);
  if (Number(row.number) < OLDEST * 10_000)
    throw unfit(`${place} is PostgreSQL ${row.version}; teams needs ${String(OLDEST)} or newer.`);
  if (row.standby)
    throw unfit(`${place} is a standby, which takes no writes: name the primary, or all hosts (postgres://a,b/…).`);
  if (row.readonly === 'on')
    throw unfit(
      `${place} is set to read only (default_transaction_read_only): use a role or a database that may write.`,
    );
  if (row.fsync === 'off')
    throw unfit(`${place} runs with fsync=off and may lose what it has acknowledged: set fsync=on and restart it.`);
  if (WEAK_COMMITS.has(row.commit)) await client.query('set synchronous_commit = on');
  await client.query(`set idle_in_transaction_session_timeout = '${IDLE_IN_TRANSACTION}'`);
  const timeline = await client.query<{ timeline: string }>(
    `select substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) as timeline`,
  );
  return {
    ...at,
    version: row.version.split(' ', 1)[0] ?? row.version,
    now: Number(row.now),
    heard,
    isSuperuser: row.superuser === 'on',
    isEncrypted: row.encrypted === true,
    timeline: Number.parseInt(timeline.rows[0]?.timeline ?? '0', 16),
    fsync: row.fsync === 'on',
    fullPageWrites: row.full === 'on',
  };
}

const placeOf = ({ host, port }: { host: string; port: number }): string =>
  host.startsWith('/') ? `The engine in ${host}` : `The engine at ${host}:${String(port)}`;

const unfit = (message: string): StoreError => new StoreError('ENGINE_UNFIT', message);

/** What PostgreSQL, its client and the network say, by code or by words; the first one counts. */
const CAUSES: readonly (readonly [said: RegExp, why: string])[] = [
  [/^ECONNREFUSED/, 'refuses the connection: is it running, and is this its port?'],
  [/^ENOENT/, 'has no socket: is it running, and is this its directory?'],
  [/^ENOTFOUND/, 'has a host name that nobody knows.'],
  [/^EAI_AGAIN/, 'has a host name that cannot be looked up now.'],
  [/timeout/i, `did not answer in ${String(CONNECT_MS / 1_000)} s.`],
  [/^28P01/, 'refuses the password: look at TEAMS_STORE or ~/.pgpass.'],
  [/client password must be/, 'asks for a password: put it into ~/.pgpass, or into the URL in TEAMS_STORE.'],
  [/does not support SSL/, 'does not encrypt: set ssl = on there, or add sslmode=disable where nobody can listen.'],
  [
    /SELF_SIGNED|UNABLE_TO|CERT_|ALTNAME/,
    'has a certificate that is not trusted for this host: name its authority with sslrootcert=FILE in the URL.',
  ],
  [/^28000/, 'refuses the role'],
  [/^3D000/, 'has no such database'],
  [/^53300/, 'has no connection left (max_connections).'],
  [/^57P03/, 'is starting up or shutting down: try again.'],
  [/ECONNRESET|terminated/, 'closed the connection: is it a PostgreSQL server?'],
];

/** One sentence; no password is in it. */
function refusal(error: unknown, at: { host: string; port: number }): StoreError {
  if (error instanceof StoreError) return error;
  const said = error instanceof Error ? error.message : String(error);
  const whole = `${codeOf(error) ?? ''} ${said}`;
  const why = CAUSES.find(([words]) => words.test(whole))?.[1] ?? 'cannot be used';
  const message = `${placeOf(at)} ${why.endsWith('.') || why.endsWith('?') ? why : `${why}: ${sentence(said)}`}`;
  return new StoreError('ENGINE_UNREACHABLE', message, { cause: error });
}

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

/** One sentence for several addresses: what can be mended before what is only away. */
function worst(address: EngineAddress, reasons: readonly unknown[]): unknown {
  const known = reasons.filter((reason) => reason instanceof StoreError);
  return (
    known.find(({ code }) => code === 'ENGINE_UNFIT') ??
    known[0] ??
    reasons[0] ??
    new StoreError('ENGINE_UNREACHABLE', `${shownAddress(address)} names no host.`)
  );
}
