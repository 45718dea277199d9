/** How the programs that speak ACP are started. */
import { expect, it } from 'vitest';
import { acpLaunch } from '../../../src/agents/programs/acp-presets.ts';

it("opencode keeps its own plugins, which use the user's logins, and brings nothing up to date", () => {
  const { argv, env } = acpLaunch({ kind: 'opencode', model: 'openai/gpt-5.4' }, {}, { env: { HOME: '/home/ann' } });
  expect(argv).toEqual(['opencode', 'acp']);
  expect(env).toMatchObject({ OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' });
  expect(env).not.toHaveProperty('OPENCODE_DISABLE_DEFAULT_PLUGINS');
});
