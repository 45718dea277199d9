/** What of a sandbox is held, and by what (SPEC §8 "Permissions"). */
import { describe, expect, it } from 'vitest';
import { SANDBOXES, type Sandbox } from '../../../src/model/agent/agent.ts';
import { AGENT_KINDS, type AgentKind } from '../../../src/model/agent/agent-kinds.ts';
import { defaultSandbox, NOT_ASKED_FOR, unenforced } from '../../../src/policy/sandbox/sandbox-enforcement.ts';
import { name } from '../../support/team.ts';

describe('a sandbox', () => {
  it('of a role that only looks is read-only, unless somebody says otherwise', () => {
    expect(defaultSandbox(name('explorer'))).toBe('read-only');
    expect(defaultSandbox(name('security-reviewer'))).toBe('read-only');
    expect(defaultSandbox(name('executor'))).toBe('workspace-write');
  });

  it.each<[AgentKind, Sandbox, boolean]>([
    ['exec', 'read-only', false],
    ['exec', 'workspace-write', false],
    ['claude', 'workspace-write', false],
    ['claude', 'read-only', true],
    ['gemini', 'workspace-write', false],
    ['codex', 'workspace-write', true],
    ['anthropic', 'workspace-write', false],
    ['anthropic', 'read-only', true],
  ])('of %s, %s, is held without a wall: %s', (kind, sandbox, isHeld) => {
    expect(unenforced(kind, sandbox, { isWalled: false, isAsked: true }) === undefined).toBe(isHeld);
  });

  it('is held behind a wall, and there is nothing to hold in a full one', () => {
    for (const kind of AGENT_KINDS) {
      expect(unenforced(kind, 'full', { isWalled: false, isAsked: true })).toBeUndefined();
      for (const sandbox of SANDBOXES)
        expect(unenforced(kind, sandbox, { isWalled: true, isAsked: true })).toBeUndefined();
    }
  });

  it('that nobody asked for is missed by nobody, but where the role only looks', () => {
    const loose = (sandbox: Sandbox) => unenforced('exec', sandbox, { isWalled: false, isAsked: false });
    expect(loose('workspace-write')).toBe(NOT_ASKED_FOR);
    expect(loose('read-only')).not.toBe(NOT_ASKED_FOR);
  });
});
