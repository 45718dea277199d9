import { describe, expect, it } from 'vitest';
import {
  AGENT_KIND_RECORDS,
  AGENT_KINDS,
  hasToolLoop,
  isAgentKind,
  kindsOf,
  kindsWith,
  rankedBy,
  recordOf,
  routedTo,
  usesModel,
} from '../../../src/model/agent/agent-kinds.ts';

describe('the table of agent kinds', () => {
  it('the table gives the default fallback and the backends of refine in their documented order', () => {
    expect(rankedBy('fallbackRank').join()).toBe('claude,anthropic,codex,gemini,opencode,openai,google,ollama');
    expect(rankedBy('backendRank').join()).toBe('codex,gemini,ollama,claude,opencode');
  });

  it.each(['fallbackRank', 'backendRank'] as const)('the table gives each %s once, from 1 without a gap', (rank) => {
    const ranks = rankedBy(rank).map((kind) => recordOf(kind)[rank]);
    expect(ranks).toEqual(ranks.map((_, at) => at + 1));
  });

  it('the table routes a domain and a task type to one kind each', () => {
    expect(routedTo('backend')).toBe('codex');
    expect(routedTo('frontend')).toBe('gemini');
    expect([routedTo('review'), routedTo('explore'), routedTo('test')]).toEqual(['codex', 'codex', 'claude']);
  });

  it('the table names a vendor for each kind that calls one, its program before its API', () => {
    expect(kindsOf('google')).toEqual(['gemini', 'google']);
    expect(AGENT_KINDS.filter((kind) => usesModel(kind) && recordOf(kind).vendor === undefined)).toEqual(['acp']);
  });

  it('an agent kind without a model never replaces another kind', () => {
    expect(rankedBy('fallbackRank').filter((kind) => !usesModel(kind))).toEqual([]);
    expect(AGENT_KINDS.filter((kind) => hasToolLoop(kind)).join()).toBe('anthropic,openai,google,ollama');
  });

  it('every kind that names a program says how to install it and how to log in', () => {
    const programs = AGENT_KINDS.filter((kind) => recordOf(kind).drive === 'program' && kind !== 'acp');
    expect(programs).toEqual(kindsWith('login'));
    expect(programs.filter((kind) => recordOf(kind).install === undefined)).toEqual([]);
  });

  it('the table has only its own kinds, never a key of Object.prototype', () => {
    expect(isAgentKind('codex')).toBe(true);
    expect(isAgentKind('toString')).toBe(false);
    expect(Object.keys(AGENT_KIND_RECORDS)).toEqual(AGENT_KINDS);
  });
});
