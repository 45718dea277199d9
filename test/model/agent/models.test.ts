/** Which model an agent uses: SPEC §8's tiers in each vendor's words, as configured. */
import { describe, expect, it } from 'vitest';
import type { AgentSpec } from '../../../src/model/agent/agent.ts';
import { factsOf, TIER_MODELS, withModel, type ModelRules } from '../../../src/model/agent/models.ts';

const rules: ModelRules = {
  models: { openai: { haiku: 'mini', sonnet: 'middle' }, codex: { sonnet: 'own' } },
  defaultModel: 'sonnet',
};

describe('the model of an agent', () => {
  it.each<[string, AgentSpec, string | undefined]>([
    ['the one that is named, whatever its tier', { kind: 'openai', model: 'this', tier: 'haiku' }, 'this'],
    ["its tier's, as configured", { kind: 'openai', tier: 'haiku' }, 'mini'],
    ["the default tier's, as configured", { kind: 'openai' }, 'middle'],
    ['unknown where nobody configured one', { kind: 'openai', tier: 'opus' }, undefined],
    ["its tier's, as known", { kind: 'claude', tier: 'opus' }, 'opus'],
    ["an API's default tier's, as known", { kind: 'anthropic' }, 'claude-sonnet-5-5'],
    ['left to a program that its user has set up', { kind: 'claude' }, undefined],
    ['configured for a program, which then counts', { kind: 'codex' }, 'own'],
    ['none of a command', { kind: 'exec', tier: 'opus' }, undefined],
  ])('is %s', (_, spec, model) => {
    expect(withModel(spec, rules).model).toBe(model);
  });

  it('rises with the tier: what is dearer is no lower, where prices are known', () => {
    for (const { haiku, sonnet, opus } of Object.values(TIER_MODELS)) {
      const prices = [haiku, sonnet, opus].flatMap((name) => {
        const { price } = factsOf(name) ?? { price: 'unknown' as const };
        return price === 'unknown' ? [] : [price.output];
      });
      expect(prices).toEqual(prices.toSorted((a, b) => a - b));
    }
  });
});
