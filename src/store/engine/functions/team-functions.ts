/**
 * The functions of the schema `teams` for a team: it is made, archived, or moved between files and the engine
 * (/docs/decisions/130-a-team-that-moves.md), and has documents and artifacts.
 */
import { EACH, safe } from './engine-functions.ts';

export const TEAM_SCRIPT = `
create function teams.create_team(of_team text, of_name text) ${safe('void')} as $$
begin
  perform teams.must(of_team, '${EACH}');
  insert into teams.team (id, name) values (of_team, of_name);
  insert into teams.head (team) values (of_team);
end $$;

create function teams.archive_team(of_team text) ${safe('void')} as $$
begin
  perform teams.must(of_team, '${EACH}');
  -- Waits for what is being committed; what comes then hears that the team is gone.
  perform from teams.head where team = of_team for update;
  perform from teams.team where id = of_team for update;
  update teams.team set archived = coalesce(archived, clock_timestamp()) where id = of_team;
  perform pg_notify('teams', 'news');
end $$;

create function teams.list_teams() ${safe('table (id text, name text, made timestamptz, archived timestamptz)', 'sql')}
stable as $$
  select id, name, made, archived from teams.team
  where exists (select from teams.who where role = session_user and team in (id, '${EACH}'))
$$;

-- Whoever says it first decides how a move ended: its mover in the transaction that moves, or who finds it unfinished.
-- Waits for a transaction that has said it and is not over. @returns what was decided
create function teams.decide_move(of_move text, of_team text, said text) ${safe('text')} as $$
begin
  perform teams.must(of_team, '${EACH}');
  insert into teams.move values (of_move, of_team, said) on conflict do nothing;
  return (select outcome from teams.move where id = of_move);
end $$;

-- Makes a team that comes from files, or one that left alive again: its log is there, nothing else.
-- @returns how many records it has here
create function teams.bring_team(of_team text, of_name text) ${safe('bigint')} as $$
begin
  perform teams.must(of_team, '${EACH}');
  insert into teams.team (id, name) values (of_team, of_name) on conflict (id) do nothing;
  if found then
    insert into teams.head (team) values (of_team);
  else
    update teams.team set name = of_name, archived = null where id = of_team and archived is not null;
    if not found then
      raise exception 'the team is here already' using errcode = 'unique_violation';
    end if;
    delete from teams.document where team = of_team;
    delete from teams.lease where team = of_team;
    delete from teams.placement where team = of_team;
    delete from teams.ledger where team = of_team;
    delete from teams.ledger_head where team = of_team;
  end if;
  return (select last from teams.head where team = of_team for update);
end $$;

-- Until the end of the transaction nothing of the team is written by others.
create function teams.hold_team(of_team text) ${safe('void')} as $$
begin
  perform teams.must(of_team, '${EACH}');
  perform from teams.head where team = of_team for update;
  perform from teams.team where id = of_team for update;
  perform from teams.mailbox where team = of_team for update;
  perform teams.must_live(of_team);
end $$;

-- The team leaves, and its mail with it.
create function teams.send_off_team(of_team text) ${safe('void')} as $$
begin
  perform teams.archive_team(of_team);
  delete from teams.mail where team = of_team and acknowledged is null;
end $$;

create function teams.documents(of_team text) ${safe('table (name text, body text)')} stable as $$
begin
  perform teams.must_belong(of_team);
  return query select document.name, document.body from teams.document where document.team = of_team;
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
`;
