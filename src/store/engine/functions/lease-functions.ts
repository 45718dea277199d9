/** The functions of the schema `teams` for leases, by the clock of the engine. */
import { safe } from './engine-functions.ts';

export const LEASE_SCRIPT = `
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
`;
