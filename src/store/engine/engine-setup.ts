/** Makes the schema of the engine, says which roles may use it, and tells what an engine can be trusted with. */
import type { Client } from 'pg';
import type { EngineAddress } from '../../model/config/engine-address.ts';
import type { Clock } from '../../model/text/clock.ts';
import { codeOf, isTeamError, StoreError, UsageError } from '../../model/text/errors.ts';
import { connectEngine, type EngineServer } from './engine-connection.ts';
import { EACH, ENGINE_FUNCTIONS } from './functions/engine-functions.ts';
import { hostsOf, type EngineHost } from './engine-hosts.ts';
import { ENGINE_SCHEMA, ENGINE_SCRIPT, OLDEST_SCHEMA, schemaIn, upgradeScript } from './engine-schema.ts';

/** Whom a login role of the engine may act as. */
interface EngineGrant {
  readonly role: string;
  /** The ULID of a team, and one of its members; without them the role is a host: every member of every team. */
  readonly only?: { readonly team: string; readonly member: string };
}

/**
 * @param text `ROLE`, or `ROLE=TEAM/MEMBER` with the ULID of the team
 * @throws UsageError `USAGE`
 */
export function parseEngineGrant(text: string): EngineGrant {
  const [whole, role, team, member] =
    /^([^=/]{1,63})(?:=([0-9A-HJKMNP-TV-Z]{26})\/([a-z0-9][a-z0-9-]*))?$/.exec(text) ?? [];
  if (whole === undefined || role === undefined)
    throw new UsageError('USAGE', `--grant is ROLE, or ROLE=TEAM/MEMBER with the ULID of the team; it was "${text}".`);
  return team === undefined || member === undefined ? { role } : { role, only: { team, member } };
}

export interface EngineReport {
  readonly server: EngineServer;
  /** Undefined without our schema. */
  readonly schema: number | undefined;
  readonly standbys: readonly { readonly name: string; readonly isSynchronous: boolean }[];
  /** False where the role may not see them. */
  readonly seesStandbys: boolean;
  /** Those whose name has not lapsed. */
  readonly hosts: readonly EngineHost[];
}

/**
 * All of it or nothing; an existing schema stays, and its roles too. One of an older version is brought up to this.
 *
 * @returns whether the schema was made; and the version that it had, if that was an older one
 * @throws StoreError `ENGINE_UNREACHABLE`, `ENGINE_UNFIT`, `NEWER_VERSION`
 */
export async function initEngine(
  address: EngineAddress,
  grants: readonly EngineGrant[],
  clock: Clock,
): Promise<{ readonly isNew: boolean; readonly before: number | undefined; readonly server: EngineServer }> {
  const { client, server, close } = await connectEngine(address, clock);
  try {
    await client.query('begin');
    // Two of these at once: the second one sees what the first one made.
    await client.query(`select pg_advisory_xact_lock(hashtext('teams'))`);
    const version = await schemaIn(client, OLDEST_SCHEMA);
    const before = version === ENGINE_SCHEMA ? undefined : version;
    if (version === undefined) await client.query(ENGINE_SCRIPT);
    if (before !== undefined) await upgrade(client, before);
    for (const grant of grants) await give(client, grant);
    await client.query('commit');
    return { isNew: version === undefined, before, server };
  } catch (error) {
    throw isTeamError(error) ? error : refusedSetup(error, server);
  } finally {
    await close();
  }
}

/** @throws StoreError `ENGINE_UNREACHABLE`, `ENGINE_UNFIT`, `NEWER_VERSION` */
export async function checkEngine(address: EngineAddress, clock: Clock): Promise<EngineReport> {
  const { client, server, close } = await connectEngine(address, clock);
  try {
    const schema = await schemaIn(client);
    const { rows } = await client.query<{ name: string; state: string | null }>(
      'select application_name as name, sync_state as state from pg_stat_replication order by application_name',
    );
    const standbys = rows.map(({ name, state }) => ({ name, isSynchronous: state === 'sync' || state === 'quorum' }));
    const ask = async <Row extends object>(text: string, values: readonly unknown[]): Promise<Row[]> =>
      (await client.query<Row>(text, [...values])).rows;
    const hosts = schema === undefined ? [] : (await hostsOf({ ask })).filter(({ seconds }) => seconds > 0);
    return { server, schema, standbys, seesStandbys: rows.every(({ state }) => state !== null), hosts };
  } catch (error) {
    throw isTeamError(error) ? error : refusedSetup(error, server);
  } finally {
    await close();
  }
}

async function upgrade(client: Client, from: number): Promise<void> {
  await client.query(upgradeScript(from));
  const { rows } = await client.query<{ role: string }>(
    'select distinct role from teams.who join pg_roles on rolname = role',
  );
  for (const { role } of rows) await allow(client, client.escapeIdentifier(role));
}

async function give(client: Client, { role, only }: EngineGrant): Promise<void> {
  const known = await client.query('select from pg_roles where rolname = $1', [role]);
  if (known.rowCount === 0)
    throw new StoreError(
      'ENGINE_UNFIT',
      `The engine has no role "${role}": make it with \`create role ${client.escapeIdentifier(role)} login\`.`,
    );
  const name = client.escapeIdentifier(role);
  await client.query(`grant usage on schema teams to ${name}`);
  await allow(client, name);
  await client.query('insert into teams.who values ($1, $2, $3) on conflict do nothing', [
    role,
    only?.team ?? EACH,
    only?.member ?? EACH,
  ]);
}

async function allow(client: Client, name: string): Promise<void> {
  const functions = ENGINE_FUNCTIONS.map((one) => `teams.${one}`).join(', ');
  await client.query(`grant execute on function ${functions} to ${name}`);
}

function refusedSetup(error: unknown, { host, port }: EngineServer): StoreError {
  const place = `${host}:${String(port)}`;
  const said = error instanceof Error ? error.message : String(error);
  const code = codeOf(error);
  const sentences: Readonly<Record<string, string>> = {
    '42501': `The role may not do this at ${place} (${said}): the owner of the database says \`grant create on database … to …\`, and a schema is changed by the role that made it.`,
    '53100': `The disk of the engine at ${place} is full (${said}).`,
    '25006': `The engine at ${place} takes no writes now (${said}): is it a standby?`,
  };
  const sentence = code === undefined ? undefined : sentences[code];
  if (sentence !== undefined) return new StoreError('ENGINE_UNFIT', sentence, { cause: error });
  return new StoreError('ENGINE_UNREACHABLE', `The engine at ${place} failed: ${said}.`, { cause: error });
}
