import { describe, expect, test } from 'vitest';
import { TOOL_NAMES, type ToolName } from '../../../src/model/team/tool.ts';
import { maySpawn, mayCall, MOST_MEMBERS, MOST_SPAWNS } from '../../../src/policy/sandbox/tool-rules.ts';

/** The table of docs/specification.md R6.2. */
const TABLE: Readonly<Record<ToolName, { lead: boolean; teammate: boolean }>> = {
  bash: { lead: true, teammate: true },
  read_file: { lead: true, teammate: true },
  write_file: { lead: true, teammate: true },
  edit_file: { lead: true, teammate: true },
  TaskCreate: { lead: true, teammate: true },
  TaskGet: { lead: true, teammate: true },
  TaskUpdate: { lead: true, teammate: true },
  TaskList: { lead: true, teammate: true },
  SendMessage: { lead: true, teammate: true },
  CheckInbox: { lead: true, teammate: true },
  Task: { lead: true, teammate: false },
  TaskOutput: { lead: true, teammate: false },
  TaskStop: { lead: true, teammate: false },
  Skill: { lead: true, teammate: false },
  TeamCreate: { lead: true, teammate: false },
  TeamDelete: { lead: true, teammate: false },
  TeamDiff: { lead: true, teammate: false },
  TeamApply: { lead: true, teammate: false },
  TaskReview: { lead: true, teammate: false },
};

const product = TOOL_NAMES.flatMap((tool) => (['lead', 'teammate'] as const).map((side) => ({ tool, side })));

describe('every role and every tool', () => {
  test('the table of tool rules names all tools', () => {
    expect(Object.keys(TABLE).sort()).toEqual([...TOOL_NAMES].sort());
  });

  test.each(product)('$side × $tool', ({ tool, side }) => {
    const refusal = mayCall(side, tool);
    if (TABLE[tool][side]) expect(refusal).toBeUndefined();
    else expect(refusal?.why).toMatch(new RegExp(`^${tool} is for the lead only \\(rule: lead-only tool\\)`));
  });
});

describe('spawning by an agent', () => {
  test.each([
    [{ members: 0, spawns: 0 }, undefined],
    [{ members: MOST_MEMBERS - 1, spawns: MOST_SPAWNS - 1 }, undefined],
    [{ members: MOST_MEMBERS, spawns: 0 }, /at most 16 members/],
    [{ members: 1, spawns: MOST_SPAWNS }, /at most 64 teammates/],
  ])('%j', (now, why) => {
    const refusal = maySpawn(now);
    if (why === undefined) expect(refusal).toBeUndefined();
    else expect(refusal?.why).toMatch(why);
  });
});
