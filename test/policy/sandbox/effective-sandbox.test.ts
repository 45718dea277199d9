import { describe, expect, test } from 'vitest';
import { SANDBOXES } from '../../../src/model/agent/agent.ts';
import { WORKSPACE_TOOLS } from '../../../src/model/team/tool.ts';
import { isIsolated, mayUse, type ShellIsolation } from '../../../src/policy/sandbox/effective-sandbox.ts';

const WALLS: readonly ShellIsolation[] = ['up', 'missing', 'off'];

/** The refusals for every tool × sandbox × plan × shell isolation. All other combinations are allowed. */
const isRefused = (tool: string, sandbox: string, planPending: boolean, isolation: ShellIsolation): boolean =>
  (sandbox === 'read-only' || planPending) &&
  (tool === 'write_file' || tool === 'edit_file' || (tool === 'bash' && isolation !== 'up'));

const product = WORKSPACE_TOOLS.flatMap((tool) =>
  SANDBOXES.flatMap((sandbox) =>
    [false, true].flatMap((planPending) => WALLS.map((isolation) => ({ tool, sandbox, planPending, wall: isolation }))),
  ),
);

describe('every tool, sandbox, plan and shell isolation', () => {
  test.each(product)('$tool × $sandbox × plan pending $planPending × isolation $wall', (one) => {
    const { tool, sandbox, planPending, wall: isolation } = one;
    const refusal = mayUse(tool, { sandbox, planPending }, isolation);
    if (!isRefused(tool, sandbox, planPending, isolation)) expect(refusal).toBeUndefined();
    else expect(refusal?.why).toContain(planPending ? '(rule: plan approval)' : '(rule: read-only sandbox)');
  });
});

describe('a command', () => {
  test.each([
    ['read-only', false, 'up', true],
    ['workspace-write', false, 'up', true],
    ['full', false, 'up', false],
    ['full', true, 'up', true],
    ['workspace-write', false, 'missing', false],
    ['workspace-write', false, 'off', false],
  ] as const)('a command in %s, plan pending %s, isolation %s: runs in %s', (sandbox, planPending, wall, held) => {
    expect(isIsolated({ sandbox, planPending }, wall)).toBe(held);
  });
});
