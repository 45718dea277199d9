/** What a relay asks the engine for hosts, and for leads that place members on them (`functions/host-functions.ts`). */
import * as z from 'zod';
import type { HostAsked, PlacementAsked } from '../replica/team-hosts.ts';
import type { EngineSession } from './engine-session.ts';

/** A host keeps its name so long after it asked last, by the clock of the engine. */
const HOST_S = 10;

const hostSchema = z.object({
  name: z.string(),
  owner: z.string(),
  slots: z.number(),
  labels: z.array(z.string()),
  /** The name of the only team whose members it starts. */
  onlyTeam: z.string().nullable(),
  used: z.coerce.number(),
  /** Until its name lapses, by the engine's clock; negative afterwards. */
  seconds: z.number(),
});
export type EngineHost = Readonly<z.output<typeof hostSchema>>;

const ownerRow = z.object({ owner: z.string() });
const placedRow = z.object({ placed: z.boolean() });

/** Any role of a store may say that it is a host: one of another shape is left out. */
export const knownHosts = (rows: readonly unknown[]): EngineHost[] =>
  rows.flatMap((row) => {
    const host = hostSchema.safeParse(row);
    return host.success ? [host.data] : [];
  });

/** @returns the process that has the name of the host now; undefined for one that has left */
export async function askForHost(session: EngineSession, asked: HostAsked): Promise<string | undefined> {
  if (asked.do === 'leave') {
    await session.ask('select teams.leave_host($1, $2)', [asked.name, asked.owner]);
    return undefined;
  }
  const { name, owner, slots, labels, onlyTeam } = asked;
  const [row] = await session.ask(
    'select teams.register_host($1, $2, $3, $4, $5, $6) as owner',
    [name, owner, slots, labels, onlyTeam, HOST_S],
    ownerRow,
  );
  return row?.owner;
}

/** @returns false if the host is gone, or has no free slot */
export async function askForPlacement(session: EngineSession, team: string, asked: PlacementAsked): Promise<boolean> {
  if (asked.do === 'place') {
    const text = 'select teams.place($1, $2, $3) as placed';
    const [row] = await session.ask(text, [team, asked.member, asked.host], placedRow);
    return row?.placed === true;
  }
  if (asked.do === 'displace') await session.ask('select teams.displace($1, $2)', [team, asked.number]);
  else await session.ask('select teams.end_placement($1, $2, $3)', [team, asked.number, asked.how]);
  return true;
}

/** @param session what asks the engine */
export async function hostsOf(session: Pick<EngineSession, 'ask'>): Promise<EngineHost[]> {
  const text = 'select name, owner, slots, labels, only_team as "onlyTeam", used, seconds from teams.hosts()';
  return knownHosts(await session.ask(text, [], z.looseObject({})));
}
