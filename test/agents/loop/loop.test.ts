/** The agent loop over a model: it stays inside the context window, does not repeat itself, and can be continued. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { agentFor } from '../../../src/agents/agent-registry.ts';
import type { AgentSpec } from '../../../src/model/agent/agent.ts';
import type { Script } from '../../fixtures/model-server/script.ts';
import { ModelServer } from '../../fixtures/model-server/server.ts';
import { tempDir } from '../../support/temp.ts';
import { play, turnInput, type Played } from '../turns.ts';

async function talk(script: Script, options: AgentSpec['options'] = {}) {
  const server = await ModelServer.start({ script });
  onTestFinished(() => server.close());
  const spec: AgentSpec = { kind: 'openai', model: 'm', baseUrl: `${server.url}/v1`, options };
  const agent = await agentFor(spec, { identity: 'You are ada.', home: tempDir() });
  const turn = (prompt: string, answer = 'nothing'): Promise<Played> =>
    play(agent.turn(turnInput(tempDir(), { prompt, tools: ['TaskList'] })), undefined, { ok: true, text: answer });
  return { server, turn };
}

const calls = (input: object) => ({ calls: [{ tool: 'TaskList', input: { ...input } }] });

describe('the loop', () => {
  it('the loop refuses the third identical call with an identical answer, and ends a turn that repeats it again', async () => {
    const { turn, server } = await talk([{ ...calls({ owner: 'ada' }), times: 'always' }]);
    const { end, events } = await turn('Work.');
    expect(end).toMatchObject({ kind: 'failed', why: 'bad_output' });
    expect(events.filter(({ type }) => type === 'called')).toHaveLength(2);
    expect(server.requests[3]?.results.join()).toContain('not carried out again');
  });

  it('the loop counts a call with a different answer as a different call', async () => {
    let n = 0;
    const { turn } = await talk(() => ((n += 1) < 6 ? calls({ owner: `w${n}` }) : { text: 'done' }));
    expect((await turn('Work.')).end).toMatchObject({ kind: 'answered', text: 'done' });
  });

  it('the loop ends at its step limit', async () => {
    let n = 0;
    const { turn, server } = await talk(() => calls({ owner: `w${(n += 1)}` }), { maxSteps: 4 });
    expect((await turn('Work.')).end).toMatchObject({
      kind: 'failed',
      message: expect.stringContaining('4 steps') as string,
    });
    expect(server.requests).toHaveLength(4);
  });

  it("the loop summarises near the window limit, and repeats the agent's identity", async () => {
    const { turn, server } = await talk(
      [
        { when: 'Read', text: 'x'.repeat(8_000) },
        { when: 'about to be cut off', text: 'SUMMARY of it all' },
      ],
      { contextWindow: 2_000, maxOutputTokens: 400 },
    );
    await turn('Read.');
    const { end, events } = await turn('Go on.');
    expect(end.kind).toBe('answered');
    expect(events).toContainEqual(expect.objectContaining({ type: 'noted' }));
    const said =
      server.requests
        .at(-1)
        ?.messages.map(({ text }) => text)
        .join('\n') ?? '';
    for (const part of ['You are ada.', 'SUMMARY of it all', 'Go on.']) expect(said).toContain(part);
    expect(said).not.toContain('xxxx');
  });

  it('the loop clears old results before a call, and keeps the last three', async () => {
    let n = 0;
    const script: Script = () => ((n += 1) < 6 ? calls({ owner: `w${n}` }) : { text: 'done' });
    const { turn, server } = await talk(script, { contextWindow: 8_000, maxOutputTokens: 400 });
    await turn('Work.', 'y'.repeat(3_000));
    const results = server.requests.at(-1)?.messages.filter(({ role }) => role === 'tool') ?? [];
    expect(results.slice(-3).every(({ text }) => text.startsWith('yyy'))).toBe(true);
    expect(results[0]?.text).toContain('cleared');
  });
});
