/** How the programs that speak ACP are started. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../../support/temp.ts';
import { acpLaunch } from '../../../src/agents/programs/acp-presets.ts';

const place = (sandbox: 'read-only' | 'workspace-write' | 'full' = 'workspace-write') => ({
  env: { HOME: '/home/ann' },
  cwd: '/work/it',
  sandbox,
});

it("opencode keeps its own plugins, which use the user's logins, and brings nothing up to date", () => {
  const { argv, env } = acpLaunch({ kind: 'opencode', model: 'openai/gpt-5.4' }, {}, place());
  expect(argv).toEqual(['opencode', 'acp']);
  expect(env).toMatchObject({ OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' });
  expect(env).not.toHaveProperty('OPENCODE_DISABLE_DEFAULT_PLUGINS');
});

describe('the configuration of a project, which could answer in our place,', () => {
  const isolate = (argv: readonly string[]) => argv;

  it.each([
    ['where a person is asked', { asks: true, isolate }, 'workspace-write', true],
    ['where only our answers hold', {}, 'workspace-write', true],
    ['where only our answers hold a reader', {}, 'read-only', true],
    ['in its isolation', { isolate }, 'workspace-write', false],
    ['where it may do everything', {}, 'full', false],
  ] as const)('%s: opencode', (_where, context, sandbox, isLeftOut) => {
    const { env } = acpLaunch({ kind: 'opencode', options: { theme: 'dark' } }, context, place(sandbox));
    const config: unknown = JSON.parse(env['OPENCODE_CONFIG_CONTENT'] ?? '');
    expect([env['OPENCODE_DISABLE_PROJECT_CONFIG'], config]).toEqual([
      isLeftOut ? '1' : undefined,
      expect.objectContaining({ theme: 'dark', ...(isLeftOut && { instructions: ['/work/it/AGENTS.md'] }) }),
    ]);
  });

  it('is weaker than the rule by which Gemini asks a person', () => {
    const home = tempDir();
    const policy = join(home, 'gemini', 'asks.toml');
    expect(acpLaunch({ kind: 'gemini' }, { home, asks: true }, place()).argv).toContain(`--admin-policy=${policy}`);
    expect(readFileSync(policy, 'utf8')).toMatch(/toolName = "\*"\ndecision = "ask_user"/);
    expect(acpLaunch({ kind: 'gemini' }, { home }, place()).argv.join(' ')).not.toContain('policy');
  });
});
