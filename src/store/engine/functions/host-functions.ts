/**
 * The functions of the schema `teams` for hosts, which start members that a lead places on them
 * (/docs/decisions/139-hosts.md). Times are by the clock of the engine.
 */
import { EACH, safe } from './engine-functions.ts';

export const HOST_SCRIPT = `
-- Takes the name of a host, or holds it for longer. A new process of the name begins without placements: those of the
-- one before were its own. @returns the process that has the name now
create function teams.register_host(
  of_name text, for_owner text, of_slots integer, of_labels text[], of_only text, seconds double precision
) ${safe('text')} as $$
declare
  present teams.host;
begin
  perform teams.must('${EACH}', '${EACH}');
  -- A host that gives its name back meanwhile is asked for anew.
  loop
    insert into teams.host values (of_name, session_user, '', 0, '{}', null, '-infinity') on conflict do nothing;
    select * into present from teams.host where name = of_name for update;
    exit when found;
  end loop;
  if present.owner <> for_owner and present.until > clock_timestamp() then
    return present.owner;
  end if;
  if present.owner <> for_owner then
    delete from teams.placement where host = of_name;
  end if;
  update teams.host set role = session_user, owner = for_owner, slots = of_slots, labels = of_labels, only_team = of_only,
    until = clock_timestamp() + make_interval(secs => seconds) where name = of_name;
  if present.owner <> for_owner or present.until < clock_timestamp() then
    perform pg_notify('teams', 'news');
  end if;
  return for_owner;
end $$;

create function teams.leave_host(of_name text, for_owner text) ${safe('void')} as $$
begin
  perform teams.must('${EACH}', '${EACH}');
  perform from teams.host where name = of_name and owner = for_owner for update;
  if found then
    delete from teams.placement where host = of_name;
    delete from teams.host where name = of_name;
    perform pg_notify('teams', 'news');
  end if;
end $$;

-- The hosts, with how many members of all teams are placed on each, and how long each has its name still.
create function teams.hosts()
${safe('table (name text, owner text, slots integer, labels text[], only_team text, used bigint, seconds double precision)')}
stable as $$
begin
  return query select host.name, host.owner, host.slots, host.labels, host.only_team,
    (select count(*) from teams.placement join teams.team on team.id = placement.team
      where placement.host = host.name and placement.ended is null and team.archived is null),
    extract(epoch from host.until - clock_timestamp())::double precision
  from teams.host
  where exists (select from teams.who where role = session_user)
  order by host.name;
end $$;

-- Places a member: its process is to be started there once. @returns false if the host is gone, or has no free slot
create function teams.place(of_team text, of_member text, of_host text) ${safe('boolean')} as $$
declare
  present teams.host;
begin
  perform teams.must(of_team, 'lead');
  perform teams.must_live(of_team);
  select * into present from teams.host where name = of_host and until > clock_timestamp() for update;
  if not found or present.only_team not in (select name from teams.team where id = of_team) then
    return false;
  end if;
  delete from teams.placement where team = of_team and member = of_member;
  if (select count(*) from teams.placement join teams.team on team.id = placement.team
      where placement.host = of_host and placement.ended is null and team.archived is null) >= present.slots then
    perform pg_notify('teams', 'news');
    return false;
  end if;
  insert into teams.placement values (of_team, of_member, nextval('teams.placement_number'), of_host);
  perform pg_notify('teams', 'news');
  return true;
end $$;

-- The placement is over; its process is ended by its host.
create function teams.displace(of_team text, of_number bigint) ${safe('void')} as $$
begin
  perform teams.must(of_team, 'lead');
  delete from teams.placement where team = of_team and number = of_number;
  perform pg_notify('teams', 'news');
end $$;

-- The process of a placement has ended, and how.
create function teams.end_placement(of_team text, of_number bigint, how text) ${safe('void')} as $$
begin
  perform teams.must(of_team, '${EACH}');
  update teams.placement set ended = left(how, 200) where team = of_team and number = of_number and ended is null;
  perform pg_notify('teams', 'news');
end $$;

create function teams.placements(of_team text)
${safe('table (member text, number bigint, host text, owner text, ended text)')} stable as $$
begin
  perform teams.must_belong(of_team);
  return query select placement.member, placement.number, placement.host, host.owner, placement.ended
    from teams.placement join teams.host on host.name = placement.host
    where placement.team = of_team order by placement.member;
end $$;
`;
