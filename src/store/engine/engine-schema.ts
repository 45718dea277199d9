/**
 * The schema `teams` of the engine, in one script. Roles of teams have no right on any table: they call functions,
 * which run with the rights of the schema's owner and compare who is logged in (`session_user`) with what is written
 * (/docs/scale-out.md).
 */

import { EACH, FUNCTION_SCRIPT } from './engine-functions.ts';
import { TEAM_SCRIPT } from './engine-team-functions.ts';

/** Raised when the script changes what is stored; programs of another version refuse it. */
export const ENGINE_SCHEMA = 3;

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

-- How each move of a team between files and this engine ended.
create table teams.move (
  id text primary key, team text not null, outcome text not null check (outcome in ('moved', 'withdrawn')),
  made timestamptz not null default clock_timestamp()
);

${FUNCTION_SCRIPT}${TEAM_SCRIPT}revoke all on all tables in schema teams from public;
revoke all on all functions in schema teams from public;
`;
