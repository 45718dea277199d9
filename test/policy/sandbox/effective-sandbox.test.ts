import { describe, expect, test } from 'vitest';
import { SANDBOXES } from '../../../src/model/agent/agent.ts';
import { WORKSPACE_TOOLS } from '../../../src/model/team/tool.ts';
import { isWalled, mayUse, type Wall } from '../../../src/policy/sandbox/effective-sandbox.ts';

const WALLS: readonly Wall[] = ['up', 'missing', 'off'];

/** What is refused, of every tool × sandbox × plan × wall; all else is allowed. */
const isRefused = (tool: string, sandbox: string, planPending: boolean, wall: Wall): boolean =>
  (sandbox === 'read-only' || planPending) &&
  (tool === 'write_file' || tool === 'edit_file' || (tool === 'bash' && wall !== 'up'));

const product = WORKSPACE_TOOLS.flatMap((tool) =>
  SANDBOXES.flatMap((sandbox) =>
    [false, true].flatMap((planPending) => WALLS.map((wall) => ({ tool, sandbox, planPending, wall }))),
  ),
);

describe('every tool, sandbox, plan and wall', () => {
  test.each(product)('$tool × $sandbox × plan pending $planPending × wall $wall', (one) => {
    const { tool, sandbox, planPending, wall } = one;
    const refusal = mayUse(tool, { sandbox, planPending }, wall);
    if (!isRefused(tool, sandbox, planPending, wall)) expect(refusal).toBeUndefined();
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
  ] as const)('in %s, plan pending %s, wall %s: held in %s', (sandbox, planPending, wall, held) => {
    expect(isWalled({ sandbox, planPending }, wall)).toBe(held);
  });
});
