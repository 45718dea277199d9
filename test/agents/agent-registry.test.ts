import { describe, expect, it } from 'vitest';
import { agentFor } from '../../src/agents/agent-registry.ts';
import { tempDir } from '../support/temp.ts';
import { play, turnInput } from './turns.ts';

const CLIS = ['claude', 'codex', 'gemini', 'opencode'] as const;

describe('an agent of a kind', () => {
  it('an agent is created from its data', async () => {
    const exec = await agentFor({ kind: 'exec', command: ['echo', 'hello'] });
    expect((await play(exec.turn(turnInput(tempDir())))).end).toMatchObject({ text: 'hello\n' });
    const scripted = await agentFor({ kind: 'scripted', options: { turns: [{ answers: 'hello' }] } });
    expect((await play(scripted.turn(turnInput(tempDir())))).end).toMatchObject({ text: 'hello' });
  });

  it.each(CLIS)('an agent of %s is created without starting a process', async (kind) => {
    const agent = await agentFor({ kind, command: ['no-such-program'] });
    await agent.close();
  });

  it('a kind for any program needs a command', async () => {
    await expect(agentFor({ kind: 'acp' })).rejects.toMatchObject({ code: 'USAGE', exitCode: 2 });
  });

  it('a kind without a common model needs a model', async () => {
    await expect(agentFor({ kind: 'openai' })).rejects.toMatchObject({ code: 'USAGE' });
  });

  it.each(['anthropic', 'google', 'ollama'] as const)('unknown options of %s are refused', async (kind) => {
    await expect(agentFor({ kind, options: { temprature: 1 } })).rejects.toMatchObject({ code: 'USAGE' });
  });

  it.each(['anthropic', 'google', 'openai'] as const)('the error names the key that %s needs', async (kind) => {
    const agent = await agentFor({ kind, model: 'a-model' });
    expect((await play(agent.turn(turnInput(tempDir())))).end).toMatchObject({
      kind: 'failed',
      why: 'unauthorised',
      message: expect.stringContaining('_API_KEY') as string,
    });
  });

  it.each(['claude', 'codex', 'gemini', 'opencode', 'acp'] as const)(
    '%s is created without starting a process',
    async (kind) => {
      const agent = await agentFor({ kind, command: ['no-such-program'] });
      await agent.close();
    },
  );

  it('a kind for any protocol program needs a command', async () => {
    await expect(agentFor({ kind: 'acp' })).rejects.toMatchObject({ code: 'USAGE', exitCode: 2 });
  });
});
