/** What an agent is told about its member and its task: the identity from its role, and the brief of a divided task. */
import type { AgentKind } from '../../model/agent/agent-kinds.ts';
import type { Task } from '../../model/board/task.ts';
import type { MemberConfig, TeamConfig } from '../../model/team/team-config.ts';
import { doneBefore, oneShotPreamble, workerPreamble } from '../../policy/divide/preamble.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import { identity, taskPrompt } from '../team/prompts.ts';
import { workPlaceOf } from '../../store/team/work-place.ts';

type Kept = Pick<TeamStore, 'board' | 'disk' | 'paths'>;

const standing = ({ role, prompt = '', sandbox }: MemberConfig) => ({
  role,
  rolePrompt: prompt,
  readOnly: sandbox === 'read-only',
});

/** The identity of a member, for an agent with a conversation. */
export function identityOf({ board, paths }: Kept, { division }: TeamConfig, member: MemberConfig): string {
  const { name, role, prompt } = member;
  if (division === undefined) return identity({ team: paths.name, member: name, role, prompt });
  const tasks = [...board.fold().tasks.values()].filter(({ owner }) => owner === name);
  return workerPreamble({ ...standing(member), team: paths.name, member: name, tasks, division });
}

/**
 * Describes one task of a divided task, with the results of the tasks that it waited for. A command, which does not
 * know the team, also gets everything else that belongs to the task.
 *
 * @returns undefined if the task's own text is enough
 */
export function briefOf(
  { board, disk, paths }: Kept,
  config: TeamConfig,
  member: MemberConfig,
  kind: AgentKind,
): ((task: Task) => string) | undefined {
  const { division } = config;
  if (division === undefined) return undefined;
  const cwd = workPlaceOf(disk, paths, config);
  return (task) => {
    const { tasks } = board.fold();
    const before = task.blockedBy.flatMap((id) => tasks.get(id) ?? []);
    return kind === 'exec'
      ? oneShotPreamble({ ...standing(member), task, cwd, division, before })
      : [taskPrompt(task), ...before.flatMap(doneBefore)].join('\n\n');
  };
}
