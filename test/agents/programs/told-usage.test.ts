/** Usage that a program tells and that cannot be true is unknown, for every kind of agent; it never counts as nothing. */
import { describe, expect, it } from 'vitest';
import { promptSteps } from '../../../src/agents/programs/acp-updates.ts';
import type { AgentStep } from '../../../src/agents/programs/agent-step.ts';
import { endOf, readClaude } from '../../../src/agents/programs/claude-protocol.ts';
import { ClaudeUsage } from '../../../src/agents/programs/claude-usage.ts';
import { stepsOf } from '../../../src/agents/programs/codex-protocol.ts';
import { AGENT_KINDS } from '../../../src/model/agent/agent-kinds.ts';
import { NOTHING_SPENT, spendingEvent, spentAfter } from '../../../src/model/team/spending-sum.ts';

const ABSURD = [-5, 1e308, 0.5, 1e11, '7', null];

function claude(input: unknown, cost?: unknown): AgentStep[] {
  const usage = { input_tokens: input, output_tokens: 5 };
  const line = { type: 'result', subtype: 'success', is_error: false, usage, total_cost_usd: cost };
  const read = readClaude(line);
  return read?.type === 'result' ? new ClaudeUsage().ended(read.usage, read.total_cost_usd) : [];
}
const codex = (inputTokens: unknown): AgentStep[] => {
  const last = { inputTokens, cachedInputTokens: 0, outputTokens: 5 };
  return stepsOf({ id: undefined, method: 'thread/tokenUsage/updated', params: { tokenUsage: { last } } });
};
const acp = (inputTokens: unknown): AgentStep[] =>
  promptSteps({ stopReason: 'end_turn', usage: { inputTokens, outputTokens: 5 } }, '').steps;

const sumOf = (steps: readonly AgentStep[]) =>
  steps.flatMap((step) =>
    step.do === 'tell' && step.event.type === 'usage'
      ? [spentAfter(NOTHING_SPENT, { at: '', ...spendingEvent('claude', step.event.usage) })]
      : [],
  );

describe('usage that cannot be true', () => {
  it.each(ABSURD)('is unknown if %j tokens are told by a program of any protocol', (tokens) => {
    for (const told of [claude, codex, acp])
      expect(sumOf(told(tokens)), told.name).toMatchObject([{ tokens: 0, unknown: ['claude'] }]);
  });

  it.each([-1, 1e308, 'x'])('is unknown if a cost of %j is told', (cost) => {
    expect(sumOf(claude(1, cost))).toMatchObject([{ usd: 0, unknown: ['claude'] }]);
  });

  it.each(AGENT_KINDS)('is unknown for the kind %s', (kind) => {
    const event = spendingEvent(kind, { inputTokens: -1_000_000, outputTokens: 5 });
    const sum = spentAfter(NOTHING_SPENT, { at: '', ...event });
    expect(sum).toMatchObject({ tokens: 0, usd: 0, unknown: [kind] });
  });

  it.each([
    ['cached and thought tokens beside the others', {}, 113_320, 105],
    ['a total that has them, too', { totalTokens: 113_425 }, 113_320, 105],
    ['cached tokens among the input', { inputTokens: 113_320, outputTokens: 105, totalTokens: 113_425 }, 113_320, 105],
  ])('an ACP program is billed for all tokens: %s', (_, more, input, output) => {
    const told = { inputTokens: 3_300, cachedReadTokens: 110_000, cachedWriteTokens: 20 };
    const usage = { ...told, outputTokens: 100, thoughtTokens: 5, ...more };
    const [step] = promptSteps({ stopReason: 'end_turn', usage }, '').steps;
    expect(step).toMatchObject({
      event: {
        usage: { inputTokens: input, outputTokens: output, cacheReadTokens: 110_000, cacheWriteTokens: 20 },
      },
    });
  });

  it('a refusal of the model is one, whoever tells it', () => {
    const line = { type: 'result', subtype: 'success', is_error: false, result: 'No.', stop_reason: 'refusal' };
    const read = readClaude(line);
    const refused = { kind: 'failed', why: 'refused' };
    expect(read?.type === 'result' && endOf(read)).toMatchObject({ end: refused });
    expect(promptSteps({ stopReason: 'refusal' }, '').end).toMatchObject(refused);
  });

  it('a usage that can be true is known', () => {
    for (const told of [claude, codex, acp]) expect(sumOf(told(7))).toMatchObject([{ tokens: 12, unknown: [] }]);
  });
});
