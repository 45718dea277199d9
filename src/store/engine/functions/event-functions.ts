/** The functions of the schema `teams` for events: what each machine tells of a team (/docs/decisions/140-events-in-a-store.md). */
import { safe } from './engine-functions.ts';

export const EVENT_SCRIPT = `
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
`;
