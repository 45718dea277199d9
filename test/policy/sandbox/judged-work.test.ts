import { describe, expect, it } from 'vitest';
import type { AgentKind } from '../../../src/model/agent/agent-kinds.ts';
import type { Sandbox } from '../../../src/model/agent/agent.ts';
import { judgedAs } from '../../../src/policy/sandbox/judged-work.ts';
import { name } from '../../support/team.ts';

const writer = (kind: AgentKind | undefined, sandbox?: Sandbox, role = 'executor') => ({
  role: name(role),
  sandbox,
  agent: kind === undefined ? undefined : { kind },
});

describe('commands that judge work', () => {
  it.each([
    ['nobody', [], { kind: 'free' }],
    ['a command without a named sandbox', [writer('exec')], { kind: 'free' }],
    ['a command with one', [writer('exec', 'workspace-write')], { kind: 'bound', hidesKeys: false }],
    ['a program of a model', [writer('claude')], { kind: 'bound', hidesKeys: false }],
    ['Codex, which holds itself', [writer('codex')], { kind: 'bound', hidesKeys: false }],
    ['a model API', [writer('anthropic')], { kind: 'bound', hidesKeys: true }],
    ['full', [writer('claude', 'full')], { kind: 'free' }],
    ['a reader, who wrote nothing', [writer('claude', 'read-only')], { kind: 'free' }],
    ['a role that only reads', [writer('claude', undefined, 'explorer')], { kind: 'free' }],
    ['a member without an agent', [writer(undefined)], { kind: 'free' }],
    [
      'the strictest of many',
      [writer('exec'), writer('claude', 'full'), writer('gemini')],
      { kind: 'bound', hidesKeys: false },
    ],
  ])('are isolated by the strictest who wrote: %s', (_, writers, expected) => {
    expect(judgedAs(writers)).toEqual(expected);
  });
});
