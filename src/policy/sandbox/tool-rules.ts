/**
 * Who may call which tool (SPEC §7, S3's table), asked on every surface before a call is carried out. A refusal names
 * the rule, so that a model does not try again.
 */
import type { Side } from '../../model/team/message.ts';
import type { ToolName } from '../../model/team/tool.ts';

const BOTH: readonly Side[] = ['lead', 'teammate'];
const LEAD_ONLY: readonly Side[] = ['lead'];

const CALLERS: Readonly<Record<ToolName, readonly Side[]>> = {
  bash: BOTH,
  read_file: BOTH,
  write_file: BOTH,
  edit_file: BOTH,
  SendMessage: BOTH,
  CheckInbox: BOTH,
  TaskCreate: BOTH,
  TaskGet: BOTH,
  TaskUpdate: BOTH,
  TaskList: BOTH,
  TeamCreate: LEAD_ONLY,
  TeamDelete: LEAD_ONLY,
  Task: LEAD_ONLY,
  TaskOutput: LEAD_ONLY,
  TaskStop: LEAD_ONLY,
  Skill: LEAD_ONLY,
};

/** @returns undefined for yes, else the rule that says no */
export const mayCall = (side: Side, tool: ToolName): { why: string } | undefined =>
  CALLERS[tool].includes(side)
    ? undefined
    : { why: `${tool} is the lead's alone (rule: lead-only tool); ask the lead with SendMessage.` };

/** Agents may spawn until a team has so many members, and so many starts. */
export const MOST_MEMBERS = 16;
export const MOST_SPAWNS = 64;

/** @returns undefined for yes, else why no teammate more is started */
export function maySpawn({ members, spawns }: { members: number; spawns: number }): { why: string } | undefined {
  if (members >= MOST_MEMBERS) return { why: `An agent's team has at most ${MOST_MEMBERS} members.` };
  if (spawns >= MOST_SPAWNS) return { why: `An agent starts at most ${MOST_SPAWNS} teammates of a team.` };
  return undefined;
}
