/** Which programs run in program isolation, and what the isolation leaves open. */
import { expect, it } from 'vitest';
import type { Sandbox } from '../../../src/model/agent/agent.ts';
import type { AgentKind } from '../../../src/model/agent/agent-kinds.ts';
import { isolatedProgramArgv, wantsIsolation } from '../../../src/policy/sandbox/program-isolation.ts';
import type { IsolationSetting } from '../../../src/policy/sandbox/shell-isolation.ts';

it.each<[string, boolean, AgentKind, Sandbox, boolean, IsolationSetting]>([
  ['a command whose sandbox was set explicitly', true, 'exec', 'workspace-write', true, 'auto'],
  ['a command of a read-only role', true, 'exec', 'read-only', true, 'auto'],
  ['a command of a relay, whose sandbox is a guess', false, 'exec', 'read-only', false, 'auto'],
  ['a command without a set sandbox', false, 'exec', 'workspace-write', false, 'auto'],
  ['a command without a set sandbox, where isolation is required', true, 'exec', 'workspace-write', false, 'required'],
  ['a program that runs a model', true, 'claude', 'workspace-write', false, 'auto'],
  ['another program that runs a model', true, 'gemini', 'read-only', false, 'auto'],
  ['a program whose state directories are unknown', false, 'acp', 'workspace-write', true, 'auto'],
  ['a program with a full sandbox', false, 'claude', 'full', true, 'required'],
  ['any program, where isolation is off', false, 'claude', 'read-only', true, 'off'],
  ['a program with its own sandbox', false, 'codex', 'workspace-write', true, 'required'],
  ['a model API, whose tools have shell isolation', false, 'anthropic', 'workspace-write', true, 'required'],
])('%s: %s', (_, isWanted, kind, sandbox, isAsked, setting) => {
  expect(wantsIsolation(kind, { sandbox, isAsked, setting })).toBe(isWanted);
});

it('program isolation opens the workspace as the sandbox says, and the shared paths around it and in it', () => {
  const shared = ['/tmp', '/tmp/work/.teams/login'];
  const argv = isolatedProgramArgv('bwrap', { root: '/tmp/work', isWritable: false, shared }, ['npm', 'test']).join(
    ' ',
  );
  expect(argv).toMatch(/^bwrap --ro-bind \/ \/ /);
  expect(argv).toContain(' --unshare-user --cap-drop ALL -- ');
  expect(argv).toMatch(
    /--bind \/tmp \/tmp --ro-bind \/tmp\/work \/tmp\/work --bind (\/tmp\/work\/\.teams\/login) \1 .*-- npm test$/,
  );
});
