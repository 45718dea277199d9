/** The protocol on the wire: who the agent is, frames that no SDK sends, and a stdout that is the protocol's alone. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { PROTOCOL_VERSION } from '@agentclientprotocol/sdk';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { Editor } from '../../support/acp-editor.ts';
import { BIN, until, Workplace } from '../../support/cli.ts';

const answerSchema = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number(), z.null()]).optional(),
  error: z.looseObject({ code: z.int(), message: z.string().min(1) }).optional(),
});

/** The agent as a plain process, for input that an SDK client does not send. */
function bareAgent({ root: cwd, environment: env }: Workplace) {
  const agent = spawn(process.execPath, [BIN, 'acp'], { cwd, env, stdio: ['pipe', 'pipe', 'ignore'] });
  const heard: z.infer<typeof answerSchema>[] = [];
  createInterface({ input: agent.stdout }).on('line', (line) => heard.push(answerSchema.parse(JSON.parse(line))));
  const send = (frame: unknown): void =>
    void agent.stdin.write(`${typeof frame === 'string' ? frame : JSON.stringify(frame)}\n`);
  return { agent, heard, send };
}

const hello = {
  jsonrpc: '2.0',
  id: 'hello',
  method: 'initialize',
  params: { protocolVersion: 1, clientCapabilities: {} },
};

test('the agent says its version of the protocol, its name, and what a prompt may contain', async () => {
  await using editor = await Editor.on(new Workplace());
  expect(editor.initialized).toMatchObject({
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: { name: 'teams', title: 'Teams' },
    agentCapabilities: { promptCapabilities: { embeddedContext: true } },
    authMethods: [],
  });
});

test('frames that cannot be read are answered with errors, under their ids where those can be read, and the agent goes on', async () => {
  const { agent, heard, send } = bareAgent(new Workplace());
  send(hello);
  send('no JSON');
  send([hello]);
  send('7');
  send({ jsonrpc: '2.0', id: 'large', method: 'session/prompt', params: { x: 'x'.repeat(11 * 1024 * 1024) } });
  send({ jsonrpc: '2.0', id: 'unknown', method: 'session/none', params: {} });
  send({ jsonrpc: '2.0', id: 'wrong', method: 'session/new', params: { cwd: 7 } });
  await until(() => heard.length >= 7, 'everything is answered');
  const codes = heard.map(({ id, error }) => `${id ?? 'none'}: ${error?.code ?? 'a result'}`);
  expect(codes.toSorted()).toEqual(
    [
      'hello: a result',
      'none: -32700',
      'none: -32600',
      'none: -32600',
      'large: -32600',
      'unknown: -32601',
      'wrong: -32602',
    ].toSorted(),
  );
  const exited = once(agent, 'exit');
  agent.stdin.end();
  await exited;
  expect(agent.exitCode).toBe(0);
});

test('a request before `initialize` is refused', async () => {
  const { agent, heard, send } = bareAgent(new Workplace());
  send({ jsonrpc: '2.0', id: 1, method: 'session/new', params: { cwd: '/', mcpServers: [] } });
  await until(() => heard.length > 0, 'it is answered');
  expect(heard[0]?.error?.code).toBe(-32_600);
  const exited = once(agent, 'exit');
  agent.stdin.end();
  await exited;
});
