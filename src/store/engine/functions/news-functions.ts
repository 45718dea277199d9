/** The function of the schema `teams` that says how far all teams are (/docs/decisions/144-one-question-a-look.md). */
import { EACH, safe } from './engine-functions.ts';

export const NEWS_SCRIPT = `
-- The numbers of the last records of each team, the revision of its configuration, and what is short: leases, mailboxes,
-- placements. The hosts; how far the ledger of the day of this role is, if it has one; and its vendors.
create function teams.news() ${safe('json')} stable as $$
begin
  return json_build_object(
    'teams', coalesce((
      select json_agg(json_build_object(
        'id', team.id, 'name', team.name,
        'log', (select last from teams.head where head.team = team.id),
        'ledger', coalesce((select last from teams.ledger_head where ledger_head.team = team.id), 0),
        'events', coalesce((select last from teams.event_head where event_head.team = team.id), 0),
        'config', (select revision from teams.document where document.team = team.id and document.name = 'config'),
        'leases', (select coalesce(json_agg(one), '[]') from teams.leases(team.id) one),
        'mailboxes', (select coalesce(json_agg(one), '[]') from teams.mailboxes(team.id) one),
        'placements', (select coalesce(json_agg(one), '[]') from teams.placements(team.id) one)
      ) order by team.name)
      from teams.team
      where archived is null
        and exists (select from teams.who where role = session_user and who.team in (team.id, '${EACH}'))
    ), '[]'),
    'hosts', (select coalesce(json_agg(one), '[]') from teams.hosts() one),
    'spending', (
      select json_build_object(
        'today', to_char(teams.spending_day(), 'YYYY-MM-DD'), 'day', to_char(day, 'YYYY-MM-DD'), 'last', last
      ) from teams.spending_head where role = session_user
    ),
    'paces', (select coalesce(json_agg(one), '[]') from teams.paces() one)
  );
end $$;
`;
