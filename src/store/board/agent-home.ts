/**
 * What a member's agent keeps from one process of the member to the next: its own directory, and the session to
 * continue.
 */
import { randomBytes } from 'node:crypto';
import type { AgentKind } from '../../model/agent/agent-kinds.ts';
import type { Name } from '../../model/text/names.ts';
import { keptSessionSchema } from '../../model/team/team-config.ts';
import type { Disk } from '../files/disk.ts';
import { DOCUMENT_VERSION } from '../lock/document.ts';
import { makeDirectory, readText, replaceFile } from '../files/file.ts';
import type { TeamPaths } from '../files/paths.ts';

/** @returns the directory; it is created if it is missing */
export function agentHome(disk: Disk, paths: TeamPaths, member: Name): string {
  makeDirectory(disk, paths.homes);
  makeDirectory(disk, paths.home(member));
  return paths.home(member);
}

/** The last session of an agent of this kind; undefined if the record is missing, damaged or of another kind. */
export function keptSession(disk: Disk, paths: TeamPaths, member: Name, kind: AgentKind): string | undefined {
  const text = readText(disk, paths.agentSession(member), 64 * 1024);
  if (text === undefined) return undefined;
  try {
    const kept = keptSessionSchema.safeParse(JSON.parse(text));
    return kept.success && kept.data.kind === kind ? kept.data.id : undefined;
  } catch {
    // A damaged record names no session; the agent begins a new one.
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
