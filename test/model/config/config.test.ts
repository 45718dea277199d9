import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { configFromEnv } from '../../../src/model/config/config-env.ts';
import { configSchema } from '../../../src/model/config/config.ts';
import { defaultConfig } from '../../../src/model/config/default-config.ts';
import { mergeConfig, parseConfigFile, type Layer } from '../../../src/model/config/config-layers.ts';
import { UsageError } from '../../../src/model/text/errors.ts';

const layer = (origin: string, values: unknown, trusted = true): Layer => ({ origin, values, trusted });
const project = (values: unknown): Layer => layer('.teams/config.yaml', values, false);

describe('defaults', () => {
  test('the configuration defaults are the documented ones', () => {
    const { config, origins, warnings } = mergeConfig([]);
    expect(config).toMatchObject({
      maxAgents: 5,
      hardCap: 5,
      maxMembers: 64,
      defaultAgent: 'auto',
      defaultAgentType: 'executor',
      defaultModel: 'sonnet',
      monitorIntervalMs: 30_000,
      watchdogWarningMs: 300_000,
      watchdogReassignMs: 600_000,
      maxConsecutiveErrors: 3,
      enableCascade: true,
      cascadeDepth: 3,
      enableCrossCliVerification: true,
      lockTimeoutMs: 15_000,
      inboxMaxMessages: 10_000,
      inboxMaxBytes: 64 * 1024 * 1024,
      agentSendRate: 50,
      relayTimeoutMs: 600_000,
      routing: { byType: false },
      sandbox: { bwrap: 'auto' },
      hooks: {},
      agents: {},
      envPass: [],
      fallback: ['claude', 'anthropic', 'codex', 'gemini', 'opencode', 'openai', 'google', 'ollama'],
    });
    expect(config.shutdownTimeoutMs).toBeUndefined();
    expect(new Set(origins.values())).toEqual(new Set(['default']));
    expect(warnings).toEqual([]);
  });

  test('are what the schema and a layer that sets nothing give, to the order of the keys', () => {
    const parsed = configSchema.parse({});
    expect(defaultConfig()).toStrictEqual(parsed);
    expect(JSON.stringify(defaultConfig())).toBe(JSON.stringify(parsed));
    const [none, empty] = [mergeConfig([]), mergeConfig([layer('.teams/config.yaml', {})])];
    expect(none).toStrictEqual(empty);
    expect([...none.origins]).toEqual([...empty.origins]);
  });
});

describe('layers', () => {
  test('the first layer that sets a key wins, and the origin is remembered', () => {
    const { config, origins } = mergeConfig([
      layer('--max-agents', { maxAgents: 2 }),
      layer('user', { maxAgents: 3, lockTimeoutMs: 7 }),
      layer('S2', { lockTimeoutMs: 8 }),
    ]);
    expect(config).toMatchObject({ maxAgents: 2, lockTimeoutMs: 7 });
    expect(origins.get('maxAgents')).toBe('--max-agents');
    expect(origins.get('lockTimeoutMs')).toBe('user');
    expect(origins.get('sandbox.bwrap')).toBe('default');
  });

  test('hooks and agents are merged entry by entry, never within an entry', () => {
    const { config, origins } = mergeConfig([
      layer('a', { hooks: { onFinished: 'say' }, agents: { fast: { kind: 'claude' } } }),
      layer('b', {
        hooks: { onFinished: 'x', onWaiting: ['y'] },
        agents: { fast: { kind: 'codex', model: 'm' }, slow: { kind: 'codex' } },
      }),
    ]);
    expect(config.hooks).toEqual({ onFinished: 'say', onWaiting: ['y'] });
    expect(config.agents).toEqual({ fast: { kind: 'claude' }, slow: { kind: 'codex' } });
    expect(origins.get('hooks.onWaiting')).toBe('b');
    expect(origins.get('agents.fast')).toBe('a');
  });

  test('unknown keys at every depth give a warning and are left out', () => {
    const values = {
      maxagents: 3,
      hooks: { onFinish: 'x' },
      agents: { a: { kind: 'claude', modle: 'x' } },
      models: { cluade: {} },
    };
    const { config, warnings } = mergeConfig([layer('f', values)]);
    expect(config).toMatchObject({ maxAgents: 5, hooks: {}, agents: { a: { kind: 'claude' } }, models: {} });
    expect(warnings.toSorted()).toEqual([
      'f: Unknown key "maxagents"; did you mean "maxAgents"?',
      'f: agents.a: Unknown key "modle"; did you mean "model"?',
      'f: hooks: Unknown key "onFinish"; did you mean "onFinished"?',
      'f: models: Unknown key "cluade".',
    ]);
  });
});

describe('an untrusted layer', () => {
  test.each<[string, unknown]>([
    ['agents', { evil: { kind: 'codex', model: 'm' } }],
    ['defaultAgent', 'exec'],
    ['enableCrossCliVerification', false],
    ['envPass', ['SECRET']],
    ['gates', { test: 'rm' }],
    ['hooks', { onFinished: 'rm' }],
    ['prices', { m: { input: 0, output: 0 } }],
    ['telemetry', 'otlp'],
    ['sandbox', { bwrap: 'off' }],
    ['sandbox', { bwrap: 'auto' }],
  ])('an untrusted layer may not set %s, and a warning says so', (key, value) => {
    const { config, warnings, origins } = mergeConfig([project({ maxAgents: 2, [key]: value })]);
    expect(config).toEqual({ ...mergeConfig([]).config, maxAgents: 2 });
    expect([...origins.values()].filter((origin) => origin !== 'default')).toEqual([expect.any(String)]);
    expect(warnings).toEqual([`.teams/config.yaml: ${key} is ignored: this file is not trusted to set it.`]);
  });

  test('an untrusted layer fills gaps only: a trusted layer below it is stronger', () => {
    const { config } = mergeConfig([
      project({ maxAgents: 2, lockTimeoutMs: 7, sandbox: { bwrap: 'required' } }),
      layer('user', { maxAgents: 3, sandbox: { bwrap: 'auto' } }),
    ]);
    expect(config).toMatchObject({ maxAgents: 3, lockTimeoutMs: 7, sandbox: { bwrap: 'auto' } });
  });

  test('an untrusted layer may make the sandbox required', () => {
    expect(mergeConfig([project({ sandbox: { bwrap: 'required' } })]).config.sandbox.bwrap).toBe('required');
  });

  test('an untrusted layer does not hide what a trusted layer below it sets', () => {
    const { config } = mergeConfig([
      project({ hooks: { onFinished: 'evil' } }),
      layer('user', { hooks: { onFinished: 'mine' } }),
    ]);
    expect(config.hooks.onFinished).toBe('mine');
  });
});

describe('refusals name the origin, the key and the cure', () => {
  test.each<[unknown, string]>([
    [
      { watchdogWarningMs: 600_000 },
      'f: "watchdogReassignMs" (600000) must be more than "watchdogWarningMs" (600000).',
    ],
    [{ maxAgents: 6 }, 'f: "maxAgents" (6) is more than "hardCap" (5).'],
    [{ maxAgents: 6, hardCap: 9, maxMembers: 4 }, 'f: "maxAgents" (6) is more than "maxMembers" (4).'],
    [{ hardCap: 513 }, 'f: Expected "hardCap" to be at most 512, got 513.'],
    [{ maxAgents: 0 }, 'f: Expected "maxAgents" to be at least 1, got 0.'],
    [{ maxAgents: '3' }, 'f: Expected "maxAgents" to be a number, got "3".'],
    [{ maxAgents: 1.5 }, 'f: Expected "maxAgents" to be a whole number, got 1.5.'],
    [
      { defaultModel: 'opsu' },
      'f: Expected "defaultModel" to be one of haiku, sonnet, opus, got "opsu"; did you mean "opus"?',
    ],
    [{ fallback: ['cladue'] }, 'f: Unknown agent "cladue"; did you mean "claude"?'],
    [{ defaultAgent: 'fast' }, 'f: Unknown agent "fast".'],
    [
      { agents: { auto: { kind: 'claude' } } },
      'f: No agent can have the name "auto", which means the first available agent.',
    ],
    [
      { agents: { a: { kind: 'claude', command: 'x' } } },
      'f: agents.a: Expected "command" to be a list, the argv that replaces the program; only exec takes a text.',
    ],
    [{ hooks: 3 }, 'f: Expected "hooks" to be a map, got 3.'],
    [{ sandbox: { bwrap: false } }, 'f: sandbox: Expected "bwrap" to be one of auto, required, off, got false.'],
    [[1], 'f: Expected this to be a map, got a list.'],
  ])('%j', (values, sentence) => {
    expect(refusalOf(() => mergeConfig([layer('f', values)]))).toBe(sentence);
  });

  test('a contradiction of two layers names both origins', () => {
    const refusal = refusalOf(() => mergeConfig([layer('a', { maxAgents: 4 }), layer('b', { maxMembers: 3 })]));
    expect(refusal).toBe('a and b: "maxAgents" (4) is more than "maxMembers" (3).');
  });

  test('a file that cannot be parsed names the position', () => {
    expect(refusalOf(() => parseConfigFile('maxAgents: 3\nhooks: [\n', 'c.yaml'))).toMatch(/^c\.yaml:3:1: /);
    expect(refusalOf(() => parseConfigFile('a: 1\na: 2\n', 'c.yaml'))).toBe('c.yaml:2:1: "a" is here twice.');
  });
});

test('an empty file sets nothing, and JSON is accepted', () => {
  expect(parseConfigFile('# nothing\n', 'c')).toEqual({});
  expect(parseConfigFile('{"maxAgents": 3}', 'c')).toEqual({ maxAgents: 3 });
});

describe('the environment', () => {
  test.each<[string, string, unknown]>([
    ['TEAMS_MAX_AGENTS', '3', { maxAgents: 3 }],
    ['TEAMS_DEFAULT_MODEL', 'opus', { defaultModel: 'opus' }],
    ['TEAMS_ENABLE_CASCADE', 'false', { enableCascade: false }],
    ['TEAMS_ENABLE_CASCADE', '0', { enableCascade: false }],
    ['TEAMS_ENABLE_CROSS_CLI_VERIFICATION', 'yes', { enableCrossCliVerification: true }],
    ['TEAMS_FALLBACK', 'codex, gemini', { fallback: ['codex', 'gemini'] }],
    ['TEAMS_FALLBACK', '["codex"]', { fallback: ['codex'] }],
    ['TEAMS_FALLBACK', 'codex', { fallback: ['codex'] }],
    ['TEAMS_SANDBOX_BWRAP', 'off', { sandbox: { bwrap: 'off' } }],
    ['TEAMS_ROUTING_BY_TYPE', 'on', { routing: { byType: true } }],
    ['TEAMS_HOOKS_ON_TASK_COMPLETED', 'true', { hooks: { onTaskCompleted: 'true' } }],
    ['TEAMS_GATES_TEST', 'make check', { gates: { test: 'make check' } }],
    ['TEAMS_GATES_LINT', 'false', { gates: { lint: false } }],
    ['TEAMS_AGENTS', '{"a":{"kind":"claude"}}', { agents: { a: { kind: 'claude' } } }],
    ['TEAMS_DEFAULT_AGENT_TYPE', '5', { defaultAgentType: '5' }],
  ])('%s=%s', (name, text, expected) => {
    const layers = configFromEnv({ [name]: text });
    expect(layers).toHaveLength(1);
    expect(layers[0]).toMatchObject({ origin: name, trusted: true, values: expected });
    expect(mergeConfig(layers).config).toMatchObject(expected ?? {});
  });

  test('empty variables, foreign ones and those of the runtime are ignored', () => {
    const env = {
      TEAMS_MAX_AGENTS: '',
      TEAMS_TEAM: 'x',
      TEAMS_ROLE: 'y',
      TEAMS_TASK_ID: '1',
      PATH: '/bin',
      MAX_AGENTS: '3',
      TEAMS_X: undefined,
    };
    expect(configFromEnv(env)).toEqual([]);
  });

  test('a bad value is refused with the name of its variable, and a mistyped name gives a warning', () => {
    expect(refusalOf(() => mergeConfig(configFromEnv({ TEAMS_MAX_AGENTS: 'many' })))).toBe(
      'TEAMS_MAX_AGENTS: Expected "maxAgents" to be a number, got "many".',
    );
    expect(mergeConfig(configFromEnv({ TEAMS_SUBSCRIBERS: '{"tsk.failed":"x"}' })).warnings).toEqual([
      expect.stringMatching(/^TEAMS_SUBSCRIBERS: subscribers: .*; did you mean task\.\*\?$/),
    ]);
    expect(mergeConfig(configFromEnv({ TEAMS_MAXAGENTS: '3' })).warnings).toEqual([
      'TEAMS_MAXAGENTS: Unknown key "maxagents"; did you mean "maxAgents"?',
    ]);
  });
});

test('any values are either merged or refused with a UsageError', () => {
  const keys = fc.constantFrom(
    'maxAgents',
    'agents',
    'hooks',
    'sandbox',
    'models',
    'fallback',
    'x',
    '__proto__',
    'constructor',
  );
  const values = fc.oneof(fc.anything(), fc.dictionary(keys, fc.anything()));
  fc.assert(
    fc.property(values, fc.boolean(), (some, trusted) => {
      try {
        mergeConfig([layer('f', some, trusted)]);
      } catch (error) {
        expect(error).toBeInstanceOf(UsageError);
      }
    }),
  );
});

function refusalOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof UsageError && error.code === 'CONFIG_INVALID') return error.message;
    throw error;
  }
  throw new Error('it was accepted');
}
