/** Which values `--backend` takes (docs/specification.md R9.1). */
import { describe, expect, it } from 'vitest';
import type { AgentSpec } from '../../../src/model/agent/agent.ts';
import { parseBackend, parseBackends } from '../../../src/model/pipeline/backend.ts';

const labels = (...given: string[]) => parseBackends(given).backends.map(({ label }) => label);

describe('--backend', () => {
  it.each(['codex', 'gemini', 'ollama', 'claude', 'opencode'])('--backend %s is that backend', (word) => {
    expect(parseBackends([word])).toEqual({
      mode: 'one',
      backends: [{ name: word, label: word, agent: { kind: word } }],
    });
  });

  it('--backend defaults to codex', () => {
    expect(labels()).toEqual(['codex']);
  });

  it('--backend both is codex and gemini; all is every backend', () => {
    expect(parseBackends(['both'])).toMatchObject({ mode: 'both' });
    expect(labels('both')).toEqual(['codex', 'gemini']);
    expect(parseBackends(['all']).mode).toBe('all');
    expect(labels('all')).toEqual(['codex', 'gemini', 'ollama', 'claude', 'opencode']);
  });

  it('--backend exec:CMD is that command, with the prompt on its stdin', () => {
    expect(parseBackends(['exec:./fix.sh --all'])).toEqual({
      mode: 'one',
      backends: [
        {
          name: 'exec',
          label: 'exec:./fix.sh --all',
          agent: { kind: 'exec', command: ['/bin/sh', '-c', './fix.sh --all'] },
        },
      ],
    });
  });

  it('--backend may be repeated, and each backend gets its own name', () => {
    expect(parseBackends(['exec:a', 'exec:b', 'codex']).backends.map(({ name }) => name)).toEqual([
      'exec',
      'exec-2',
      'codex',
    ]);
  });

  it('--backend prefers a configured agent to the kind of the same name', () => {
    const mine: AgentSpec = { kind: 'claude', model: 'small' };
    const gateway: AgentSpec = { kind: 'codex', baseUrl: 'http://localhost:1' };
    const agents = new Map([
      ['mine', mine],
      ['codex', gateway],
    ]);
    expect(parseBackends(['mine'], agents).backends[0]?.agent).toBe(mine);
    expect(parseBackends([], agents).backends[0]?.agent).toBe(gateway);
  });

  it.each([
    ['invalid', 'Unknown backend "invalid".'],
    ['codx', 'did you mean "codex"?'],
    ['Codex', 'did you mean "codex"?'],
    ['', 'got nothing'],
    ['exec:', 'Unknown backend "exec:"'],
    ['scripted', 'Unknown backend "scripted"'],
    ['codex,gemini', 'Unknown backend'],
  ])('--backend %j is an error that lists the valid values', (word, why) => {
    expect(() => parseBackends([word])).toThrow(why);
    expect(() => parseBackends([word])).toThrow(
      'Valid are codex, gemini, ollama, claude, opencode, both, all, exec:CMD.',
    );
  });

  it('--backend refuses a duplicate, and both together with another one', () => {
    expect(() => parseBackends(['codex', 'codex'])).toThrow('given twice');
    expect(() => parseBackends(['both', 'claude'])).toThrow('give it alone');
  });
});

describe('--to', () => {
  it('is one backend', () => {
    expect(parseBackend('gemini')).toEqual(parseBackends(['gemini']));
  });

  it.each([
    ['WRONG', 'Unknown backend "WRONG".'],
    ['codx', 'Unknown backend "codx"; did you mean "codex"?'],
    ['', 'Expected a backend, got nothing.'],
    ['both', 'Expected one backend, and both names several.'],
  ])('%j is an error of --to that lists its values', (word, why) => {
    const agents = new Map<string, AgentSpec>([['mine', { kind: 'claude' }]]);
    expect(() => parseBackend(word, agents)).toThrow(
      `--to: ${why} Valid are codex, gemini, ollama, claude, opencode, exec:CMD, mine.`,
    );
  });
});
