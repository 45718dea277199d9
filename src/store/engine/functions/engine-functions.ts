/** The functions of the schema `teams`: who may do what, which all others ask, and the list of those that roles may call (`../engine-schema.ts`). */

/** What `who` has in place of a team or a member: each. */
export const EACH = '*';

/** SQLSTATE of a refusal by these functions, beside PostgreSQL's own `42501` for a missing right. */
export const TEAM_GONE_STATE = 'TM001';
export const ID_TAKEN_STATE = 'TM002';

/** A function that roles call: it never sees an object of a schema that a role could make. */
export const safe = (returns: string, language = 'plpgsql'): string =>
  `returns ${returns} language ${language} security definer set search_path = pg_catalog, pg_temp`;

/**
 * A function that only those of {@link safe} call, with their rights and their path: no role may call it itself. A path of
 * its own would be set and set back at each call.
 */
const inner = (returns: string): string => `returns ${returns} language plpgsql`;

export const RIGHTS_SCRIPT = `
create function teams.may(of_team text, as_member text) ${inner('boolean')} stable as $$
begin
  return exists (
    select from teams.who
    where role = session_user and team in (of_team, '${EACH}') and member in (as_member, '${EACH}')
  );
end $$;

create function teams.must(of_team text, as_member text) ${inner('void')} stable as $$
begin
  if not exists (
    select from teams.who
    where role = session_user and team in (of_team, '${EACH}') and member in (as_member, '${EACH}')
  ) then
    raise exception 'role % may not act as % of this team', session_user, as_member using errcode = '42501';
  end if;
end $$;

-- Any role of the team.
create function teams.must_belong(of_team text) ${inner('void')} stable as $$
begin
  if not exists (select from teams.who where role = session_user and team in (of_team, '${EACH}')) then
    raise exception 'role % has no part in this team', session_user using errcode = '42501';
  end if;
end $$;

-- A line as this server can read it: PostgreSQL refuses JSON with "\\u0000" or half of a pair. Neither is in a name.
create function teams.readable(line text) ${inner('jsonb')} immutable as $$
begin
  if strpos(line, E'\\\\u') = 0 then
    return line::jsonb;
  end if;
  return regexp_replace(line, '(?<!\\\\)((?:\\\\\\\\)*)\\\\u(?:0000|[dD][89A-Fa-f][0-9A-Fa-f]{2})', '\\1?', 'g')::jsonb;
end $$;

-- In a statement of its own, which sees what was committed while the one before it waited.
create function teams.must_live(of_team text) ${inner('void')} as $$
begin
  perform from teams.team where id = of_team and archived is null for key share;
  if not found then
    raise exception 'the team is gone' using errcode = '${TEAM_GONE_STATE}';
  end if;
end $$;

create function teams.schema_version() ${safe('integer', 'sql')} stable as $$
  select version from teams.about
$$;
`;

/** What each role of teams may call; the functions that only others call are not among them. */
export const ENGINE_FUNCTIONS = [
  'create_team(text, text)',
  'archive_team(text)',
  'list_teams()',
  'decide_move(text, text, text)',
  'bring_team(text, text)',
  'hold_team(text)',
  'send_off_team(text)',
  'documents(text)',
  'append(text, text[], bigint)',
  'log_after(text, bigint, integer)',
  'send(text, text, text[])',
  'mail_channel(text, text)',
  'mailboxes(text)',
  'mail_after(text, text, bigint, integer)',
  'waiting_mail(text, text)',
  'acknowledge(text, text, text, text[])',
  'take_lease(text, text, text, double precision)',
  'leave_lease(text, text, text)',
  'leases(text)',
  'read_document(text, text)',
  'write_document(text, text, bigint, text)',
  'put_artifact(text, bytea)',
  'artifact(text, text)',
  'event_source(text, text, bigint)',
  'tell_events(text, text, bigint, text[])',
  'events_after(text, text, bigint, integer)',
  'append_ledger(text, bigint, text[])',
  'ledger_after(text, bigint, integer)',
  'register_host(text, text, integer, text[], text, double precision)',
  'leave_host(text, text)',
  'hosts()',
  'place(text, text, text)',
  'displace(text, bigint)',
  'end_placement(text, bigint, text)',
  'placements(text)',
  'append_spending(date, bigint, date, text[])',
  'spending_after(text, bigint, integer)',
  'tell_pace(text, text, double precision, integer)',
  'news()',
  'schema_version()',
] as const;
