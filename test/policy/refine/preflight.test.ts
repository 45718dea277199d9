/** The rules of preflight and degradation, row by row (docs/specification.md R9.3). */
import { describe, expect, it } from 'vitest';
import { parseBackends } from '../../../src/model/pipeline/backend.ts';
import { preflight } from '../../../src/policy/refine/preflight.ts';

const CODEX = 'codex CLI not found. Install: `npm install -g @openai/codex`.';
const GEMINI = 'gemini CLI not found. Install: `npm install -g @google/gemini-cli`.';
const NONE =
  'No backends available. Install at least one: `npm install -g @openai/codex` or `npm install -g @google/gemini-cli`.';

const looked = (asked: string[], there: string[]) => {
  const backends = parseBackends(asked);
  const probes = backends.backends.map(({ name, label }) => {
    const isThere = there.includes(label);
    return [name, { isThere, seen: `${label} in PATH: ${isThere ? 'found' : 'not found'}` }] as const;
  });
  return preflight(backends, new Map(probes));
};

describe('preflight', () => {
  it.each([
    ['codex', ['codex'], ['codex'], []],
    ['gemini', ['gemini'], ['gemini'], []],
    ['ollama', ['ollama'], ['ollama'], []],
    ['both', ['codex', 'gemini'], ['codex', 'gemini'], []],
    ['both', ['codex'], ['codex'], ['gemini not available, proceeding with codex only']],
    ['both', ['gemini'], ['gemini'], ['codex not available, proceeding with gemini only']],
    ['all', ['codex', 'claude'], ['codex', 'claude'], ['Used: codex, claude. Skipped: gemini, ollama, opencode.']],
    [
      'all',
      ['codex', 'gemini', 'ollama', 'claude', 'opencode'],
      ['codex', 'gemini', 'ollama', 'claude', 'opencode'],
      ['Used: codex, gemini, ollama, claude, opencode. Skipped: none.'],
    ],
    ['exec:./fix', ['exec:./fix'], ['exec:./fix'], []],
  ])('preflight of %s with %j available goes on with %j', (asked, there, used, warnings) => {
    const ready = looked([asked], [...there]);
    expect(ready).toMatchObject({ go: true, warnings });
    expect(ready.go ? ready.backends.map(({ label }) => label) : []).toEqual(used);
  });

  it.each([
    ['codex', [], CODEX],
    ['codex', ['gemini'], CODEX],
    ['gemini', [], GEMINI],
    ['gemini', ['codex'], GEMINI],
    ['both', [], NONE],
    ['claude', [], 'claude CLI not found. Install: `npm install -g @anthropic-ai/claude-code`.'],
    ['opencode', [], 'opencode CLI not found. Install: `npm install -g opencode-ai`.'],
    ['ollama', [], 'ollama does not answer. Install and start it: https://ollama.com/download, then `ollama serve`.'],
  ])('preflight of %s with %j available aborts with the install hint and the probes', (asked, there, why) => {
    const ready = looked([asked], there);
    expect(ready).toHaveProperty('why', expect.stringContaining(why));
    expect(ready).toHaveProperty('why', expect.stringContaining('Probed: '));
  });

  it('preflight reports for each missing backend what it saw', () => {
    const ready = looked(['both'], ['codex']);
    expect(ready.go && ready.skipped).toMatchObject([
      { backend: { label: 'gemini' }, why: 'gemini in PATH: not found' },
    ]);
  });
});
