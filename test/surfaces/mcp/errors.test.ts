/** Errors of the protocol: what cannot be read is answered by the negotiated revision, and the connection goes on. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { ResourceNotFoundError } from '@modelcontextprotocol/client';
import { beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { BIN, until, Workplace } from '../../support/cli.ts';
import { ERAS, Host } from '../../support/mcp-host.ts';

let place: Workplace;
beforeEach(() => {
  place = new Workplace();
});

const answerSchema = z.looseObject({
  id: z.union([z.string(), z.number()]).optional(),
  result: z.looseObject({ protocolVersion: z.string().optional() }).optional(),
  error: z.looseObject({ code: z.int(), message: z.string() }).optional(),
});
type Heard = z.infer<typeof answerSchema>;

interface Streams {
  readonly stdin: Writable;
  readonly stdout: Readable;
}

/** Writes frames as they are, and collects the answers. */
function speaking({ stdin, stdout }: Streams) {
  const heard: Heard[] = [];
  createInterface({ input: stdout }).on('line', (line) => heard.push(answerSchema.parse(JSON.parse(line))));
  const send = (frame: unknown): void =>
    void stdin.write(`${typeof frame === 'string' ? frame : JSON.stringify(frame)}\n`);
  const answer = async (isIt: (one: Heard) => boolean): Promise<Heard> => {
    await until(() => heard.some(isIt), 'the answer comes');
    return heard.find(isIt) ?? {};
  };
  const hello = async (protocolVersion: string): Promise<void> => {
    const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'bare', version: '1' } };
    send({ jsonrpc: '2.0', id: 'hello', method: 'initialize', params });
    expect((await answer(({ id }) => id === 'hello')).result?.protocolVersion).toBe(protocolVersion);
    send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  };
  return { heard, send, answer, hello };
}

function started(...args: string[]) {
  const { root: cwd, environment: env } = place;
  const server = spawn(process.execPath, [BIN, 'mcp', ...args], { cwd, env, stdio: 'pipe' });
  const printed = textOf(server.stderr);
  return {
    ...speaking(server),
    /** @returns what it printed to stderr */
    end: async (): Promise<string> => {
      server.stdin.end();
      await once(server, 'exit');
      expect(server.exitCode).toBe(0);
      return printed;
    },
  };
}

const codeOf = (error: unknown): unknown => z.looseObject({ code: z.unknown() }).parse(error).code;
const caught = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'no error',
    (error: unknown) => codeOf(error),
  );
const LONG = 'x'.repeat(11 * 1024 * 1024);

describe.each(ERAS)('errors for a host of %s', (era) => {
  test('a call over the limit of a frame is answered with an error, and the next call works', async () => {
    await using host = await Host.of(era, place);
    const long = host.client.callTool({ name: 'Skill', arguments: { name: LONG } });
    await expect(long).rejects.toThrow(/The message has \d+ bytes; at most 10485760 are read/);
    expect(await host.say('Skill')).toBe('There are no skills.');
    expect(await caught(host.client.callTool({ name: 'Skill', arguments: { name: LONG } }))).toBe(-32600);
  });

  test('a resource or a tool that does not exist is an error of the protocol', async () => {
    await using host = await Host.of(era, place);
    await expect(host.client.readResource({ uri: 'teams://none/tasks' })).rejects.toThrow(ResourceNotFoundError);
    expect(await caught(host.client.callTool({ name: 'nothing' }))).toBe(-32602);
    // A tool that exists, but is not offered here, is a refusal that a model can read.
    expect((await host.call('bash', { command: 'true' })).text).toMatch(/^USAGE: There is no tool/);
  });
});

describe('frames that cannot be read', () => {
  test('an oversized frame is answered under its id, wherever the id is', async () => {
    const { send, answer, hello, heard, end } = started();
    await hello('2025-11-25');
    const params = { name: 'Skill', arguments: { name: LONG, id: 99 }, id: 98 };
    const frames: Record<string, unknown>[] = [
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
      { method: 'tools/call', params, jsonrpc: '2.0', id: 'two" }' },
      { jsonrpc: '2.0', method: 'x/y', id: 3, params },
    ];
    for (const frame of frames) {
      send(frame);
      expect(await answer(({ id }) => id === frame['id'])).toMatchObject({ error: { code: -32600 } });
    }
    send({ jsonrpc: '2.0', method: 'notifications/x', params });
    expect(await answer(({ id }) => id === undefined)).toMatchObject({ error: { code: -32600 } });
    send({ jsonrpc: '2.0', id: 'after', method: 'tools/list' });
    await answer(({ id }) => id === 'after');
    expect(heard).toHaveLength(6);
    await end();
  });

  test('a line that is no message is answered by an error, if it could have been a request', async () => {
    const { send, answer, heard, hello, end } = started();
    await hello('2025-06-18');
    send('{"jsonrpc":"2.0","id":1,"method":');
    expect(await answer(({ error }) => error?.code === -32700)).not.toHaveProperty('id');
    send([{ jsonrpc: '2.0', id: 2, method: 'tools/list' }]);
    expect((await answer(({ error }) => error?.code === -32600)).error?.message).toContain('Batches');
    send({ jsonrpc: '1.0', id: 3, method: 'tools/list' });
    expect((await answer(({ id }) => id === 3)).error?.code).toBe(-32600);
    for (const silent of ['', '  ', '7', '"text"', { jsonrpc: '2.0', id: 4 }, { jsonrpc: '2.0', id: null, error: {} }])
      send(silent);
    send({ jsonrpc: '2.0', id: 5, method: 'x/y' });
    expect((await answer(({ id }) => id === 5)).error?.code).toBe(-32601);
    expect(heard).toHaveLength(5);
    await end();
  });

  test('deep, odd and hostile messages are answered, and the server goes on', async () => {
    const { send, answer, hello, heard, end } = started();
    await hello('2025-11-25');
    const call = (id: string, args: string): string =>
      `{"jsonrpc":"2.0","id":"${id}","method":"tools/call","params":{"name":"TaskList","arguments":${args}}}`;
    send(call('deep', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`));
    send(call('list', `{"x":${'['.repeat(300_000)}${']'.repeat(300_000)}}`));
    send(call('proto', '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'));
    for (const id of ['deep', 'list', 'proto'])
      expect(JSON.stringify(await answer((one) => one.id === id))).toContain('Unknown key');
    for (const method of ['__proto__', 'constructor', 'toString']) {
      send(`{"jsonrpc":"2.0","id":"${method}","method":"${method}"}`);
      expect((await answer(({ id }) => id === method)).error?.code).toBe(-32601);
    }
    for (const id of ['null', 'true', '[]', '{}', '1.5', '1e400', '99999999999999999999']) {
      const before = heard.length;
      send(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`);
      expect((await answer((one) => heard.indexOf(one) >= before)).error?.code).toBe(-32600);
    }
    const task = '{"name":"TaskCreate","arguments":{"subject":"s","description":"d"}}';
    send(`{"jsonrpc":"2.0","method":"tools/call","params":${task}}`);
    send('['.repeat(1_000_000));
    send('{"jsonrpc":"2.0","id":"last","method":"ping"}');
    expect(await answer(({ id }) => id === 'last')).not.toHaveProperty('error');
    await end();
  });

  test.each([
    ['logging/setLevel', { level: 'loud' }, 'level: Invalid option: expected one of "debug"'],
    ['logging/setLevel', {}, 'level: '],
    ['logging/setLevel', undefined, 'level: '],
    ['resources/read', { uri: 5 }, 'uri: '],
    ['resources/subscribe', {}, 'uri: '],
    ['resources/unsubscribe', { uri: null }, 'uri: '],
    ['prompts/get', { name: 5 }, 'name: '],
    ['prompts/get', { name: 'x', arguments: { y: 5 } }, 'arguments.y: '],
    ['tools/list', { cursor: 5 }, 'cursor: '],
    ['prompts/list', { cursor: {} }, 'cursor: '],
    ['resources/list', { cursor: [] }, 'cursor: '],
    ['resources/templates/list', { cursor: null }, 'cursor: '],
    ['completion/complete', {}, 'ref: '],
    ['completion/complete', { ref: { type: 'ref/x' }, argument: { name: 'a', value: '' } }, 'ref.type: '],
    ['completion/complete', { ref: { type: 'ref/prompt', name: 5 }, argument: { name: 'a', value: '' } }, 'ref.name: '],
    [
      'completion/complete',
      { ref: { type: 'ref/prompt', name: 'x' }, argument: { name: 'a', value: 5 } },
      'argument.value: ',
    ],
  ])('bad parameters of %s are refused in one sentence that names them: %j', async (method, params, named) => {
    const { send, answer, hello, end } = started();
    await hello('2025-11-25');
    send({ jsonrpc: '2.0', id: 1, method, params });
    const { error } = await answer(({ id }) => id === 1);
    expect([error?.code, error?.message]).toEqual([-32602, expect.stringContaining(named) as string]);
    expect(error?.message).not.toMatch(/[\n{]/);
    await end();
  });

  test.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])(
    'a missing resource has the code of revision %s',
    async (version) => {
      const { send, answer, hello, end } = started();
      await hello(version);
      send({ jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: 'teams://none/tasks' } });
      expect((await answer(({ id }) => id === 1)).error).toMatchObject({ code: -32002 });
      await end();
    },
  );
});

describe('many calls at once', () => {
  test('300 parallel calls are all answered, and nothing is printed', async () => {
    await place.teams('create', 'solo', '--member', 'eve');
    const { send, answer, heard, hello, end } = started('--team', 'solo', '--as', 'eve');
    await hello('2025-11-25');
    for (let id = 1; id <= 300; id += 1) {
      const subject = `Task ${id} ${'x'.repeat(300)}`;
      const [name, input] = id % 3 === 0 ? ['TaskCreate', { subject, description: 'x' }] : ['TaskList', {}];
      send({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: input } });
    }
    await answer(() => heard.length === 301);
    expect(new Set(heard.map(({ id }) => id)).size).toBe(301);
    expect(heard.filter(({ error }) => error !== undefined)).toEqual([]);
    expect(await end()).toBe('');
  });
});
