/** The functions of the schema `teams`: all that roles may call, with who may do it (`engine-schema.ts`). */

/** What `who` has in place of a team or a member: each. */
export const EACH = '*';

/** SQLSTATE of a refusal by these functions, beside PostgreSQL's own `42501` for a missing right. */
export const TEAM_GONE_STATE = 'TM001';
export const ID_TAKEN_STATE = 'TM002';

/** A function that roles call: it never sees an object of a schema that a role could make. */
export const safe = (returns: string, language = 'plpgsql'): string =>
  `returns ${returns} language ${language} security definer set search_path = pg_catalog, pg_temp`;

export const FUNCTION_SCRIPT = `
create function teams.may(of_team text, as_member text) ${safe('boolean', 'sql')} stable as $$
  select exists (
    select from teams.who
    where role = session_user and team in (of_team, '${EACH}') and member in (as_member, '${EACH}')
  )
$$;

create function teams.must(of_team text, as_member text) ${safe('void')} stable as $$
begin
  if not teams.may(of_team, as_member) then
    raise exception 'role % may not act as % of this team', session_user, as_member using errcode = '42501';
  end if;
end $$;

-- Any role of the team.
create function teams.must_belong(of_team text) ${safe('void')} stable as $$
begin
  if not exists (select from teams.who where role = session_user and team in (of_team, '${EACH}')) then
    raise exception 'role % has no part in this team', session_user using errcode = '42501';
  end if;
end $$;

-- A line as this server can read it: PostgreSQL refuses JSON with "\\u0000" or half of a pair. Neither is in a name.
create function teams.readable(line text) ${safe('jsonb', 'sql')} immutable as $$
  select regexp_replace(line, '(?<!\\\\)((?:\\\\\\\\)*)\\\\u(?:0000|[dD][89A-Fa-f][0-9A-Fa-f]{2})', '\\1?', 'g')::jsonb
$$;

-- In a statement of its own, which sees what was committed while the one before it waited.
create function teams.must_live(of_team text) ${safe('void')} as $$
begin
  perform from teams.team where id = of_team and archived is null for key share;
  if not found then
    raise exception 'the team is gone' using errcode = '${TEAM_GONE_STATE}';
  end if;
end $$;

-- A member is itself, the lead is 'lead', and a person can be nobody but a host.
create function teams.must_write(of_team text, event jsonb) ${safe('void')} stable as $$
declare
  author jsonb := event -> 'author';
begin
  perform teams.must(of_team, case
    when author ? 'person' or author is null then '${EACH}'
    when author ? 'lead' then 'lead'
    else coalesce(author ->> 'by', '${EACH}')
  end);
end $$;

-- The records of one tick, each one line of the log. A record that is there already keeps its number.
create function teams.append(of_team text, lines text[]) ${safe('bigint[]')} as $$
declare
  numbers bigint[] := '{}';
  one text;
  event jsonb;
  place bigint;
  known text;
  top bigint;
begin
  foreach one in array lines loop
    perform teams.must_write(of_team, teams.readable(one));
    if one ~ E'[\\n\\r]' then
      raise exception 'a record is one line' using errcode = '22023';
    end if;
  end loop;
  select last into top from teams.head where team = of_team for update;
  perform teams.must_live(of_team);
  foreach one in array lines loop
    event := teams.readable(one);
    if event ->> 'id' is null then
      raise exception 'a record has an id' using errcode = '22023';
    end if;
    select number, line into place, known from teams.log where team = of_team and id = event ->> 'id';
    if not found then
      top := top + 1;
      place := top;
      insert into teams.log values (of_team, place, event ->> 'id', one);
    elsif known <> one then
      raise exception 'another record has this id' using errcode = '${ID_TAKEN_STATE}';
    end if;
    numbers := numbers || place;
  end loop;
  update teams.head set last = top where team = of_team;
  perform pg_notify('teams', 'log ' || of_team);
  return numbers;
end $$;

create function teams.log_after(of_team text, after bigint, most integer)
${safe('table (number bigint, line text)')} stable as $$
begin
  perform teams.must_belong(of_team);
  return query select log.number, log.line from teams.log
    where log.team = of_team and log.number > after order by log.number limit most;
end $$;

-- Also of a message that is sent again: it keeps its number.
create function teams.send(of_team text, recipient text, lines text[]) ${safe('bigint[]')} as $$
declare
  numbers bigint[] := '{}';
  one text;
  place bigint;
  counted bigint;
begin
  foreach one in array lines loop
    perform teams.must(of_team, coalesce(teams.readable(one) ->> 'sender', '${EACH}'));
    if one ~ E'[\\n\\r]' or teams.readable(one) ->> 'id' is null then
      raise exception 'a message is one line with an id' using errcode = '22023';
    end if;
  end loop;
  perform teams.must_live(of_team);
  insert into teams.mailbox (team, member) values (of_team, recipient) on conflict do nothing;
  select last into counted from teams.mailbox where team = of_team and member = recipient for update;
  foreach one in array lines loop
    select number into place from teams.mail
      where team = of_team and member = recipient and id = teams.readable(one) ->> 'id';
    if not found then
      counted := counted + 1;
      place := counted;
      insert into teams.mail values (of_team, recipient, place, teams.readable(one) ->> 'id', one);
    end if;
    numbers := numbers || place;
  end loop;
  update teams.mailbox set last = counted where team = of_team and member = recipient;
  perform pg_notify('teams', 'news');
  return numbers;
end $$;

-- What changes when a mailbox of the team does: how much it ever had, and how much of that is acknowledged.
create function teams.mailboxes(of_team text) ${safe('table (member text, last bigint, used bigint)')} stable as $$
begin
  perform teams.must_belong(of_team);
  return query select mailbox.member, mailbox.last, mailbox.used from teams.mailbox
    where mailbox.team = of_team and teams.may(of_team, mailbox.member);
end $$;

create function teams.mail_after(of_team text, of_member text, after bigint, most integer)
${safe('table (number bigint, line text)')} stable as $$
begin
  perform teams.must(of_team, of_member);
  return query select mail.number, mail.line from teams.mail
    where mail.team = of_team and mail.member = of_member and mail.number > after and mail.acknowledged is null
    order by mail.number limit most;
end $$;

-- The ids of the mail that is not acknowledged.
create function teams.waiting_mail(of_team text, of_member text) ${safe('text[]')} stable as $$
begin
  perform teams.must(of_team, of_member);
  return (select coalesce(array_agg(id order by number), '{}') from teams.mail
    where team = of_team and member = of_member and acknowledged is null);
end $$;

create function teams.acknowledge(of_team text, of_member text, by_incarnation text, ids text[])
${safe('integer')} as $$
declare
  done integer;
begin
  perform teams.must(of_team, of_member);
  perform from teams.mailbox where team = of_team and member = of_member for update;
  update teams.mail set acknowledged = clock_timestamp(), incarnation = by_incarnation
    where team = of_team and member = of_member and id = any (ids) and acknowledged is null;
  get diagnostics done = row_count;
  update teams.mailbox set used = used + done where team = of_team and member = of_member;
  return done;
end $$;

-- By the clock of the engine. @returns who has the lease now, and whose lease lapsed before, if one did
create function teams.take_lease(of_team text, of_name text, for_owner text, seconds double precision)
${safe('table (owner text, lapsed text)')} as $$
declare
  present teams.lease;
begin
  perform teams.must(of_team, of_name);
  perform teams.must_live(of_team);
  -- The first one waits for nobody; a lease that is left meanwhile is asked for anew.
  loop
    insert into teams.lease values (of_team, of_name, for_owner, '-infinity') on conflict do nothing;
    select * into present from teams.lease where team = of_team and name = of_name for update;
    exit when found;
  end loop;
  if present.owner <> for_owner and present.until > clock_timestamp() then
    return query select present.owner, null::text;
    return;
  end if;
  update teams.lease set owner = for_owner, until = clock_timestamp() + make_interval(secs => seconds)
    where team = of_team and name = of_name;
  if present.until < clock_timestamp() then
    perform pg_notify('teams', 'news');
  end if;
  return query select for_owner, nullif(present.owner, for_owner);
end $$;

create function teams.leave_lease(of_team text, of_name text, for_owner text) ${safe('void')} as $$
begin
  perform teams.must(of_team, of_name);
  delete from teams.lease where team = of_team and name = of_name and owner = for_owner;
  perform pg_notify('teams', 'news');
end $$;

create function teams.leases(of_team text) ${safe('table (name text, owner text, seconds double precision)')}
stable as $$
begin
  perform teams.must_belong(of_team);
  return query select lease.name, lease.owner, extract(epoch from lease.until - clock_timestamp())::double precision
    from teams.lease where lease.team = of_team;
end $$;

create function teams.read_document(of_team text, of_name text) ${safe('table (revision bigint, body text)')}
stable as $$
begin
  perform teams.must_belong(of_team);
  return query select document.revision, document.body from teams.document
    where document.team = of_team and document.name = of_name;
end $$;

-- Compare and set; 0 is the revision of a document that is not there. @returns the new revision, or null
create function teams.write_document(of_team text, of_name text, expected bigint, new_body text)
${safe('bigint')} as $$
declare
  written bigint;
begin
  perform teams.must(of_team, '${EACH}');
  if expected = 0 then
    insert into teams.document values (of_team, of_name, 1, new_body) on conflict do nothing
      returning revision into written;
  else
    update teams.document set revision = revision + 1, body = new_body
      where team = of_team and name = of_name and revision = expected returning revision into written;
  end if;
  return written;
end $$;

create function teams.put_artifact(of_team text, of_body bytea) ${safe('text')} as $$
declare
  address text := encode(sha256(of_body), 'hex');
begin
  perform teams.must_belong(of_team);
  insert into teams.artifact values (of_team, address, of_body) on conflict do nothing;
  return address;
end $$;

create function teams.artifact(of_team text, of_hash text) ${safe('bytea')} stable as $$
begin
  perform teams.must_belong(of_team);
  return (select body from teams.artifact where team = of_team and hash = of_hash);
end $$;

-- A source is a folder of a machine, as its role names it. @returns how far its event log is in the store
create function teams.event_source(of_team text, of_source text, first_place bigint) ${safe('bigint')} as $$
begin
  perform teams.must_belong(of_team);
  insert into teams.event_source values (of_team, session_user, of_source, first_place) on conflict do nothing;
  return (select place from teams.event_source
    where team = of_team and role = session_user and source = of_source);
end $$;

-- A member tells of itself what its own process does; all else is told by the lead.
create function teams.must_tell(of_team text, event jsonb) ${safe('void')} stable as $$
begin
  perform teams.must(of_team, case
    when event ->> 'type' ~ '^(agent|mail|message|sandbox|teammate|tree)\\.' then coalesce(event ->> 'member', 'lead')
    else 'lead'
  end);
end $$;

-- The events of a source up to a place of its log; what is in the store already is not stored again.
create function teams.tell_events(of_team text, of_source text, up_to bigint, lines text[]) ${safe('void')} as $$
declare
  known bigint;
  top bigint;
  one text;
begin
  foreach one in array lines loop
    perform teams.must_tell(of_team, teams.readable(one));
    if one ~ E'[\\n\\r]' then
      raise exception 'an event is one line' using errcode = '22023';
    end if;
  end loop;
  perform teams.must_live(of_team);
  select place into known from teams.event_source
    where team = of_team and role = session_user and source = of_source for update;
  if not found or known >= up_to then
    return;
  end if;
  insert into teams.event_head values (of_team) on conflict do nothing;
  select last into top from teams.event_head where team = of_team for update;
  insert into teams.event
    select of_team, top + nr, session_user, of_source, line from unnest(lines) with ordinality as told (line, nr);
  update teams.event_head set last = top + cardinality(lines) where team = of_team;
  update teams.event_source set place = up_to where team = of_team and role = session_user and source = of_source;
  perform pg_notify('teams', 'news');
end $$;

-- What other sources told.
create function teams.events_after(of_team text, of_source text, after bigint, most integer)
${safe('table (number bigint, source text, line text)')} stable as $$
begin
  perform teams.must_belong(of_team);
  return query select event.number, event.source, event.line from teams.event
    where event.team = of_team and event.number > after
      and (event.source <> of_source or event.role <> session_user)
    order by event.number limit most;
end $$;

-- A member reserves for itself and settles that; limits are set by the lead.
create function teams.must_spend(of_team text, entry jsonb) ${safe('void')} stable as $$
begin
  perform teams.must(of_team, coalesce(case entry ->> 'do'
    when 'limit' then 'lead'
    when 'settle' then (
      select teams.readable(line) #>> '{entry,member}' from teams.ledger
      where team = of_team and teams.readable(line) -> 'entry' @> jsonb_build_object('do', 'reserve', 'id', entry -> 'id')
    )
    else entry ->> 'member'
  end, 'lead'));
end $$;

-- Records of the ledger that were decided with the first after of it. @returns null if there are others meanwhile
create function teams.append_ledger(of_team text, after bigint, lines text[]) ${safe('bigint')} as $$
declare
  top bigint;
  one text;
begin
  perform teams.must_belong(of_team);
  foreach one in array lines loop
    if not teams.may(of_team, '${EACH}') then
      perform teams.must_spend(of_team, teams.readable(one) -> 'entry');
    end if;
    if one ~ E'[\\n\\r]' then
      raise exception 'a record is one line' using errcode = '22023';
    end if;
  end loop;
  perform teams.must_live(of_team);
  insert into teams.ledger_head values (of_team) on conflict do nothing;
  select last into top from teams.ledger_head where team = of_team for update;
  -- The answer to the same records was lost.
  if (select line from teams.ledger where team = of_team and number = after + 1) = lines[1] then
    return after + cardinality(lines);
  end if;
  if top <> after then
    return null;
  end if;
  insert into teams.ledger select of_team, top + nr, line from unnest(lines) with ordinality as decided (line, nr);
  update teams.ledger_head set last = top + cardinality(lines) where team = of_team;
  perform pg_notify('teams', 'news');
  return top + cardinality(lines);
end $$;

create function teams.ledger_after(of_team text, after bigint, most integer)
${safe('table (number bigint, line text)')} stable as $$
begin
  perform teams.must_belong(of_team);
  return query select ledger.number, ledger.line from teams.ledger
    where ledger.team = of_team and ledger.number > after order by ledger.number limit most;
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
  'append(text, text[])',
  'log_after(text, bigint, integer)',
  'send(text, text, text[])',
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
  'news()',
  'schema_version()',
] as const;
