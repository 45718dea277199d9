/**
 * Which agent takes a perspective, which one replaces it after a failure, and what is disclosed (docs/specification.md
 * R10.10).
 */
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
  ] as const)('the perspective %s is for %s', (perspective, kind) => {
    expect(chooseFrom(ALL, ROUTES[perspective])).toEqual({ first: { kind }, second: { kind: 'opencode' } });
  });

  it.each([
    ['gemini', 'google'],
    ['codex', 'openai'],
    ['claude', 'anthropic'],
  ] as const)('the perspective %s also takes %s, which is the same vendor', (meant, kind) => {
    const route = Object.values(ROUTES).find((kinds) => kinds[0] === meant) ?? [];
    expect(chooseFrom(pool('ollama', kind), route)).toEqual({ first: { kind }, second: { kind: 'ollama' } });
  });

  it('an available agent takes a perspective whose own agent is missing, and that is disclosed', () => {
    expect(chooseFrom(pool('claude'), ROUTES.technical)).toEqual({
      first: { kind: 'claude' },
      second: { kind: 'claude' },
      note: 'codex is not available, claude takes its place',
    });
  });
});

describe('a subagent that fails', () => {
  it.each(AGENT_KINDS.map((kind) => [kind]))('a failed %s is replaced by another agent, if there is one', (kind) => {
    const other = kind === 'claude' ? 'codex' : 'claude';
    expect(chooseFrom(pool(kind, other))).toEqual({ first: { kind }, second: { kind: other } });
  });

  it('a failed subagent is asked again if there is no other, except a command, which would do the same', () => {
    expect(chooseFrom(pool('gemini')).second).toEqual({ kind: 'gemini' });
    expect(chooseFrom(pool('exec')).second).toBeUndefined();
  });

  it('a failed command is replaced by another command, if there are two', () => {
    const [one, two] = [execAgent('a'), execAgent('b')];
    expect(chooseFrom([one, two])).toEqual({ first: one, second: two });
  });
});
