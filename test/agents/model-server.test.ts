/** The model server of the tests, called by hand: each API whole and streamed, its failures, and as a program. */
import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Script } from '../fixtures/model-server/script.ts';
import { ModelServer } from '../fixtures/model-server/server.ts';
import { program } from '../support/programs.ts';

const open = async (script: Script): Promise<ModelServer> => {
  const server = await ModelServer.start({ script });
  onTestFinished(() => server.close());
  return server;
};

const post = (server: { url: string }, path: string, body: object): Promise<Response> =>
  fetch(`${server.url}${path}`, { method: 'POST', body: JSON.stringify(body) });

const tools = [{ name: 'mcp__team__SendMessage', function: { name: 'mcp__team__SendMessage' } }];
const said = { role: 'user', content: 'Hello there.\nmore' };

const QUESTIONS: [string, string, object][] = [
  ['anthropic', '/v1/messages', { model: 'm', messages: [said], tools }],
  ['openai-chat', '/v1/chat/completions', { model: 'm', messages: [said], tools }],
  ['openai-responses', '/v1/responses', { model: 'm', input: [said], tools }],
  [
    'gemini',
    '/v1beta/models/m:generateContent',
    { contents: [{ role: 'user', parts: [{ text: said.content }] }], tools: [{ functionDeclarations: tools }] },
  ],
  ['ollama', '/api/chat', { model: 'm', messages: [said], tools, stream: false }],
];

const streamed = ([wire, path, body]: [string, string, object]): [string, string, object] => [
  wire,
  path.replace(':generateContent', ':streamGenerateContent'),
  { ...body, stream: true },
];

describe.each(QUESTIONS)('the model server, called as %s,', (wire, path, body) => {
  it('the model server answers as its script says, and records the request', async () => {
    const server = await open([
      { when: 'there', text: 'heard: {user}', calls: [{ tool: 'SendMessage', input: { a: 1 } }] },
    ]);
    const answer = await (await post(server, path, body)).text();
    expect(answer).toContain('heard: Hello there.');
    expect(answer).toContain('mcp__team__SendMessage');
    expect(server.requests).toMatchObject([
      { wire, model: 'm', user: said.content, tools: ['mcp__team__SendMessage'], stream: false },
    ]);
  });

  it('the model server streams the same answer in pieces', async () => {
    const server = await open([{ text: 'abcdef', pieces: 2, calls: [{ tool: 'SendMessage' }] }]);
    const [, path_, body_] = streamed([wire, path, body]);
    const answer = await (await post(server, path_, body_)).text();
    for (const part of ['abc', 'def', 'mcp__team__SendMessage']) expect(answer).toContain(part);
    expect(server.requests[0]?.stream).toBe(true);
  });

  it('the model server fails with the given status, then works', async () => {
    const server = await open([
      { fail: { status: 429, retryAfter: 7 } },
      { fail: 529 },
      { fail: { status: 0, kind: 'overflow' } },
    ]);
    const statuses: number[] = [];
    for (let n = 0; n < 4; n += 1) statuses.push((await post(server, path, body)).status);
    expect(statuses).toEqual([429, 529, 400, 200]);
  });

  it('the model server cuts a stream in the middle', async () => {
    const server = await open([{ text: 'abcdef', cut: true }]);
    const [, path_, body_] = streamed([wire, path, body]);
    await expect(post(server, path_, body_).then((response) => response.text())).rejects.toThrow();
  });
});

describe('the model server', () => {
  it('the model server lists the models that the programs ask for', async () => {
    const server = await open([]);
    for (const path of ['/api/tags', '/v1/models', '/api/version'])
      expect((await fetch(`${server.url}${path}`)).status).toBe(200);
    expect((await post(server, '/v1/messages/count_tokens', {})).status).toBe(200);
    expect((await fetch(`${server.url}/nowhere`)).status).toBe(404);
    expect(server.requests).toEqual([]);
  });

  it('the model server runs as a program, takes a script and returns the recorded requests', async () => {
    const child = spawn(process.execPath, [program('model-server'), '--titles'], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const line = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
    const server = JSON.parse(String(line.value)) as { url: string };
    await fetch(`${server.url}/__script`, { method: 'PUT', body: JSON.stringify([{ text: 'scripted' }]) });
    const [, path = '', body = {}] = QUESTIONS[1] ?? [];
    expect(await (await post(server, path, { ...body, tools: [] })).text()).toContain('A title');
    expect(await (await post(server, path, body)).text()).toContain('scripted');
    const told = (await (await fetch(`${server.url}/__requests`)).json()) as { requests: unknown[] };
    expect(told.requests).toHaveLength(1);
    child.stdin.end();
    await once(child, 'exit');
    expect(child.exitCode).toBe(0);
  });
});
