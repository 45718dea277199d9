/** Adds members to a team: a bell, the board's event, and an entry in `config.json`. */
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { AgentSpec, Sandbox } from '../../model/agent/agent.ts';
import { agentId, parseName, type Name } from '../../model/text/names.ts';
import { DEFAULT_ROLE } from '../../model/plan/plan-limits.ts';
import { COLORS, type MemberConfig } from '../../model/team/team-config.ts';
import { withMembers, withWriter, type Writer } from '../../policy/sandbox/judged-work.ts';
import { parseRoleSpec } from '../../model/pipeline/role-spec.ts';
import type { Disk } from '../../store/files/disk.ts';
import type { TeamPaths } from '../../store/files/paths.ts';
import { keepFile } from '../../store/session/session-folder.ts';
import { takeFrom } from './named-files.ts';
import { createBell, removeBell } from '../../store/mail/bell.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import { defined } from '../../model/text/defined.ts';
import { authorOf, type Speaker } from './authentication.ts';
import { refusalError } from './task-service.ts';

export interface MemberInput {
  readonly name: string;
  readonly role?: string | undefined;
  readonly agent?: AgentSpec | undefined;
  readonly sandbox?: Sandbox | undefined;
  readonly env?: Readonly<Record<string, string>>;
  readonly planApproval?: boolean;
  readonly approvals?: 'ask' | 'sandbox' | undefined;
  /** Milliseconds until a permission that nobody answers is refused. */
  readonly approvalMs?: number | undefined;
  /** Labels that the host must have on which it runs. */
  readonly where?: readonly string[] | undefined;
  /** The prompt of its role for its agent. */
  readonly prompt?: string | undefined;
  /** In a pipeline: the prefixes of its tasks, and the file of its role, relative to the team's folder. */
  readonly prefixes?: readonly string[];
  readonly roleSpec?: string | undefined;
}

interface PipelineMember {
  readonly input: MemberInput;
  /** Writes the role's file, after the team's folder was made. */
  readonly keepRole: (disk: Disk, paths: TeamPaths) => void;
}

/**
 * A member that names a role and no prefixes gets those of the role; any other stays as it is.
 *
 * @throws UsageError `USAGE` for an unknown role, `ROLE_INVALID`; StoreError `UNTRUSTED`
 */
export function pipelineMember(root: string, input: MemberInput): PipelineMember {
  if (input.role === undefined || input.prefixes !== undefined) return { input, keepRole: () => {} };
  const found = takeFrom(root, 'roles', input.role);
  const { role } = parseRoleSpec(found.name, found);
  const isWorking = role.prefixes.length > 0 && role.phases.length > 0;
  const file = roleFile(role.name);
  return {
    input: {
      ...input,
      prefixes: role.prefixes,
      roleSpec: isWorking ? file : undefined,
      sandbox: input.sandbox ?? (role.readOnly ? 'read-only' : undefined),
    },
    keepRole: (disk, { folder }) => {
      if (isWorking) keepFile(disk, join(folder, file), found.text);
    },
  };
}

/** The path of a role's file, relative to the team's folder. */
export const roleFile = (role: string): string => join('roles', `${role}.md`);

/**
 * @param index number of members before it; it selects the colour
 * @throws UsageError `BAD_NAME`
 */
export const memberConfig = (team: Name, input: MemberInput, index: number): MemberConfig => {
  const name = parseName('member', input.name);
  const { agent, sandbox, env, planApproval, approvals, approvalMs, where, prompt, roleSpec } = input;
  return {
    name,
    agent_id: agentId(name, team),
    status: 'active',
    role: parseName('role', input.role ?? DEFAULT_ROLE),
    color: COLORS[index % COLORS.length] ?? COLORS[0],
    agent: agent && { ...agent },
    sandbox,
    env: env && { ...env },
    ...(planApproval === true ? { plan_approval: true } : {}),
    ...defined({ approvals, approval_ms: approvalMs }),
    where: where && [...where],
    prompt,
    role_spec: roleSpec,
  };
};

/**
 * Adds a member, without starting it.
 *
 * @throws ConflictError if a member has this name; StoreError `UNTRUSTED`, before anything is changed
 */
export async function joinTeam(store: TeamStore, speaker: Speaker, given: MemberInput): Promise<Name> {
  store.config.readOwn();
  const isPipeline = store.board.fold().profile === 'pipeline';
  const { input, keepRole } = isPipeline
    ? pipelineMember(store.paths.root, given)
    : { input: given, keepRole: () => {} };
  const member = memberConfig(store.paths.name, input, store.board.fold().members.size);
  const { bell } = store.paths.inbox(member.name);
  createBell(store.disk, bell);
  const { outcome } = await store.board.append(authorOf(speaker), () => ({
    type: 'member.joined',
    name: member.name,
    role: member.role,
    prefixes: [...(input.prefixes ?? [])],
  }));
  if (!outcome.ok) {
    // No member of this name joined, so there must be no bell.
    if (store.board.board.members.get(member.name)?.state !== 'joined') removeBell(store.disk, bell);
    throw refusalError(outcome);
  }
  keepRole(store.disk, store.paths);
  await store.config.update((current) => {
    const known = current?.members.find(({ name }) => name === member.name);
    // One that comes back as it was changes nothing, and so signs nothing: others may not trust the key of this machine.
    if (current === undefined || (known && isSameMember(known, member))) return { result: undefined };
    const others = current.members.filter(({ name }) => name !== member.name);
    return { next: withMembers(current, [...others, member]), result: undefined };
  });
  return member.name;
}

/** Whether they differ by their colours at most. */
const isSameMember = (one: MemberConfig, { color: _, ...other }: MemberConfig): boolean =>
  isDeepStrictEqual({ ...defined(one), color: undefined }, { ...defined(other), color: undefined });

/**
 * Notes agents that change the workspace and are no members, before they do: commands that judge run no freer than they.
 *
 * @throws StoreError `UNTRUSTED`
 */
export async function addWriters(store: Pick<TeamStore, 'config'>, agents: readonly AgentSpec[]): Promise<void> {
  const role = parseName('role', DEFAULT_ROLE);
  await store.config.update((current) => {
    const known = current?.writers ?? [];
    const all = agents.reduce<readonly Writer[]>((noted, agent) => withWriter(noted, { role, agent }), known);
    return {
      next: current && all !== known ? { ...current, writers: all.map((one) => ({ ...one })) } : undefined,
      result: undefined,
    };
  });
}
