/** A program in its isolation that fills the memory of its member's process by the one socket that it has. */
import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { openBroker, type CommandLine } from '../../src/runtime/isolation/broker.ts';
import { main } from '../../src/surfaces/cli/main.ts';
import { Workplace } from '../support/cli.ts';
import { readStdin } from '../../src/surfaces/cli/input/stdin.ts';
import { tempDir } from '../support/temp.ts';

const MIB = 1024 * 1024;

async function broker(commandLine: CommandLine): Promise<(argv: readonly string[]) => Socket> {
  const socket = join(tempDir(), 'sock');
  const isolate = (argv: readonly string[]): readonly string[] => argv;
  const server = await openBroker(
    { socket, member: 'ada', team: 'crew', environment: {}, cwd: '/', isolate, commandLine },
    4,
  );
  onTestFinished(() => server.close());
  return (argv) => {
    const client = createConnection({ path: socket, allowHalfOpen: true });
    client.write(`${JSON.stringify({ argv })}\n`);
    return client;
  };
}

/** Reads its stdin, says how long it is, and ends when it may. */
function reading() {
  let [end, hasRead] = [(): void => undefined, (): void => undefined];
  const mayEnd = new Promise<void>((resolve) => (end = resolve));
  const read = new Promise<void>((resolve) => (hasRead = resolve));
  const commandLine: CommandLine = async (_argv, io) => {
    try {
      const { length } = await readStdin({ ...io, cwd: '/', stdout: io.stdout, stderr: io.stderr });
      hasRead();
      await mayEnd;
      io.stdout.write(`${length}\n`);
      return 0;
    } catch (error) {
      io.stderr.write(String(error));
      return 2;
    }
  };
  return { commandLine, read, end: () => end() };
}

it('the texts of all commands together are limited, until the commands have ended', async () => {
  const { commandLine, read, end } = reading();
  const connect = await broker(commandLine);
  const send = (): Socket => connect(['send', 'bob', '-']).end(Buffer.alloc(3 * MIB, 'x'));
  const first = send();
  await read;
  expect(String(await buffer(send()))).toMatch(/UsageError.*more than 4 MiB of text together; end some of them/);
  end();
  expect(String(await buffer(first))).toContain(String(3 * MIB));
  expect(String(await buffer(send()))).toContain(String(3 * MIB));
});

it('a command whose answer is not read ends when too much waits, and others go on', async () => {
  const text = 'x'.repeat(MIB);
  let drop = (): void => undefined;
  const dropped = new Promise<void>((resolve) => (drop = resolve));
  const connect = await broker(async ([verb], io) => {
    io.gone.addEventListener('abort', drop);
    for (let count = 0; verb === 'status' && count < 6; count += 1) io.stdout.write(text);
    io.stdout.write('told\n');
    return Promise.resolve(0);
  });
  const unread = connect(['status']).on('error', () => undefined);
  await dropped;
  expect(String(await buffer(connect(['wisdom']).end()))).toContain('told');
  unread.destroy();
});

it('an MCP server behind a socket listens to no signal of the process that serves it', async () => {
  const place = new Workplace();
  await place.teams('create', 'crew', '--member', 'ada');
  const [input, output] = [new PassThrough(), new PassThrough()];
  const said: string[] = [];
  const before = process.listenerCount('SIGINT');
  const answered = once(output, 'data');
  const ended = main(['mcp', '--team', 'crew', '--as', 'ada'], {
    stdin: input,
    stdout: { write: () => true },
    stderr: { write: (text) => said.push(text) },
    environment: place.environment,
    cwd: place.root,
    gone: new AbortController().signal,
    wire: { input, output },
  });
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'host', version: '1' } };
  input.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
  await Promise.race([answered, ended.then((code) => expect.fail(`exit ${code}: ${said.join('')}`))]);
  expect(process.listenerCount('SIGINT')).toBe(before);
  input.end();
  expect(await ended).toBe(0);
});

it('floods, half closed connections, broken text and descriptors of a program end nothing, and others are answered', async () => {
  const connect = await broker(async ([verb], io) => {
    io.stdout.write(`${verb ?? ''}\n`);
    return Promise.resolve(0);
  });
  const hostile = [
    '\xff\xfe{]\n',
    '{"argv":',
    '\n',
    `${'x'.repeat(2 * MIB)}\n`,
    '{"argv":["delete"]}\n',
    '{"argv":{}}\n',
  ];
  const open: Socket[] = [];
  for (let round = 0; round < 40; round += 1)
    for (const text of hostile) {
      const client = connect(['status']).on('error', () => undefined);
      client.write(Buffer.from(text, 'latin1'));
      if (round % 4 === 0) client.end();
      else if (round % 4 === 1) client.destroy();
      else open.push(client);
      if (open.length > 16) open.shift()?.destroy();
    }
  expect(String(await buffer(connect(['wisdom']).end()))).toContain('wisdom');
  for (const client of open) client.destroy();
});

it('the MCP servers of a member are limited', async () => {
  let [running, allRun] = [0, (): void => undefined];
  const all = new Promise<void>((resolve) => (allRun = resolve));
  const connect = await broker(async (_argv, { gone }) => {
    running += 1;
    if (running === 16) allRun();
    await new Promise((resolve) => gone.addEventListener('abort', resolve));
    return 0;
  });
  const servers = Array.from({ length: 16 }, () => connect(['mcp']));
  await all;
  expect(String(await buffer(connect(['mcp'])))).toMatch(/There are 16 MCP servers of ada already; end one of them/);
  for (const server of servers) server.destroy();
});
