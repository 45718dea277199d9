import { describe, expect, it } from 'vitest';
import { agentFor } from '../../src/agents/index.ts';
import { tempDir } from '../support/temp.ts';
import { play, turnInput } from './turns.ts';

const CLIS = ['claude', 'codex', 'gemini', 'opencode', 'acp'] as const;

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
});
