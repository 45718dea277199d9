/** What a relay asks the engine in each look: how far all teams of the store are, in one answer of one moment. */
import { isMemberName, isName } from '../../model/text/names.ts';
import type { HostPlacement } from '../replica/team-hosts.ts';
import type { EngineHost } from './engine-hosts.ts';
import type { EngineLease, EngineMailbox, EngineTeam } from './engine-rows.ts';
import type { EngineSession } from './engine-session.ts';

export interface TeamNews extends EngineTeam {
  /** The numbers of the last records of its log, its ledger and its events. */
  readonly log: number;
  readonly ledger: number;
  readonly events: number;
  /** The revision of its configuration. */
  readonly config: number | null;
  readonly leases: readonly EngineLease[];
  readonly mailboxes: readonly EngineMailbox[];
  readonly placements: readonly HostPlacement[];
}

interface EngineNews {
  /** Those that are not archived, by name. */
  readonly teams: readonly TeamNews[];
  readonly hosts: readonly EngineHost[];
}

type PlacementRow = Omit<HostPlacement, 'member' | 'ended'> & {
  readonly member: string;
  readonly ended: string | null;
};
type TeamRow = Omit<TeamNews, 'name' | 'placements'> & {
  readonly name: string;
  readonly placements: readonly PlacementRow[];
};
interface NewsRow {
  readonly teams: readonly TeamRow[];
  readonly hosts: readonly (Omit<EngineHost, 'onlyTeam'> & { readonly only_team: string | null })[];
}

/** @throws SessionLost; StoreError as `EngineSession.append` */
export async function newsOf(session: EngineSession): Promise<EngineNews> {
  const [row] = await session.ask<{ news: NewsRow }>('select teams.news() as news', []);
  const { teams, hosts } = row?.news ?? { teams: [], hosts: [] };
  return {
    teams: teams.flatMap(({ name, ...team }) => (isName(name) ? [{ ...team, ...known(team), name }] : [])),
    hosts: hosts.map(({ only_team: onlyTeam, ...host }) => ({ ...host, onlyTeam })),
  };
}

/** Without what a program of another version named. */
function known({ leases, mailboxes, placements }: Omit<TeamRow, 'name'>) {
  return {
    leases: leases.filter(({ name }) => isMemberName(name)),
    mailboxes: mailboxes.filter(({ member }) => isMemberName(member)),
    placements: placements.flatMap(({ member, number, host, owner, ended }) =>
      isMemberName(member) ? [{ member, number, host, owner, ended: ended ?? undefined }] : [],
    ),
  };
}
