/** Sets what a member needs before it starts: agent, sandbox, plan approval. A member that does not exist is added. */
import type { AgentSpec, Sandbox } from '../../model/agent/agent.ts';
import { defined } from '../../model/text/defined.ts';
import { UsageError } from '../../model/text/errors.ts';
import { parseName, type Name } from '../../model/text/names.ts';
import { withMembers } from '../../policy/sandbox/judged-work.ts';
import { memberConfig } from '../team/membership.ts';
import type { TeamHandle } from '../team/team-handle.ts';

interface MemberSettings {
  readonly role?: string | undefined;
  readonly agent?: AgentSpec | undefined;
  readonly sandbox?: Sandbox | undefined;
  readonly planApproval?: boolean;
  /** Labels of the hosts on which it may run. */
  readonly where?: readonly string[] | undefined;
}

/**
 * Changes a member's settings in `config.json`, or adds the member.
 *
 * @returns the member's name
 * @throws UsageError `BAD_NAME`; `POLICY_DENIED` if the member exists with another role
 */
export async function configureMember(
  handle: TeamHandle,
  member: string,
  { role, agent, sandbox, where, planApproval = false }: MemberSettings,
): Promise<Name> {
  const name = parseName('member', member);
  const known = handle.store.board.fold().members.get(name);
  const tools = defined({ agent, sandbox, where: where && [...where] });
  if (known?.state !== 'joined') return handle.join({ name, planApproval, ...tools, role });
  if (role !== undefined && role !== known.role)
    throw new UsageError(
      'POLICY_DENIED',
      `${name} is a member with the role ${known.role} already; the role of a member cannot change.`,
    );
  const changed = { ...tools, ...(planApproval ? { plan_approval: true } : {}) };
  handle.store.config.readOwn();
  await handle.store.config.update((current) => {
    if (current === undefined) return { result: undefined };
    const { members } = current;
    // It has joined on the board. The process that added it was killed before this, or is about to do it on another machine.
    if (!members.some((one) => one.name === name)) {
      const added = memberConfig(handle.name, { name, role: known.role, planApproval, ...tools }, members.length);
      return { next: withMembers(current, [...members, added]), result: undefined };
    }
    // Who changes nothing does not sign it either: others may not trust the key of this machine.
    if (Object.keys(changed).length === 0) return { result: undefined };
    const all = members.map((one) => (one.name === name ? { ...one, ...changed } : one));
    return { next: withMembers(current, all), result: undefined };
  });
  return name;
}
