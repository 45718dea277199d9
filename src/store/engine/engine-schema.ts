/**
 * The schema `teams` of the engine, in one script. Roles of teams have no right on any table: they call functions,
 * which run with the rights of the schema's owner and compare who is logged in (`session_user`) with what is written
 * (/docs/scale-out.md).
 */
import type { Client } from 'pg';
import { isTeamError, StoreError, type TeamError } from '../../model/text/errors.ts';
import { EVENT_SCRIPT } from './functions/event-functions.ts';
import { EACH, RIGHTS_SCRIPT } from './functions/engine-functions.ts';
import { HOST_SCRIPT } from './functions/host-functions.ts';
import { LEASE_SCRIPT } from './functions/lease-functions.ts';
import { LOG_SCRIPT } from './functions/log-functions.ts';
import { MAIL_SCRIPT } from './functions/mail-functions.ts';
import { NEWS_SCRIPT } from './functions/news-functions.ts';
import { TEAM_SCRIPT } from './functions/team-functions.ts';
import { USER_SCRIPT } from './functions/user-functions.ts';

/** Raised when the script changes what is stored; programs of another version refuse it. */
export const ENGINE_SCHEMA = 9;

/** The oldest version that {@link UPGRADES} begins at; before it nothing was released. */
export const OLDEST_SCHEMA = 2;

/**
 * Version 3: the events of a team, its ledger, and its moves. Each machine has an event log of its own; what other machines tell is
 * added to it. The ledger is the same everywhere.
 */
const VERSION_3 = `
create table teams.event_source (
  team text not null references teams.team, role name not null, source text not null, place bigint not null,
  primary key (team, role, source)
);
create table teams.event_head (team text primary key references teams.team, last bigint not null default 0);
create table teams.event (
  team text not null references teams.team, number bigint not null, role name not null, source text not null,
  line text not null, primary key (team, number)
);
create table teams.ledger_head (team text primary key references teams.team, last bigint not null default 0);
create table teams.ledger (
  team text not null references teams.team, number bigint not null, line text not null, primary key (team, number)
);
-- How each move of a team between files and this engine ended.
create table teams.move (
  id text primary key, team text not null, outcome text not null check (outcome in ('moved', 'withdrawn')),
  made timestamptz not null default clock_timestamp()
);
`;

/** Version 4: hosts, and the members that are placed on them. A placement is one start of a member's process. */
const VERSION_4 = `
create table teams.host (
  name text primary key, role name not null, owner text not null, slots integer not null, labels text[] not null,
  only_team text, until timestamptz not null
);
create sequence teams.placement_number;
create table teams.placement (
  team text not null references teams.team, member text not null, number bigint not null, host text not null,
  ended text, primary key (team, member)
);
create index placement_host on teams.placement (host);
`;

/** Version 8: what a user has over all teams and machines. The user is a role. */
const VERSION_8 = `
create table teams.spending_head (role name primary key, day date not null, last bigint not null);
create table teams.spending (
  role name not null, day date not null, number bigint not null, line text not null, primary key (role, day, number)
);
create table teams.pace (
  role name not null, credential text not null, machine text not null, seen timestamptz not null,
  until timestamptz not null, refusals integer not null, primary key (role, credential, machine)
);
`;

/** Version 9: where the mail of a member is notified whole. */
const VERSION_9 = `
alter table teams.mailbox
  add column channel text not null default 'teams_' || replace(gen_random_uuid()::text, '-', '');
`;

/** What a version adds to the tables of the one before it. Versions 5 to 7 have other functions only: `news`, and what is notified; what a message asks; what an acknowledgement reads. */
const UPGRADES: Readonly<Record<number, string>> = { 3: VERSION_3, 4: VERSION_4, 8: VERSION_8, 9: VERSION_9 };

const FUNCTIONS = [
  RIGHTS_SCRIPT,
  TEAM_SCRIPT,
  LOG_SCRIPT,
  MAIL_SCRIPT,
  LEASE_SCRIPT,
  EVENT_SCRIPT,
  HOST_SCRIPT,
  USER_SCRIPT,
  NEWS_SCRIPT,
].join('');

/** What no role gets but by a grant. */
const CLOSED = `
revoke all on all tables in schema teams from public;
revoke all on all sequences in schema teams from public;
revoke all on all functions in schema teams from public;
`;

export const ENGINE_SCRIPT = `
create schema teams;

create table teams.about (version integer not null, made timestamptz not null default clock_timestamp());
insert into teams.about (version) values (${String(ENGINE_SCHEMA)});

-- Who may act as whom: a login role, a team by its ULID, a member. A role of a host has '*' as its member.
create table teams.who (
  role name not null, team text not null, member text not null, primary key (role, team, member)
);
insert into teams.who values (session_user, '${EACH}', '${EACH}');

create table teams.team (
  id text primary key check (id ~ '^[0-9A-HJKMNP-TV-Z]{26}$'),
  name text not null check (name ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
  made timestamptz not null default clock_timestamp(),
  archived timestamptz
);
create unique index team_name on teams.team (name) where archived is null;

-- Its row is locked until commit, so numbers have no gap and become visible in their order.
create table teams.head (team text primary key references teams.team, last bigint not null default 0);
create table teams.log (
  team text not null references teams.team, number bigint not null, id text not null, line text not null,
  primary key (team, number), unique (team, id)
);

create table teams.mailbox (
  team text not null references teams.team, member text not null, last bigint not null default 0,
  used bigint not null default 0, primary key (team, member)
);
create table teams.mail (
  team text not null, member text not null, number bigint not null, id text not null, line text not null,
  acknowledged timestamptz, incarnation text,
  primary key (team, member, number), unique (team, member, id),
  foreign key (team, member) references teams.mailbox
);
create index mail_waiting on teams.mail (team, member, number) where acknowledged is null;

create table teams.document (
  team text not null references teams.team, name text not null, revision bigint not null, body text not null,
  primary key (team, name)
);
create table teams.lease (
  team text not null references teams.team, name text not null, owner text not null, until timestamptz not null,
  primary key (team, name)
);
create table teams.artifact (
  team text not null references teams.team, hash text not null, body bytea not null, primary key (team, hash)
);

${VERSION_3}${VERSION_4}${VERSION_8}${VERSION_9}
${FUNCTIONS}
${CLOSED}
`;

/** Brings a schema of version `from` up to this one; the functions are made anew, so roles need their grants again. */
export const upgradeScript = (from: number): string =>
  [
    ...Array.from({ length: ENGINE_SCHEMA - from }, (_, n) => UPGRADES[from + 1 + n] ?? ''),
    `do $$ declare one regprocedure; begin
       for one in select oid from pg_proc where pronamespace = 'teams'::regnamespace loop
         execute 'drop function ' || one;
       end loop;
     end $$;`,
    FUNCTIONS,
    CLOSED,
    `update teams.about set version = ${String(ENGINE_SCHEMA)};`,
  ].join('\n');

/**
 * @param oldest the oldest version that will do
 * @throws StoreError `ENGINE_UNFIT`, `NEWER_VERSION`
 */
export function requireSchema(version: number, oldest = ENGINE_SCHEMA): void {
  if (version >= OLDEST_SCHEMA && version < oldest)
    throw new StoreError(
      'ENGINE_UNFIT',
      `The schema of the store has version ${String(version)}, and this program needs ${String(ENGINE_SCHEMA)}: \`teams store init\`, by the role that made it, brings it up to date. Programs of the version before cannot use it then.`,
    );
  if (version < OLDEST_SCHEMA)
    throw new StoreError(
      'ENGINE_UNFIT',
      `The schema of the store has version ${String(version)}, of a build before the first release, and this program knows ${String(ENGINE_SCHEMA)}: say \`drop schema teams cascade\` there, which removes its teams, and \`teams store init\` again.`,
    );
  if (version > ENGINE_SCHEMA)
    throw new StoreError(
      'NEWER_VERSION',
      `The schema of the store has version ${String(version)}, this program knows ${String(ENGINE_SCHEMA)}: use the newer teams.`,
    );
}

/**
 * @param oldest the oldest version that will do
 * @returns the version of our schema; undefined if there is none
 * @throws StoreError `ENGINE_UNFIT`, `NEWER_VERSION`
 */
export async function schemaIn(client: Client, oldest = ENGINE_SCHEMA): Promise<number | undefined> {
  const { rows } = await client.query<{ ours: boolean; any: boolean; usable: boolean | null }>(
    `select exists (select from pg_class join pg_namespace n on n.oid = relnamespace
         where nspname = 'teams' and relname = 'about') as ours,
       exists (select from pg_namespace where nspname = 'teams') as any,
       (select has_schema_privilege(oid, 'usage') from pg_namespace where nspname = 'teams') as usable`,
  );
  const [found] = rows;
  if (found?.any !== true) return undefined;
  if (!found.ours)
    throw new StoreError(
      'ENGINE_UNFIT',
      'The database has a schema "teams" that teams did not make: use another database.',
    );
  if (found.usable !== true)
    throw new StoreError(
      'ENGINE_UNFIT',
      'This role may not use the schema "teams" of the database: its owner says `teams store init --grant ROLE`.',
    );
  const [about] = (await client.query<{ version: number }>('select teams.schema_version() as version')).rows;
  const version = about?.version ?? 0;
  requireSchema(version, oldest);
  return version;
}

/**
 * Why a question about our schema was refused, if the schema is the reason.
 *
 * @throws StoreError `ENGINE_UNFIT` if it is missing, another's, or not for this role; `refusal` if that cannot be told
 */
export async function requireSchemaIn(client: Client, refusal: TeamError): Promise<void> {
  const version = await schemaIn(client).catch((error: unknown) => {
    throw isTeamError(error) ? error : refusal;
  });
  if (version === undefined)
    throw new StoreError('ENGINE_UNFIT', 'The database has no schema "teams": `teams store init` makes it there.');
}
