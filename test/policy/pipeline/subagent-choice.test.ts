/** S4 "Perspective Routing" and the retry of its error table: who is asked, who is asked next, and what is disclosed. */
import { describe, expect, it } from 'vitest';
import { execAgent } from '../../../src/model/agent/agent.ts';
import { AGENT_KINDS, type AgentKind } from '../../../src/model/agent/agent-kinds.ts';
import { chooseFrom, ROUTES, type Pool } from '../../../src/policy/pipeline/subagent-choice.ts';

const pool = (first: AgentKind, ...others: AgentKind[]): Pool => [{ kind: first }, ...others.map((kind) => ({ kind }))];
const ALL = pool('opencode', 'claude', 'codex', 'gemini');

describe('a perspective', () => {
  it.each([
    ['product', 'gemini'],
    ['risk', 'gemini'],
    ['coverage', 'gemini'],
    ['technical', 'codex'],
    ['quality', 'claude'],
  ] as const)('%s is for %s', (perspective, kind) => {
    expect(chooseFrom(ALL, ROUTES[perspective])).toEqual({ first: { kind }, second: { kind: 'opencode' } });
  });

  it.each([
    ['gemini', 'google'],
    ['codex', 'openai'],
    ['claude', 'anthropic'],
  ] as const)('of %s is for %s as well, which is the same vendor', (meant, kind) => {
    const route = Object.values(ROUTES).find((kinds) => kinds[0] === meant) ?? [];
    expect(chooseFrom(pool('ollama', kind), route)).toEqual({ first: { kind }, second: { kind: 'ollama' } });
  });

  it('is taken by what there is where its own agent is not, which is said', () => {
    expect(chooseFrom(pool('claude'), ROUTES.technical)).toEqual({
      first: { kind: 'claude' },
      second: { kind: 'claude' },
      note: 'codex is not available, claude takes its place',
    });
  });
});

describe('whoever fails', () => {
  it.each(AGENT_KINDS.map((kind) => [kind]))('%s is followed by another agent, where there is one', (kind) => {
    const other = kind === 'claude' ? 'codex' : 'claude';
    expect(chooseFrom(pool(kind, other))).toEqual({ first: { kind }, second: { kind: other } });
  });

  it('is asked afresh where there is none, but for a command, which would do the same', () => {
    expect(chooseFrom(pool('gemini')).second).toEqual({ kind: 'gemini' });
    expect(chooseFrom(pool('exec')).second).toBeUndefined();
  });

  it('is another command, where there are two', () => {
    const [one, two] = [execAgent('a'), execAgent('b')];
    expect(chooseFrom([one, two])).toEqual({ first: one, second: two });
  });
});
