/** Which tier of model works on a task. */
import { expect, it } from 'vitest';
import type { AgentSpec } from '../../../src/model/agent/agent.ts';
import type { ModelRules } from '../../../src/model/agent/models.ts';
import { suitedTo } from '../../../src/policy/divide/tiers.ts';

const rules: ModelRules = { models: { codex: { opus: 'big' } }, defaultModel: 'sonnet' };

it.each<[string, AgentSpec, unknown, AgentSpec | undefined]>([
  ["a task's tier replaces the default", { kind: 'claude' }, 'haiku', { kind: 'claude', tier: 'haiku' }],
  [
    "a task's tier comes before its member's",
    { kind: 'claude', tier: 'opus' },
    'haiku',
    { kind: 'claude', tier: 'haiku' },
  ],
  ['a task that asks for the present tier changes nothing', { kind: 'claude', tier: 'opus' }, 'opus', undefined],
  ['a task that asks for the default tier of an API changes nothing', { kind: 'anthropic' }, 'sonnet', undefined],
  ['a configured tier is used', { kind: 'codex' }, 'opus', { kind: 'codex', tier: 'opus' }],
  ['an unknown model for a tier changes nothing', { kind: 'codex' }, 'haiku', undefined],
  ['a named model stays', { kind: 'claude', model: 'mine' }, 'opus', undefined],
  ['a command has no tier', { kind: 'exec' }, 'opus', undefined],
  ['a task without a tier changes nothing', { kind: 'claude' }, undefined, undefined],
  ['an invalid tier changes nothing', { kind: 'claude' }, 'huge', undefined],
])('%s', (_, spec, wanted, suited) => {
  expect(suitedTo(spec, wanted, rules)).toEqual(suited);
});
