/** What a relay asks the engine in each look: how far all teams of the store are, in one answer of one moment. */
import * as z from 'zod';
import { isHostWord } from '../../model/team/host-label.ts';
import { isMemberName, isName } from '../../model/text/names.ts';
import { safeLine } from '../../model/text/safe-text.ts';
import type { HostPlacement } from '../replica/team-hosts.ts';
import { knownHosts, type EngineHost } from './engine-hosts.ts';
import {
  leaseRow,
  mailboxRow,
  type EngineLease,
  type EngineMailbox,
  type EngineTeam,
  type SpendingNews,
} from './engine-rows.ts';
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

/** A vendor that machines of the role call. */
export interface PaceNews {
  /** A hash. */
  readonly credential: string;
  /** How long nobody is to call it. */
  readonly seconds: number;
  readonly refusals: number;
  readonly machines: number;
}

interface EngineNews {
  /** Those that are not archived, by name. */
  readonly teams: readonly TeamNews[];
  readonly hosts: readonly EngineHost[];
  readonly spending: SpendingNews | null;
  readonly paces: readonly PaceNews[];
}

const placementRow = z.object({
  member: z.string(),
  number: z.number(),
  host: z.string(),
  owner: z.string(),
  ended: z.string().nullable(),
});
const teamRow = z.object({
  id: z.string(),
  name: z.string(),
  log: z.number(),
  ledger: z.number(),
  events: z.number(),
  config: z.number().nullable(),
  leases: z.array(leaseRow),
  mailboxes: z.array(mailboxRow),
  placements: z.array(placementRow),
});
const hostRow = z.looseObject({ only_team: z.unknown() });
const day = z.iso.date();
const count = z.number().int().nonnegative();
const spendingRow = z.object({ today: day, day, last: count });
const paceRow = z.object({
  credential: z.string(),
  seconds: z.number().nonnegative(),
  refusals: count,
  machines: count,
});
const newsRow = z.object({
  news: z.object({
    teams: z.array(teamRow),
    hosts: z.array(hostRow),
    spending: spendingRow.nullable(),
    paces: z.array(paceRow),
  }),
});

/** @throws SessionLost; StoreError as `EngineSession.append` */
export async function newsOf(session: EngineSession): Promise<EngineNews> {
  const [row] = await session.ask('select teams.news() as news', [], newsRow);
  const { teams, hosts, ...user } = row?.news ?? { teams: [], hosts: [], spending: null, paces: [] };
  return {
    ...user,
    teams: teams.flatMap(({ name, ...team }) => (isName(name) ? [{ ...team, ...known(team), name }] : [])),
    hosts: knownHosts(hosts.map(({ only_team: onlyTeam, ...host }) => ({ ...host, onlyTeam }))),
  };
}

/** Characters of how a process ended: it becomes an event, and a line for people. */
const MOST_OF_END = 200;

const endIn = (said: string | null): string | undefined =>
  said === null ? undefined : safeLine(said.slice(0, 2 * MOST_OF_END)).slice(0, MOST_OF_END);

/** Without what a program of another version named. */
function known({ leases, mailboxes, placements }: Omit<z.output<typeof teamRow>, 'name'>) {
  return {
    leases: leases.flatMap(({ name, ...lease }) => (isMemberName(name) ? [{ name, ...lease }] : [])),
    mailboxes: mailboxes.flatMap(({ member, ...mailbox }) => (isMemberName(member) ? [{ member, ...mailbox }] : [])),
    placements: placements.flatMap(({ member, number, host, owner, ended }) =>
      isMemberName(member) && isHostWord(host) ? [{ member, number, host, owner, ended: endIn(ended) }] : [],
    ),
  };
}
