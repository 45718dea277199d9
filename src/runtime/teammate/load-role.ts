/** Loads the role of a pipeline member: its file in the session folder, and the fields of its prompt. */
import { join } from 'node:path';
import type { AgentSpec } from '../../model/agent/agent.ts';
import { agentForm } from '../../model/agent/plain-agent.ts';
import { readBy } from '../../model/text/plain-fields.ts';
import { isTeamError } from '../../model/text/errors.ts';
import { parseRoleSpec, type RoleSpec } from '../../model/pipeline/role-spec.ts';
import type { MemberConfig, TeamConfig } from '../../model/team/team-config.ts';
import { readKept } from '../../store/session/session-folder.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import { defaultSandbox } from '../../policy/sandbox/sandbox-enforcement.ts';
import type { ShownTree } from '../../policy/sandbox/lent-path.ts';
import { noRoleSpec, type RoleFields } from '../../policy/pipeline/role-wording.ts';
import type { Pool } from '../../policy/pipeline/subagent-choice.ts';
import { FINAL_REPORT } from '../lead/role-reports.ts';
import type { MemberSession } from '../team/member-session.ts';
import { workPlaceOf } from '../../store/team/work-place.ts';

export interface Role {
  readonly fields: RoleFields;
  readonly spec: RoleSpec;
  readonly cwd: string;
  /** It is a tree that is shown elsewhere. */
  readonly shown?: ShownTree | undefined;
  readonly agent: AgentSpec;
  /** The agents that its subagents may use. */
  readonly pool: Pool;
  readonly envPass: readonly string[];
  /** Its sandbox is in its plan, or it only reads. */
  readonly isAsked: boolean;
}

/** A role, or the reason why it is unusable. A member with an unusable role tells the lead, and stops. */
export type RoleOf = Role | { readonly unusable: string; readonly role: string; readonly file: string };

/** @returns undefined for a member without a role file; the reason, if the role is unusable */
export function roleOf(
  { disk, paths }: Pick<TeamStore, 'disk' | 'paths'>,
  config: TeamConfig,
  { role, role_spec: file, sandbox }: MemberConfig,
  { agent, shown }: { readonly agent: AgentSpec; readonly shown?: ShownTree | undefined },
): RoleOf | undefined {
  if (file === undefined) return undefined;
  const path = join(paths.folder, file);
  const text = readKept(disk, paths.folder, file);
  if (text === undefined) return { role, file: path, unusable: 'the file does not exist' };
  try {
    const { role: spec } = parseRoleSpec(role, { text, file: path });
    const fields = {
      role,
      role_spec: path,
      session: paths.folder,
      session_id: config.session_id ?? paths.name,
      team_name: paths.name,
      requirement: config.requirement ?? '',
      inner_loop: spec.innerLoop,
    };
    const others = config.subagents?.flatMap((one) => readBy(agentForm, one) ?? []) ?? [];
    const pool: Pool = [agent, ...others];
    const isAsked = sandbox !== undefined || defaultSandbox(role) === 'read-only';
    const cwd = workPlaceOf(disk, paths, config);
    return { fields, spec, cwd, shown, agent, pool, isAsked, envPass: config.env_pass ?? [] };
  } catch (error) {
    if (!isTeamError(error)) throw error;
    return { role, file: path, unusable: error.message };
  }
}

/** Sends its final report: that its role is unusable. */
export async function reportUnusableRole(
  session: MemberSession,
  { role, file, unusable }: Exclude<RoleOf, Role>,
): Promise<void> {
  const data = { tasks: [], interrupted: true };
  await session.tellLead(noRoleSpec(role, file, unusable), { kind: FINAL_REPORT, data });
}
