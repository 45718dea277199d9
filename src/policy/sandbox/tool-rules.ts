/**
 * Who may call which tool (docs/specification.md R6.2); every surface asks this before it carries out a call. A refusal
 * names the rule, so that a model does not try again.
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
  TeamDiff: LEAD_ONLY,
  TeamApply: LEAD_ONLY,
  TaskReview: LEAD_ONLY,
  Task: LEAD_ONLY,
  TaskOutput: LEAD_ONLY,
  TaskStop: LEAD_ONLY,
  Skill: LEAD_ONLY,
};

/** @returns undefined if allowed, else the rule that forbids it */
export const mayCall = (side: Side, tool: ToolName): { why: string } | undefined =>
  CALLERS[tool].includes(side)
    ? undefined
    : { why: `${tool} is for the lead only (rule: lead-only tool); ask the lead with SendMessage.` };

/** An agent may spawn members until the team has this many members, or this many starts. */
export const MOST_MEMBERS = 16;
export const MOST_SPAWNS = 64;

/** @returns undefined if allowed, else why no further teammate is started */
export function maySpawn({ members, spawns }: { members: number; spawns: number }): { why: string } | undefined {
  if (members >= MOST_MEMBERS) return { why: `An agent's team has at most ${MOST_MEMBERS} members.` };
  if (spawns >= MOST_SPAWNS) return { why: `An agent starts at most ${MOST_SPAWNS} teammates of a team.` };
  return undefined;
}
