/** What a relay asks the engine for hosts, and for leads that place members on them (`engine-host-functions.ts`). */
import type { HostAsked, PlacementAsked } from '../replica/team-hosts.ts';
import type { EngineSession } from './engine-session.ts';

/** A host keeps its name so long after it asked last, by the clock of the engine. */
const HOST_S = 10;

export interface EngineHost {
  readonly name: string;
  readonly owner: string;
  readonly slots: number;
  readonly labels: readonly string[];
  /** The name of the only team whose members it starts. */
  readonly onlyTeam: string | null;
  readonly used: number;
  /** Until its name lapses, by the engine's clock; negative afterwards. */
  readonly seconds: number;
}

/** @returns the process that has the name of the host now; undefined for one that has left */
export async function askForHost(session: EngineSession, asked: HostAsked): Promise<string | undefined> {
  if (asked.do === 'leave') {
    await session.ask('select teams.leave_host($1, $2)', [asked.name, asked.owner]);
    return undefined;
  }
  const { name, owner, slots, labels, onlyTeam } = asked;
  const [row] = await session.ask<{ owner: string }>('select teams.register_host($1, $2, $3, $4, $5, $6) as owner', [
    name,
    owner,
    slots,
    labels,
    onlyTeam,
    HOST_S,
  ]);
  return row?.owner;
}

/** @returns false if the host is gone, or has no free slot */
export async function askForPlacement(session: EngineSession, team: string, asked: PlacementAsked): Promise<boolean> {
  if (asked.do === 'place') {
    const text = 'select teams.place($1, $2, $3) as placed';
    const [row] = await session.ask<{ placed: boolean }>(text, [team, asked.member, asked.host]);
    return row?.placed === true;
  }
  if (asked.do === 'displace') await session.ask('select teams.displace($1, $2)', [team, asked.number]);
  else await session.ask('select teams.end_placement($1, $2, $3)', [team, asked.number, asked.how]);
  return true;
}

/** @param session what asks the engine */
export async function hostsOf(session: Pick<EngineSession, 'ask'>): Promise<EngineHost[]> {
  const rows = await session.ask<Omit<EngineHost, 'used'> & { used: string }>(
    'select name, owner, slots, labels, only_team as "onlyTeam", used, seconds from teams.hosts()',
    [],
  );
  return rows.map((row) => ({ ...row, used: Number(row.used) }));
}
