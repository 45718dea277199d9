import { describe, expect, it } from 'vitest';
import { agentFor } from '../../src/agents/agent-registry.ts';
import { tempDir } from '../support/temp.ts';
import { play, turnInput } from './turns.ts';

const CLIS = ['claude', 'codex', 'gemini', 'opencode'] as const;

describe('an agent of a kind', () => {
  it('is made from its data', async () => {
    const exec = await agentFor({ kind: 'exec', command: ['echo', 'hello'] });
    expect((await play(exec.turn(turnInput(tempDir())))).end).toMatchObject({ text: 'hello\n' });
    const scripted = await agentFor({ kind: 'scripted', options: { turns: [{ answers: 'hello' }] } });
    expect((await play(scripted.turn(turnInput(tempDir())))).end).toMatchObject({ text: 'hello' });
  });

  it.each(CLIS)('is made for %s without starting anything', async (kind) => {
    const agent = await agentFor({ kind, command: ['no-such-program'] });
    await agent.close();
  });

  it('needs a command, when any program may be meant', async () => {
    await expect(agentFor({ kind: 'acp' })).rejects.toMatchObject({ code: 'USAGE', exitCode: 2 });
  });

  it('needs a model where there is none that all have', async () => {
    await expect(agentFor({ kind: 'openai' })).rejects.toMatchObject({ code: 'USAGE' });
  });

  it.each(['anthropic', 'google', 'ollama'] as const)('refuses options of %s that nobody knows', async (kind) => {
    await expect(agentFor({ kind, options: { temprature: 1 } })).rejects.toMatchObject({ code: 'USAGE' });
  });

  it.each(['anthropic', 'google', 'openai'] as const)('says which key %s needs', async (kind) => {
    const agent = await agentFor({ kind, model: 'a-model' });
    expect((await play(agent.turn(turnInput(tempDir())))).end).toMatchObject({
      ended: 'failed',
      why: 'unauthorised',
      message: expect.stringContaining('_API_KEY') as string,
    });
  });

  it.each(['claude', 'codex', 'gemini', 'opencode', 'acp'] as const)(
    'is made for %s without starting anything',
    async (kind) => {
      const agent = await agentFor({ kind, command: ['no-such-program'] });
      await agent.close();
    },
  );

  it('needs a command, when any program may be meant', async () => {
    await expect(agentFor({ kind: 'acp' })).rejects.toMatchObject({ code: 'USAGE', exitCode: 2 });
  });
});
