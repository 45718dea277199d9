/**
 * What a member's agent keeps from one process of the member to the next: its own directory, and the session to
 * continue.
 */
import { randomBytes } from 'node:crypto';
import type { AgentKind } from '../../model/agent/agent-kinds.ts';
import { StoreError } from '../../model/text/errors.ts';
import type { Name } from '../../model/text/names.ts';
import { jsonOf } from '../../model/text/plain-fields.ts';
import { keptSessionSchema } from '../../model/agent/kept-session.ts';
import type { Disk } from '../files/disk.ts';
import { DOCUMENT_VERSION } from '../lock/document-reader.ts';
import { makeDirectory, readText, replaceFile } from '../files/file.ts';
import type { TeamPaths } from '../files/paths.ts';
import { placeOfHome, type Housed, type HousedTeam } from '../user/agent-homes.ts';
import { makeHome } from '../user/earlier-home.ts';

/**
 * The directory in which a member's program has its home; it is created if it is missing.
 *
 * @param team the inode of the team's folder, and its ULID
 */
export function agentHome(
  disk: Disk,
  paths: TeamPaths,
  { team, ...housed }: Housed & { readonly team: Omit<HousedTeam, 'root'> },
): string {
  const home = placeOfHome(disk, { ...team, root: paths.root }, housed);
  if (home === undefined)
    throw new StoreError('CORRUPT', `The board of team ${paths.name} does not say which team it is.`, {
      path: paths.log,
    });
  makeHome(home, paths.home(housed.member));
  makeDirectory(disk, home);
  return home;
}

/** The last session of an agent of this kind; undefined if the record is missing, damaged or of another kind. */
export function keptSession(disk: Disk, paths: TeamPaths, member: Name, kind: AgentKind): string | undefined {
  const text = readText(disk, paths.agentSession(member), 64 * 1024);
  if (text === undefined) return undefined;
  const kept = keptSessionSchema.safeParse(jsonOf(text));
  return kept.success && kept.data.kind === kind ? kept.data.id : undefined;
}

export function keepSession(
  disk: Disk,
  paths: TeamPaths,
  member: Name,
  session: { kind: AgentKind; id: string },
): void {
  const text = `${JSON.stringify({ version: DOCUMENT_VERSION, ...session }, null, 2)}\n`;
  makeDirectory(disk, paths.homes);
  replaceFile(disk, paths.agentSession(member), text, randomBytes(6).toString('hex'), { durable: false });
}
