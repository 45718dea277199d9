/** An image that a tool shows reaches a model that can see, by the API of each vendor. */
import { expect, it, onTestFinished } from 'vitest';
import { agentFor } from '../../../src/agents/agent-registry.ts';
import type { CallAnswer } from '../../../src/agents/agent-contract.ts';
import { ModelServer } from '../../fixtures/model-server/server.ts';
import { tempDir } from '../../support/temp.ts';
import { play, turnInput } from '../turns.ts';

const DATA = Buffer.from('an image, as far as this test goes').toString('base64');
const SHOWN: CallAnswer = { ok: true, text: 'It is a PNG.', image: { mediaType: 'image/png', base64: DATA } };
const KEYS = { ANTHROPIC_API_KEY: 'none', OPENAI_API_KEY: 'none', GEMINI_API_KEY: 'none' };
const KINDS = ['anthropic', 'openai', 'google', 'ollama'] as const;

async function secondRequest(kind: (typeof KINDS)[number], options: { images?: boolean }) {
  const server = await ModelServer.start({
    script: [{ calls: [{ tool: 'read_file', input: { path: 'a.png' } }] }, { text: 'Seen.' }],
  });
  onTestFinished(() => server.close());
  const baseUrl = server.url + (kind === 'openai' ? '/v1' : '');
  const agent = await agentFor({ kind, model: 'mock-model', baseUrl, options }, { home: tempDir() });
  onTestFinished(() => agent.close());
  const turn = agent.turn(turnInput(tempDir(), { prompt: 'Look.', env: KEYS, tools: ['read_file'] }));
  expect((await play(turn, () => undefined, SHOWN)).end).toMatchObject({ kind: 'answered', text: 'Seen.' });
  const asked = await server.request(2);
  return { body: JSON.stringify(asked.body), results: asked.messages.map(({ text }) => text).join('\n') };
}

it.each(KINDS)('a model of %s that sees gets the image', async (kind) => {
  const { body, results } = await secondRequest(kind, { images: true });
  expect(body).toContain(DATA);
  expect(results).toContain('It follows.');
});

it.each(KINDS)('a model of %s of which nothing is known gets words only', async (kind) => {
  const { body, results } = await secondRequest(kind, {});
  expect(body).not.toContain(DATA);
  expect(results).toContain('This model gets no images');
});
