/** Which parts of a sandbox are enforced, and by what (docs/specification.md R7.7). */
import { describe, expect, it } from 'vitest';
import { SANDBOXES, type Sandbox } from '../../../src/model/agent/agent.ts';
import { AGENT_KINDS, type AgentKind } from '../../../src/model/agent/agent-kinds.ts';
import { defaultSandbox, NOT_ASKED_FOR, unenforced } from '../../../src/policy/sandbox/sandbox-enforcement.ts';
import { name } from '../../support/team.ts';

describe('a sandbox', () => {
  it('the sandbox of a read-only role is read-only, unless it is set otherwise', () => {
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
  ])('a sandbox of %s, %s, is enforced without shell isolation: %s', (kind, sandbox, isHeld) => {
    expect(unenforced(kind, sandbox, { isIsolated: false, isAsked: true }) === undefined).toBe(isHeld);
  });

  it('shell isolation enforces a sandbox; a full sandbox needs no enforcement', () => {
    for (const kind of AGENT_KINDS) {
      expect(unenforced(kind, 'full', { isIsolated: false, isAsked: true })).toBeUndefined();
      for (const sandbox of SANDBOXES)
        expect(unenforced(kind, sandbox, { isIsolated: true, isAsked: true })).toBeUndefined();
    }
  });

  it('of Codex is not enforced without isolation where a person is asked', () => {
    const loose = (sandbox: Sandbox, isIsolated: boolean) =>
      unenforced('codex', sandbox, { isIsolated, isAsked: true, asksPerson: true });
    expect(loose('workspace-write', false)).toContain('if a person allows');
    expect([loose('workspace-write', true), loose('read-only', false), loose('full', false)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('a sandbox that was not set gives no warning, except for a read-only role', () => {
    const loose = (sandbox: Sandbox) => unenforced('exec', sandbox, { isIsolated: false, isAsked: false });
    expect(loose('workspace-write')).toBe(NOT_ASKED_FOR);
    expect(loose('read-only')).not.toBe(NOT_ASKED_FOR);
  });
});
