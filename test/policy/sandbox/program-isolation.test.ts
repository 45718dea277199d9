/** Around whose program a fence is put, and what it leaves open. */
import { expect, it } from 'vitest';
import type { Sandbox } from '../../../src/model/agent/agent.ts';
import type { AgentKind } from '../../../src/model/agent/agent-kinds.ts';
import { isolatedProgramArgv, wantsIsolation } from '../../../src/policy/sandbox/program-isolation.ts';
import type { IsolationSetting } from '../../../src/policy/sandbox/shell-isolation.ts';

it.each<[string, boolean, AgentKind, Sandbox, boolean, IsolationSetting]>([
  ['a command whose sandbox somebody wrote', true, 'exec', 'workspace-write', true, 'auto'],
  ['a command of a role that only looks', true, 'exec', 'read-only', true, 'auto'],
  ['a command of a relay, which guesses', false, 'exec', 'read-only', false, 'auto'],
  ['a command that is just run', false, 'exec', 'workspace-write', false, 'auto'],
  ['a command that is just run, where nothing runs without', true, 'exec', 'workspace-write', false, 'required'],
  ['a program that a model leads', true, 'claude', 'workspace-write', false, 'auto'],
  ['another one', true, 'gemini', 'read-only', false, 'auto'],
  ['a program that keeps nobody knows what where', false, 'acp', 'workspace-write', true, 'auto'],
  ['a program that may do all', false, 'claude', 'full', true, 'required'],
  ['anything, where nobody wants one', false, 'claude', 'read-only', true, 'off'],
  ['a program that brings its own', false, 'codex', 'workspace-write', true, 'required'],
  ['a model whose tools have the wall', false, 'anthropic', 'workspace-write', true, 'required'],
])('%s: %s', (_, isWanted, kind, sandbox, isAsked, setting) => {
  expect(wantsIsolation(kind, { sandbox, isAsked, setting })).toBe(isWanted);
});

it('leaves open the workspace as the sandbox says, and what is shared around it and in it', () => {
  const shared = ['/tmp', '/tmp/work/.teams/login'];
  const argv = isolatedProgramArgv('bwrap', { root: '/tmp/work', isWritable: false, shared }, ['npm', 'test']).join(
    ' ',
  );
  expect(argv).toMatch(/^bwrap --ro-bind \/ \/ /);
  expect(argv).toMatch(
    /--bind \/tmp \/tmp --ro-bind \/tmp\/work \/tmp\/work --bind (\/tmp\/work\/\.teams\/login) \1 .*-- npm test$/,
  );
});
