import { describe, expect, it } from 'vitest';
import { childEnvironment } from '../../src/agents/environment.ts';
import { AGENT_KINDS } from '../../src/model/agent/agent-kinds.ts';

const KEYS = ['ANTHROPIC_API_KEY', 'CLAUDE_CONFIG_DIR', 'OPENAI_API_KEY', 'CODEX_HOME', 'GEMINI_API_KEY'];
const KEYS_MORE = ['GOOGLE_API_KEY', 'OPENCODE_CONFIG', 'OLLAMA_HOST'];
const OTHERS = [
  'FAKE_API_KEY',
  'AWS_SECRET_ACCESS_KEY',
  'GITHUB_TOKEN',
  'TEAMS_TOKEN',
  'TEAMS_MEMBER',
  'NODE_OPTIONS',
  'LD_PRELOAD',
  'CLAUDECODE',
  'PATHS',
];
const COMMON = {
  PATH: '/bin',
  HOME: '/h',
  USER: 'u',
  SHELL: '/bin/sh',
  LANG: 'C',
  LC_ALL: 'C',
  LC_TIME: 'C',
  TERM: 'dumb',
  TMPDIR: '/t',
  TZ: 'UTC',
  CI: '1',
  NO_COLOR: '1',
};
const named = (names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, 'secret']));
const parent = { ...COMMON, ...named([...KEYS, ...KEYS_MORE, ...OTHERS]) };

describe('the environment of a child', () => {
  it.each([
    ['exec', []],
    ['scripted', []],
    ['acp', []],
    ['claude', ['ANTHROPIC_API_KEY', 'CLAUDE_CONFIG_DIR']],
    ['anthropic', ['ANTHROPIC_API_KEY', 'CLAUDE_CONFIG_DIR']],
    ['codex', ['OPENAI_API_KEY', 'CODEX_HOME']],
    ['openai', ['OPENAI_API_KEY', 'CODEX_HOME']],
    ['gemini', ['GEMINI_API_KEY', 'GOOGLE_API_KEY']],
    ['google', ['GEMINI_API_KEY', 'GOOGLE_API_KEY']],
    ['opencode', ['OPENCODE_CONFIG']],
    ['ollama', ['OLLAMA_HOST']],
  ] as const)('the environment of %s is what every program needs and %j', (kind, own) => {
    expect(childEnvironment(kind, { parent })).toEqual({ ...COMMON, ...named(own) });
  });

  it('the environment has the variables that the user named, if they exist', () => {
    expect(childEnvironment('exec', { parent, envPass: ['GITHUB_TOKEN', 'NOT_SET'] })).toEqual({
      ...COMMON,
      GITHUB_TOKEN: 'secret',
    });
  });

  it('the user’s values replace the parent’s, and the runtime’s replace both', () => {
    const env = childEnvironment('exec', {
      parent,
      envPass: ['GITHUB_TOKEN'],
      env: { LANG: 'de', GITHUB_TOKEN: 'mine', PATH: '/mine' },
      add: { PATH: '/ours:/mine' },
    });
    expect(env).toEqual({ ...COMMON, LANG: 'de', GITHUB_TOKEN: 'mine', PATH: '/ours:/mine' });
  });

  it('the environment is a new record, for any variable names', () => {
    for (const kind of AGENT_KINDS) {
      const env = childEnvironment(kind, { parent: {}, env: Object.fromEntries([['__proto__', 'x']]) });
      expect(Object.entries(env)).toEqual([['__proto__', 'x']]);
    }
    expect('x' in {}).toBe(false);
  });
});
