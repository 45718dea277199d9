/** One connection for many questions: a client and a server, or one of both and what breaks the rules. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createConnection, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { LastingConnection } from '../../../src/os/connection/lasting-connection.ts';
import { LastingServer, MOST_CONNECTIONS } from '../../../src/os/connection/lasting-server.ts';
import { numberedFrame } from '../../../src/os/connection/numbered-frames.ts';
import { program } from '../../support/programs.ts';
import { tempDir } from '../../support/temp.ts';

const LONG_MS = 20_000;
let path = '';
beforeEach(() => {
  path = join(tempDir(), 'socket');
});

async function serve(answer: (question: string) => Promise<string>): Promise<LastingServer> {
  const server = await LastingServer.listen(path, (bytes) => answer(bytes.toString('utf8')));
  onTestFinished(() => server.close());
  return server;
}

function connect(): LastingConnection {
  const connection = LastingConnection.to(path);
  onTestFinished(() => connection.leave());
  return connection;
}

const echo = (text: string): Promise<string> => Promise.resolve(text);

/** A server that keeps to no rule. */
async function rawServer(meet: (socket: Socket) => void): Promise<void> {
  const server = createServer(meet).listen(path);
  onTestFinished(() => void server.close());
  await once(server, 'listening');
}

/** A client that only sends. */
async function rawClient(): Promise<Socket> {
  const socket = createConnection(path);
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}

/** A process with a server that answers with its pid. */
async function serverProcess(): Promise<ChildProcess> {
  rmSync(path, { force: true });
  const child = end('serve');
  await said(child);
  return child;
}

function end(role: 'serve' | 'ask'): ChildProcess {
  const child = spawn(process.execPath, [program('connection-end'), role, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** What a process prints next. */
async function said({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error('It has no stdout.');
  const [bytes] = (await once(stdout, 'data')) as [Buffer];
  return bytes.toString('utf8').trim();
}

describe('a lasting connection', { timeout: 60_000 }, () => {
  it('is one for all that a process asks, and each question gets its own answer', async () => {
    const held: (() => void)[] = [];
    const server = await serve(
      (text) =>
        new Promise((answer) => {
          held.push(() => answer(`${text}!`));
          // The last one is answered first.
          if (held.length === 100) for (const one of held.reverse()) one();
        }),
    );
    const [one, other] = [connect(), connect()];
    const texts = Array.from({ length: 100 }, (_, at) => `question ${String(at)} ${'x'.repeat(at * 1_000)}`);
    const answers = await Promise.all(texts.map((text, at) => (at % 2 === 0 ? one : other).ask(text, LONG_MS)));
    expect(answers).toEqual(texts.map((text) => `${text}!`));
    expect(server.count).toBe(1);
  });

  it('ends with its last user', async () => {
    const server = await serve(echo);
    const [one, other] = [LastingConnection.to(path), LastingConnection.to(path)];
    await one.ask('x', LONG_MS);
    one.leave();
    expect(await other.ask('y', LONG_MS)).toBe('y');
    const ended = other.untilEnd();
    other.leave();
    await ended;
    await expect.poll(() => server.count).toBe(0);
  });

  it('says that nobody listens, or that the answer is late', async () => {
    const connection = connect();
    expect(await connection.isServed()).toBe(false);
    await expect(connection.ask('x', LONG_MS)).rejects.toMatchObject({ code: 'ENOENT' });
    let answerFirst = (): void => {};
    await serve((text) =>
      text === 'first' ? new Promise((answer) => (answerFirst = () => answer('too late'))) : echo(text),
    );
    expect(await connection.isServed()).toBe(true);
    await expect(connection.ask('first', 30)).rejects.toMatchObject({ code: 'ETIMEDOUT' });
    answerFirst();
    // Not the answer to another question.
    expect(await connection.ask('second', LONG_MS)).toBe('second');
    const third = connection.ask('first', LONG_MS);
    connection.giveUp();
    await expect(third).rejects.toMatchObject({ code: 'ETIMEDOUT' });
  });

  it('notices that its server was killed in the middle of a question, and finds the next one', async () => {
    const connection = connect();
    for (let round = 0; round < 3; round += 1) {
      const server = await serverProcess();
      expect(await connection.ask('who', LONG_MS)).toBe(String(server.pid));
      const asked = said(server);
      const open = expect(connection.ask('never', LONG_MS)).rejects.toMatchObject({ code: 'ECONNRESET' });
      await asked;
      const gone = Promise.all([connection.untilEnd(), once(server, 'exit')]);
      server.kill('SIGKILL');
      await open;
      await gone;
      await expect(connection.ask('who', LONG_MS)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
      expect(await connection.isServed()).toBe(false);
    }
  });

  it.each([
    ['half of its header', numberedFrame(1, 'an answer').subarray(0, 5)],
    ['half of its text', numberedFrame(1, 'an answer').subarray(0, 12)],
    ['more than an answer can have', Buffer.alloc(8, 0xff)],
  ])('takes no answer of which the server sends %s', async (_, bytes) => {
    await rawServer((socket) => void socket.once('data', () => socket.end(bytes)));
    await expect(connect().ask('x', LONG_MS)).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  it('passes an answer to nobody that was not asked for', async () => {
    const twice = Buffer.concat([numberedFrame(77, 'wrong'), numberedFrame(1, 'right'), numberedFrame(1, 'again')]);
    await rawServer((socket) => void socket.once('data', () => socket.write(twice)));
    expect(await connect().ask('x', LONG_MS)).toBe('right');
  });

  it('waits for a server that reads slowly, without more bytes in memory than the system takes', async () => {
    let begin = (): void => {};
    const begun = new Promise<void>((resolve) => (begin = resolve));
    await rawServer((socket) => {
      socket.pause();
      void begun.then(() => socket.resume());
      let size = 0;
      const all = 50 * (8 + 100_000);
      socket.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size === all) for (let number = 1; number <= 50; number += 1) socket.write(numberedFrame(number, 'read'));
      });
    });
    const connection = connect();
    const before = process.memoryUsage().arrayBuffers;
    const text = 'x'.repeat(100_000);
    const answers = Promise.all(Array.from({ length: 50 }, () => connection.ask(text, LONG_MS)));
    expect(await connection.isServed()).toBe(true);
    await new Promise((resolve) => setImmediate(resolve));
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1_000_000);
    begin();
    expect(await answers).toEqual(Array.from({ length: 50 }, () => 'read'));
  });

  it('keeps no process alive while nothing is asked', async () => {
    const server = await serve(echo);
    const child = end('ask');
    const ended = once(child, 'exit');
    expect([await said(child), await ended]).toEqual(['who', [0, null]]);
    await expect.poll(() => server.count).toBe(0);
  });
});

describe('a server of lasting connections', { timeout: 60_000 }, () => {
  it('reads no more of a client that has asked much without an answer', async () => {
    let answer = (_: string): void => {};
    const first = new Promise<string>((resolve) => (answer = resolve));
    let count = 0;
    await serve(() => {
      count += 1;
      return first;
    });
    const client = await rawClient();
    // More than the buffers of both ends.
    const frame = numberedFrame(1, 'x'.repeat(1_000));
    const sent = new Promise((resolve) => client.write(Buffer.concat(Array(5_000).fill(frame) as Buffer[]), resolve));
    await expect.poll(() => count).toBeGreaterThan(200);
    // Another client is served meanwhile, after all that could be read of the first.
    const other = connect().ask('x', LONG_MS);
    await expect.poll(() => count).toBeGreaterThan(256);
    const most = 256 + Math.ceil(65_536 / frame.length) + 1;
    expect(count).toBeLessThanOrEqual(most);
    answer('read');
    expect(await other).toBe('read');
    client.resume();
    await sent;
    await expect.poll(() => count, { timeout: 20_000 }).toBe(5_001);
  });

  it('reads no more of a client that does not read its answers', async () => {
    let count = 0;
    await serve(() => {
      count += 1;
      return Promise.resolve('x'.repeat(1_000_000));
    });
    const client = await rawClient();
    client.pause();
    const questions = Array.from({ length: 100 }, (_, number) => numberedFrame(number, 'x'.repeat(20_000)));
    client.write(Buffer.concat(questions));
    await expect.poll(() => count).toBeGreaterThan(0);
    expect(await connect().ask('x', LONG_MS)).toHaveLength(1_000_000);
    // What came in one piece is answered.
    expect(count).toBeLessThan(20);
    let size = 0;
    client.on('data', (chunk: Buffer) => (size += chunk.length)).resume();
    await expect.poll(() => size, { timeout: 40_000 }).toBe(questions.length * 1_000_008);
  });

  it('ends the connection that was used least recently when there are too many, and none with an open question', async () => {
    let answer = (_: string): void => {};
    const server = await serve((text) =>
      text === 'wait' ? new Promise((resolve) => (answer = resolve)) : Promise.resolve(text),
    );
    const busy = connect().ask('wait', LONG_MS);
    const clients: Socket[] = [];
    while (clients.length < MOST_CONNECTIONS - 1) clients.push(await rawClient());
    await expect.poll(() => server.count).toBe(MOST_CONNECTIONS);
    const [first, second] = clients;
    if (first === undefined || second === undefined) throw new Error('No clients.');
    const heard = once(first, 'data');
    first.write(numberedFrame(1, 'used'));
    await heard;
    const gone = once(second.resume(), 'close');
    await rawClient();
    await gone;
    expect(server.count).toBe(MOST_CONNECTIONS);
    expect([first.destroyed, clients[2]?.destroyed]).toEqual([false, false]);
    answer('at last');
    expect(await busy).toBe('at last');
  });

  it('ends a connection on which something comes that is no question', async () => {
    const server = await serve(echo);
    const client = await rawClient();
    const gone = once(client.resume(), 'close');
    client.write('{"do":"append"}\n');
    await gone;
    expect(server.count).toBe(0);
    expect(await connect().ask('x', LONG_MS)).toBe('x');
  });
});
