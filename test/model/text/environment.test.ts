import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { configFromEnv } from '../../../src/model/config/config-env.ts';
import { ENV, isRuntimeVariable } from '../../../src/model/text/environment.ts';

const SRC = join(import.meta.dirname, '..', '..', '..', 'src');
const TABLES = ['model/text/environment.ts', 'model/config/config-env.ts'];

describe('the table of TEAMS_* variables', () => {
  it('is the only place of the source that spells one in code', () => {
    const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((path) => /\.tsx?$/.test(path));
    const spelt = files
      .filter((path) => !TABLES.includes(path) && !path.endsWith('-help.ts'))
      .flatMap((path) => {
        const text = readFileSync(join(SRC, path), 'utf8');
        return [...text.matchAll(/'TEAMS_[A-Z_]+'|\bTEAMS_[A-Z_]+:/g)].map(([name]) => `${path}: ${name}`);
      });
    expect(spelt).toEqual([]);
  });

  it('names each variable once', () => {
    const names = Object.values(ENV);
    expect(new Set(names).size).toBe(names.length);
  });

  it.each([
    ['agentSendRate', ENV.agentSendRate, '5', { agentSendRate: 5 }],
    ['maxConsecutiveErrors', ENV.maxConsecutiveErrors, '4', { maxConsecutiveErrors: 4 }],
    ['inboxMaxMessages', ENV.inboxMaxMessages, '7', { inboxMaxMessages: 7 }],
    ['inboxMaxBytes', ENV.inboxMaxBytes, '65536', { inboxMaxBytes: 65_536 }],
    ['sandbox.bwrap', ENV.sandboxBwrap, 'off', { sandbox: { bwrap: 'off' } }],
  ])('hands %s down under the variable of its configuration key', (_, variable, text, values) => {
    expect(configFromEnv({ [variable]: text })).toMatchObject([{ origin: variable, values }]);
    expect(isRuntimeVariable(variable)).toBe(false);
  });

  it('is no configuration, however similar to a key a name looks', () => {
    expect(
      configFromEnv({
        [ENV.agentRules]: '{}',
        [ENV.round]: '2',
        [ENV.session]: '/x',
        [ENV.hookOnTaskCompleted]: '["x"]',
      }),
    ).toEqual([]);
  });
});
