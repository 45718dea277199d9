/** The functions of the schema `teams` for mail (/docs/decisions/122-mail-in-a-store.md). */
import { EACH, safe } from './engine-functions.ts';

/** A notification of PostgreSQL has less than 8,000 bytes. */
const MOST_NOTIFIED_BYTES = 7_000;
/** More than these are asked for: one question costs less than so many notifications. */
const MOST_NOTIFIED = 4;

export const MAIL_SCRIPT = `
-- Where the mail of a member is notified whole, which a host hears: null to a role of one member, since whoever knows
-- the channel can say there what it likes (/docs/decisions/161-mail-notified-whole.md).
create function teams.mail_channel(of_team text, of_member text) ${safe('text')} as $$
begin
  if not teams.may(of_team, '${EACH}') then
    return null;
  end if;
  perform teams.must_live(of_team);
  insert into teams.mailbox (team, member) values (of_team, of_member) on conflict do nothing;
  return (select channel from teams.mailbox where team = of_team and member = of_member);
end $$;

-- Also of a message that is sent again: it keeps its number.
create function teams.send(of_team text, recipient text, lines text[]) ${safe('bigint[]')} as $$
declare
  numbers bigint[] := '{}';
  ids text[] := '{}';
  one text;
  message jsonb;
  place bigint;
  counted bigint;
  hosts text;
  log bigint;
begin
  foreach one in array lines loop
    message := teams.readable(one);
    perform teams.must(of_team, coalesce(message ->> 'sender', '${EACH}'));
    if one ~ E'[\\n\\r]' or message ->> 'id' is null then
      raise exception 'a message is one line with an id' using errcode = '22023';
    end if;
    ids := ids || (message ->> 'id');
  end loop;
  perform teams.must_live(of_team);
  -- A message may be about a record: whoever hears it reads that first.
  select last, channel, (select head.last from teams.head where head.team = of_team) into counted, hosts, log
    from teams.mailbox where team = of_team and member = recipient for update;
  if not found then
    insert into teams.mailbox (team, member) values (of_team, recipient) on conflict do nothing;
    select last, channel, (select head.last from teams.head where head.team = of_team) into counted, hosts, log
      from teams.mailbox where team = of_team and member = recipient for update;
  end if;
  for at in 1 .. cardinality(lines) loop
    place := counted + 1;
    -- A question for the id first may read all mail of the member: without statistics each index looks as good.
    insert into teams.mail values (of_team, recipient, place, ids[at], lines[at])
      on conflict (team, member, id) do nothing;
    if found then
      counted := place;
      if cardinality(lines) <= ${String(MOST_NOTIFIED)} and octet_length(lines[at]) <= ${String(MOST_NOTIFIED_BYTES)} then
        perform pg_notify(hosts, concat_ws(' ', place, log, lines[at]));
      end if;
    else
      select number into place from teams.mail where team = of_team and member = recipient and id = ids[at];
    end if;
    numbers := numbers || place;
  end loop;
  update teams.mailbox set last = counted where team = of_team and member = recipient;
  perform pg_notify('teams', concat_ws(' ', 'mail', of_team, recipient, counted));
  return numbers;
end $$;

-- What changes when a mailbox of the team does: how much it ever had, and how much of that is acknowledged.
create function teams.mailboxes(of_team text) ${safe('table (member text, last bigint, used bigint)')} stable as $$
begin
  perform teams.must_belong(of_team);
  return query select mailbox.member, mailbox.last, mailbox.used from teams.mailbox
    where mailbox.team = of_team and teams.may(of_team, mailbox.member);
end $$;

-- With the number of the last record of the log at the same moment: mail may be about it.
create function teams.mail_after(of_team text, of_member text, after bigint, most integer)
${safe('table (number bigint, line text, log bigint)')} stable as $$
begin
  perform teams.must(of_team, of_member);
  return query select mail.number, mail.line, (select last from teams.head where head.team = of_team) from teams.mail
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
  done integer := 0;
  one text;
  place bigint;
  known text;
begin
  perform teams.must(of_team, of_member);
  perform from teams.mailbox where team = of_team and member = of_member for update;
  foreach one in array ids loop
    -- The order makes the server use the index that has the id: without statistics each index looks as good, and one of
    -- those without it reads all mail that waits.
    select number, id into place, known from teams.mail
      where team = of_team and member = of_member and id >= one order by id limit 1;
    if known = one then
      update teams.mail set acknowledged = clock_timestamp(), incarnation = by_incarnation
        where team = of_team and member = of_member and number = place and acknowledged is null;
      if found then
        done := done + 1;
      end if;
    end if;
  end loop;
  update teams.mailbox set used = used + done where team = of_team and member = of_member;
  return done;
end $$;
`;
