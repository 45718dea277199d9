/** Texts that come byte by byte, without an end: what reads them holds little more than the bytes themselves. */
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it, onTestFinished } from 'vitest';
import { jsonLines } from '../../src/agents/programs/json-lines.ts';
import { serveLocal } from '../../src/os/local-server.ts';
import { readStdin } from '../../src/surfaces/cli/input/stdin.ts';
import { FrameReader } from '../../src/surfaces/wire/frames.ts';
import { tempDir } from '../support/temp.ts';

const PIECES = 1_000_000;
const MOST_BYTES = 16 * PIECES;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

function used(): number {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const piece = (): Buffer => Buffer.from('x');

describe('a line that comes byte by byte', () => {
  const READERS: readonly [string, () => (bytes: Buffer) => unknown][] = [
    ['of a program', () => jsonLines()],
    [
      'of an MCP host',
      () => {
        const reader = new FrameReader();
        return (bytes) => [...reader.push(bytes)];
      },
    ],
  ];
  it.each(READERS)('%s takes little memory', (_, make) => {
    const read = make();
    const before = used();
    for (let count = 0; count < PIECES; count += 1) read(piece());
    expect(used() - before).toBeLessThan(MOST_BYTES);
    expect(read(Buffer.from('\n'))).toHaveLength(1);
  });
});

it('a text on stdin takes little memory', async () => {
  const before = used();
  let most = 0;
  const stdin = async function* (): AsyncGenerator<Buffer> {
    for (let count = 0; count < PIECES; count += 1) yield piece();
    most = used() - before;
    await Promise.resolve();
  };
  const write = (): boolean => true;
  const text = await readStdin({
    stdin: stdin(),
    stdout: { write },
    stderr: { write },
    environment: {},
    cwd: '/',
    gone: new AbortController().signal,
  });
  expect(text).toHaveLength(PIECES);
  expect(most).toBeLessThan(MOST_BYTES);
});

it('the first line of a request takes little time', { timeout: 60_000 }, async () => {
  const path = join(tempDir(), 'sock');
  const heads: number[] = [];
  const server = await serveLocal(path, async (request) => {
    heads.push(request.head.length);
    await request.send('exit', Uint8Array.of(0));
  });
  onTestFinished(() => server.close());
  const socket = createConnection(path).setNoDelay(true);
  await once(socket, 'connect');
  const begun = process.cpuUsage();
  for (let count = 0; count < 20_000; count += 1) await new Promise((done) => socket.write('x'.repeat(50), done));
  socket.end('\n');
  await once(socket.resume(), 'end');
  expect(heads).toEqual([PIECES]);
  const { user, system } = process.cpuUsage(begun);
  // A copy of all that came before, for each piece, takes 10 GB.
  expect((user + system) / 1_000).toBeLessThan(5_000);
});
