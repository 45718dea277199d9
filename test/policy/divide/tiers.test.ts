/** Which tier thinks about a task. */
import { expect, it } from 'vitest';
import type { AgentSpec } from '../../../src/model/agent/agent.ts';
import type { ModelRules } from '../../../src/model/agent/models.ts';
import { suitedTo } from '../../../src/policy/divide/tiers.ts';

const rules: ModelRules = { models: { codex: { opus: 'big' } }, defaultModel: 'sonnet' };

it.each<[string, AgentSpec, unknown, AgentSpec | undefined]>([
  ['another, where the task asks for one', { kind: 'claude' }, 'haiku', { kind: 'claude', tier: 'haiku' }],
  ["the task's before its member's", { kind: 'claude', tier: 'opus' }, 'haiku', { kind: 'claude', tier: 'haiku' }],
  ['the same, asked for', { kind: 'claude', tier: 'opus' }, 'opus', undefined],
  ['the usual one of an API, asked for', { kind: 'anthropic' }, 'sonnet', undefined],
  ['what is configured', { kind: 'codex' }, 'opus', { kind: 'codex', tier: 'opus' }],
  ['nobody knows another', { kind: 'codex' }, 'haiku', undefined],
  ['a model that was named is the one', { kind: 'claude', model: 'mine' }, 'opus', undefined],
  ['a command has none', { kind: 'exec' }, 'opus', undefined],
  ['nothing is asked for', { kind: 'claude' }, undefined, undefined],
  ['no tier', { kind: 'claude' }, 'huge', undefined],
])('%s', (_, spec, wanted, suited) => {
  expect(suitedTo(spec, wanted, rules)).toEqual(suited);
});
