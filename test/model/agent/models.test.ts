/** Which model an agent uses: the tiers in each vendor's model names, as configured (docs/specification.md R7.10). */
import { describe, expect, it } from 'vitest';
import type { AgentSpec } from '../../../src/model/agent/agent.ts';
import { factsOf, TIER_MODELS, withModel, type ModelRules } from '../../../src/model/agent/models.ts';

const rules: ModelRules = {
  models: { openai: { haiku: 'mini', sonnet: 'middle' }, codex: { sonnet: 'own' } },
  defaultModel: 'sonnet',
};

describe('the model of an agent', () => {
  it.each<[string, AgentSpec, string | undefined]>([
    ['the model that the spec names, whatever its tier', { kind: 'openai', model: 'this', tier: 'haiku' }, 'this'],
    ['the configured model of its tier', { kind: 'openai', tier: 'haiku' }, 'mini'],
    ['the configured model of the default tier', { kind: 'openai' }, 'middle'],
    ['unknown if no model is configured for the tier', { kind: 'openai', tier: 'opus' }, undefined],
    ['the built-in model of its tier', { kind: 'claude', tier: 'opus' }, 'opus'],
    ['the built-in model of the default tier of an API', { kind: 'anthropic' }, 'claude-sonnet-5-5'],
    ['left to a program that its user has configured', { kind: 'claude' }, undefined],
    ['the configured one, for a program that has a configured model', { kind: 'codex' }, 'own'],
    ['none for a command', { kind: 'exec', tier: 'opus' }, undefined],
  ])('the model of an agent is %s', (_, spec, model) => {
    expect(withModel(spec, rules).model).toBe(model);
  });

  it('a higher tier never names a cheaper model, where prices are known', () => {
    for (const { haiku, sonnet, opus } of Object.values(TIER_MODELS)) {
      const prices = [haiku, sonnet, opus].flatMap((name) => {
        const { price } = factsOf(name) ?? { price: 'unknown' as const };
        return price === 'unknown' ? [] : [price.output];
      });
      expect(prices).toEqual(prices.toSorted((a, b) => a - b));
    }
  });
});
