/** The functions of the schema `teams` for what has one order for all machines: the log of a team, and its ledger. */
import { EACH, ID_TAKEN_STATE, safe } from './engine-functions.ts';

/** What an answer of `append` may have at most: it fits into what the server holds before it writes to the connection. */
const MOST_NEWS = 64;
const MOST_NEWS_BYTES = 7_000;

export const LOG_SCRIPT = `
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

-- The records of one tick, each one line of the log. A record that is there already keeps its number. With the records
-- after a number, these among them, each with a line break before the next, if they are short: an answer leaves before the
-- commit, and a client that stands still must not hold the head's lock because its connection is full.
create function teams.append(of_team text, lines text[], after bigint)
${safe('table (numbers bigint[], news text)')} as $$
declare
  ids text[] := '{}';
  one text;
  event jsonb;
  place bigint;
  known text;
  top bigint;
begin
  numbers := '{}';
  foreach one in array lines loop
    event := teams.readable(one);
    perform teams.must_write(of_team, event);
    if one ~ E'[\\n\\r]' then
      raise exception 'a record is one line' using errcode = '22023';
    end if;
    if event ->> 'id' is null then
      raise exception 'a record has an id' using errcode = '22023';
    end if;
    ids := ids || (event ->> 'id');
  end loop;
  select last into top from teams.head where team = of_team for update;
  perform teams.must_live(of_team);
  for at in 1 .. cardinality(lines) loop
    insert into teams.log values (of_team, top + 1, ids[at], lines[at]) on conflict (team, id) do nothing;
    if found then
      top := top + 1;
      place := top;
    else
      select number, line into place, known from teams.log where team = of_team and id = ids[at];
      if known <> lines[at] then
        raise exception 'another record has this id' using errcode = '${ID_TAKEN_STATE}';
      end if;
    end if;
    numbers := numbers || place;
  end loop;
  update teams.head set last = top where team = of_team;
  perform pg_notify('teams', 'log ' || of_team || ' ' || top);
  if top - after <= ${String(MOST_NEWS)} then
    select string_agg(log.line, E'\\n' order by log.number) into news from teams.log
      where log.team = of_team and log.number > after;
    if octet_length(news) > ${String(MOST_NEWS_BYTES)} then
      news := null;
    end if;
  end if;
  return next;
end $$;

create function teams.log_after(of_team text, after bigint, most integer)
${safe('table (number bigint, line text)')} stable as $$
begin
  perform teams.must_belong(of_team);
  return query select log.number, log.line from teams.log
    where log.team = of_team and log.number > after order by log.number limit most;
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
`;
