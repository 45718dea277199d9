/** What a member's agent keeps from one life to the next: a directory of its own, and the session to go on with. */
import { randomBytes } from 'node:crypto';
import type { AgentKind } from '../../model/agent/agent-kinds.ts';
import type { Name } from '../../model/text/names.ts';
import { keptSessionSchema } from '../../model/team/team-config.ts';
import type { Disk } from '../files/disk.ts';
import { DOCUMENT_VERSION } from '../lock/document.ts';
import { makeDirectory, readText, replaceFile } from '../files/file.ts';
import type { TeamPaths } from '../files/paths.ts';

/** @returns the directory, made if it was not there */
export function agentHome(disk: Disk, paths: TeamPaths, member: Name): string {
  makeDirectory(disk, paths.homes);
  makeDirectory(disk, paths.home(member));
  return paths.home(member);
}

/** The session that an agent of this kind went on with last. */
export function keptSession(disk: Disk, paths: TeamPaths, member: Name, kind: AgentKind): string | undefined {
  const text = readText(disk, paths.agentSession(member), 64 * 1024);
  if (text === undefined) return undefined;
  try {
    const kept = keptSessionSchema.safeParse(JSON.parse(text));
    return kept.success && kept.data.kind === kind ? kept.data.id : undefined;
  } catch {
    // A damaged record names no session; a fresh one begins.
    return undefined;
  }
}

export function keepSession(
  disk: Disk,
  paths: TeamPaths,
  member: Name,
  session: { kind: AgentKind; id: string },
): void {
  const text = `${JSON.stringify({ version: DOCUMENT_VERSION, ...session }, null, 2)}\n`;
  replaceFile(disk, paths.agentSession(member), text, randomBytes(6).toString('hex'), { durable: false });
}
