/**
 * The functions of the schema `teams` for what a user has over all teams and machines: the ledger of the day, and what a
 * vendor asked for. The user is the role that is logged in. Times are by the clock of the engine
 * (/docs/decisions/156-a-user-on-several-machines.md).
 */
import { safe } from './engine-functions.ts';

/** Days of a ledger that are kept. */
const KEPT_DAYS = 40;
/** What one call may append at most: a new day takes over what is reserved. */
const MOST_LINES = 10_000;
const MOST_LINE_BYTES = 16_384;
/** Rows of a role about its vendors; each machine has one for each of its credentials. */
const MOST_PACES = 1_000;
/** Seconds after which a machine that did not call counts no more, and after which what it told is removed. */
const CALLS_FOR_S = 60;
const KEPT_FOR_S = 1_200;
/** A vendor may ask for that many seconds at most. */
const LONGEST_PAUSE_S = 960;

export const USER_SCRIPT = `
create function teams.must_be_known() ${safe('void')} stable as $$
begin
  if not exists (select from teams.who where role = session_user) then
    raise exception 'role % has no part in any team', session_user using errcode = '42501';
  end if;
end $$;

-- The day of the ledger of this role: a clock that is set back changes nothing.
create function teams.spending_day() ${safe('date', 'sql')} stable as $$
  select greatest((clock_timestamp() at time zone 'UTC')::date,
    (select day from teams.spending_head where role = session_user))
$$;

-- Records that were decided with the first after of the ledger of from_day, for the ledger of for_day: the same one, or
-- that of today, which they begin. @returns today, how far the ledger is, and false if there are others meanwhile or the day
-- is over
create function teams.append_spending(from_day date, after bigint, for_day date, lines text[])
${safe('table (today text, head_day text, head_last bigint, written boolean)')} as $$
declare
  present teams.spending_head;
  top bigint;
begin
  perform teams.must_be_known();
  if cardinality(lines) > ${String(MOST_LINES)} then
    raise exception 'too many records' using errcode = '22023';
  end if;
  if exists (select from unnest(lines) one where one ~ E'[\\n\\r]' or octet_length(one) > ${String(MOST_LINE_BYTES)}) then
    raise exception 'a record is one line of at most ${String(MOST_LINE_BYTES)} bytes' using errcode = '22023';
  end if;
  insert into teams.spending_head values (session_user, teams.spending_day(), 0) on conflict do nothing;
  select * into present from teams.spending_head where role = session_user for update;
  today := to_char(teams.spending_day(), 'YYYY-MM-DD');
  -- The answer to the same records was lost.
  if exists (
    select from teams.spending where role = session_user and day = for_day and number in (1, after + 1) and line = lines[1]
  ) then
    head_day := to_char(present.day, 'YYYY-MM-DD');
    head_last := present.last;
    written := true;
    return next;
    return;
  end if;
  if cardinality(lines) = 0 or for_day <> today::date or (from_day <> present.day and present.last > 0) or
    after <> present.last then
    head_day := to_char(present.day, 'YYYY-MM-DD');
    head_last := present.last;
    written := false;
    return next;
    return;
  end if;
  top := case when for_day = present.day then present.last else 0 end;
  insert into teams.spending
    select session_user, for_day, top + nr, line from unnest(lines) with ordinality as decided (line, nr);
  head_day := to_char(for_day, 'YYYY-MM-DD');
  head_last := top + cardinality(lines);
  written := true;
  update teams.spending_head set day = for_day, last = head_last where role = session_user;
  delete from teams.spending where role = session_user and day < for_day - ${String(KEPT_DAYS)};
  perform pg_notify('teams', 'news');
  return next;
end $$;

create function teams.spending_after(of_day text, after bigint, most integer)
${safe('table (number bigint, line text)')} stable as $$
begin
  perform teams.must_be_known();
  return query select spending.number, spending.line from teams.spending
    where role = session_user and day = of_day::date and spending.number > after order by spending.number limit most;
end $$;

-- A machine calls a vendor, which refused some of its last calls and asked for a pause.
create function teams.tell_pace(of_credential text, of_machine text, seconds double precision, refused integer)
${safe('void')} as $$
declare
  ends timestamptz := clock_timestamp() + make_interval(secs => least(greatest(seconds, 0), ${String(LONGEST_PAUSE_S)}));
begin
  perform teams.must_be_known();
  if octet_length(of_credential) > 64 or octet_length(of_machine) > 200 then
    raise exception 'the name of a credential or of a machine is too long' using errcode = '22023';
  end if;
  delete from teams.pace
    where role = session_user and seen < clock_timestamp() - make_interval(secs => ${String(KEPT_FOR_S)});
  if (select count(*) from teams.pace where role = session_user) >= ${String(MOST_PACES)} then
    return;
  end if;
  insert into teams.pace values (session_user, of_credential, of_machine, clock_timestamp(), ends, refused)
    on conflict (role, credential, machine) do update set seen = clock_timestamp(), until = ends, refusals = refused;
  perform pg_notify('teams', 'news');
end $$;

-- For each credential how long its vendor is not to be called, refusals in a row, and how many machines call it.
create function teams.paces()
${safe('table (credential text, seconds double precision, refusals integer, machines integer)')} stable as $$
begin
  perform teams.must_be_known();
  return query select pace.credential,
    greatest(extract(epoch from max(pace.until) - clock_timestamp()), 0)::double precision,
    coalesce(max(pace.refusals) filter (where pace.until > clock_timestamp()), 0),
    (count(*) filter (where pace.seen > clock_timestamp() - make_interval(secs => ${String(CALLS_FOR_S)})))::integer
  from teams.pace where role = session_user
    and pace.seen > clock_timestamp() - make_interval(secs => ${String(KEPT_FOR_S)})
  group by pace.credential;
end $$;
`;
