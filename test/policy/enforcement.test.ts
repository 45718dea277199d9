/** What of a sandbox is held, and by what (SPEC §8 "Permissions"). */
import { describe, expect, it } from 'vitest';
import { AGENT_KINDS, SANDBOXES, type AgentKind, type Sandbox } from '../../src/model/agent.ts';
import { defaultSandbox, unenforced } from '../../src/policy/enforcement.ts';
import { name } from '../support/team.ts';

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
    expect(unenforced(kind, sandbox, false) === undefined).toBe(isHeld);
  });

  it('is held behind a wall, and there is nothing to hold in a full one', () => {
    for (const kind of AGENT_KINDS) {
      expect(unenforced(kind, 'full', false)).toBeUndefined();
      for (const sandbox of SANDBOXES) expect(unenforced(kind, sandbox, true)).toBeUndefined();
    }
  });
});
