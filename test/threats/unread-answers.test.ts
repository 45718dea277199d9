/** Peers that ask and do not read: the answers that wait for them in our memory are limited. */
import { PassThrough, Writable } from 'node:stream';
import type { AnyMessage } from '@agentclientprotocol/sdk';
import { expect, it } from 'vitest';
import { hearProgram } from '../../src/agents/programs/process.ts';
import { editorStream } from '../../src/surfaces/acp/editor-stream.ts';

const LARGE = 'x'.repeat(1024 * 1024);
const REQUESTS = 40;

/** Takes nothing until `read`. */
function unread() {
  const waiting: (() => void)[] = [];
  let [isRead, taken] = [false, 0];
  const stream = new Writable({
    write(_chunk, _encoding, done) {
      taken += 1;
      if (isRead) done();
      else waiting.push(done);
    },
  });
  return {
    stream,
    taken: () => taken,
    read: () => {
      isRead = true;
      for (const done of waiting.splice(0)) done();
    },
  };
}

const request = { jsonrpc: '2.0', id: 1, method: 'none', params: { pad: 'x'.repeat(20_000) } };

async function ask(input: PassThrough, line = JSON.stringify(request)): Promise<void> {
  for (let sent = 0; sent < REQUESTS; sent += 1)
    if (!input.write(`${line}\n`)) await new Promise((resolve) => input.once('drain', resolve));
}

it('an editor that does not read is read only while few answers wait, and gets all of them once it reads', async () => {
  const [input, output] = [new PassThrough(), unread()];
  const { readable, writable } = editorStream({ input, output: output.stream }, () => undefined);
  const writer = writable.getWriter();
  let heard = 0;
  void (async () => {
    const requests: ReadableStream<AnyMessage> = readable;
    for await (const _ of requests) {
      heard += 1;
      void writer.write({ jsonrpc: '2.0', id: heard, result: { LARGE } });
    }
  })();
  const asked = ask(input);
  // Nobody listens for `drain` unless the editor is held back.
  await expect.poll(() => output.stream.listenerCount('drain') > 0 || heard === REQUESTS).toBe(true);
  expect(heard).toBeLessThan(30);
  expect(output.stream.writableLength).toBeLessThan(18 * LARGE.length);
  output.read();
  await asked;
  await expect.poll(() => output.taken()).toBe(REQUESTS);
  input.end();
});

it('an editor that sends what cannot be read, and does not read the errors, is not read either', async () => {
  const [input, output] = [new PassThrough(), unread()];
  editorStream({ input, output: output.stream }, () => undefined);
  output.stream.write(LARGE.repeat(17));
  const asked = ask(input, 'no JSON '.repeat(2_500));
  await expect.poll(() => output.stream.listenerCount('drain') > 0).toBe(true);
  expect(input.writableNeedDrain).toBe(true);
  output.read();
  await asked;
  await expect.poll(() => output.taken()).toBe(REQUESTS + 1);
  input.end();
});

it('a program that does not read its stdin is read only while few answers wait', async () => {
  const [stdout, stdin] = [new PassThrough(), unread()];
  let heard = 0;
  const over = hearProgram(stdout, stdin.stream, {
    onStdout: () => {
      heard += 1;
      stdin.stream.write(LARGE);
      return Promise.resolve();
    },
  });
  const asked = ask(stdout).then(() => stdout.end());
  await expect.poll(() => stdin.stream.listenerCount('drain') > 0 || heard >= REQUESTS).toBe(true);
  expect(stdin.stream.writableLength).toBeLessThan(18 * LARGE.length);
  stdin.read();
  await asked;
  await over;
  expect(stdin.taken()).toBe(heard);
});
