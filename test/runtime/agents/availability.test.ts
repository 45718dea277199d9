/** What is known of an agent without a call to it. */
import { createServer } from 'node:http';
import { once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AgentSpec } from '../../../src/model/agent/agent.ts';
import { configSchema } from '../../../src/model/config/config.ts';
import { availabilityOf } from '../../../src/runtime/agents/availability.ts';
import { chooseAgent } from '../../../src/runtime/agents/probes.ts';
import { tempDir } from '../../support/temp.ts';

function bin(...programs: string[]): string {
  const directory = tempDir();
  for (const program of programs) {
    writeFileSync(join(directory, program), '#!/bin/sh\n');
    chmodSync(join(directory, program), 0o755);
  }
  return directory;
}

describe('the agent of "auto"', () => {
  const config = configSchema.parse({});

  it('"auto" is the first agent of the list that can work here', async () => {
    const codex = { PATH: bin('codex'), OPENAI_API_KEY: 'x', OLLAMA_HOST: '127.0.0.1:1' };
    expect(await chooseAgent(config, codex)).toEqual({ kind: 'codex' });
    expect(await chooseAgent(config, { ...codex, ANTHROPIC_API_KEY: 'x' })).toEqual({ kind: 'anthropic' });
    expect(await chooseAgent({ ...config, fallback: ['openai', 'codex'] }, codex)).toEqual({ kind: 'codex' });
    const named = { ...config, models: { openai: { sonnet: 'gpt-5.4' } } };
    expect(await chooseAgent({ ...named, fallback: ['openai', 'codex'] }, codex)).toEqual({ kind: 'openai' });
  });

  it('"auto" is none if no agent can work, with a reason for each; a command is never chosen', async () => {
    const agents = { own: { kind: 'exec' as const, command: ['true'] } };
    const nobody = { ...config, agents, fallback: ['own', 'claude', 'openai'] };
    expect(await chooseAgent(nobody, { PATH: tempDir(), OPENAI_API_KEY: 'x' })).toMatch(
      /claude: no program claude on PATH; openai: Which model\?/,
    );
  });
});

describe('an agent', () => {
  it.each<[string, AgentSpec, Record<string, string>, boolean]>([
    ['exec', { kind: 'exec' }, {}, true],
    ['scripted', { kind: 'scripted' }, {}, true],
    ['a program that is not installed', { kind: 'claude' }, {}, false],
    ['a program at a path that does not exist', { kind: 'codex', command: ['/no/such/codex'] }, {}, false],
    ['acp without a command', { kind: 'acp' }, {}, false],
    ['a key', { kind: 'anthropic' }, { ANTHROPIC_AUTH_TOKEN: 'x' }, true],
    ['an empty key', { kind: 'anthropic' }, { ANTHROPIC_API_KEY: '' }, false],
    ["another vendor's key", { kind: 'google' }, { OPENAI_API_KEY: 'x' }, false],
    ['a key in the spec', { kind: 'openai', env: { OPENAI_API_KEY: 'x' } }, {}, true],
    ['an endpoint without a key', { kind: 'openai', baseUrl: 'http://127.0.0.1:1/v1' }, {}, true],
  ])('availability of an agent: %s', async (_, spec, env, isAvailable) => {
    expect(await availabilityOf(spec, { PATH: tempDir(), ...env })).toMatchObject({ isAvailable });
  });

  it('an agent is available with a program on PATH, under its own name or another', async () => {
    const PATH = bin('codex', 'my-gemini');
    expect(await availabilityOf({ kind: 'codex' }, { PATH })).toEqual({
      isAvailable: true,
      found: join(PATH, 'codex'),
    });
    const renamed: AgentSpec = { kind: 'gemini', command: ['my-gemini'] };
    expect(await availabilityOf(renamed, { PATH })).toMatchObject({ isAvailable: true });
    expect(await availabilityOf({ kind: 'gemini' }, { PATH })).toEqual({
      isAvailable: false,
      found: 'no program gemini on PATH',
    });
  });

  it('an agent is available with a server while the server answers', async () => {
    const server = createServer((_, response) => response.end('{"models":[]}')).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const spec: AgentSpec = { kind: 'ollama', baseUrl: `http://127.0.0.1:${port}` };
    expect(await availabilityOf(spec, {})).toMatchObject({ isAvailable: true });
    expect(await availabilityOf({ kind: 'ollama' }, { OLLAMA_HOST: `127.0.0.1:${port}` })).toMatchObject({
      isAvailable: true,
    });
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
    expect(await availabilityOf(spec, {})).toEqual({
      isAvailable: false,
      found: `nothing answers at http://127.0.0.1:${port}`,
    });
  });
});
