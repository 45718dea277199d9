/** The wire of an MCP host that sends and does not read: what waits for it is limited. */
import { PassThrough, Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { StdioWire } from '../../../src/surfaces/mcp/stdio-wire.ts';

it('requests are read only while few answers wait, and all are answered once the host reads', async () => {
  const input = new PassThrough();
  const answers: string[] = [];
  const waiting: (() => void)[] = [];
  let isRead = false;
  const output = new Writable({
    write(chunk: Buffer, _encoding, done) {
      answers.push(chunk.toString());
      if (isRead) done();
      else waiting.push(done);
    },
  });
  const wire = new StdioWire(input, output);
  let heard = 0;
  const sent: Promise<void>[] = [];
  const large = 'x'.repeat(1024 * 1024);
  wire.onmessage = () => {
    heard += 1;
    sent.push(wire.send({ jsonrpc: '2.0', id: heard, result: { large } }));
  };
  await wire.start();
  const requests = 40;
  const flow = (async () => {
    for (let id = 1; id <= requests; id += 1)
      if (
        !input.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'ping', params: { pad: 'x'.repeat(20_000) } })}\n`)
      )
        await new Promise((resolve) => input.once('drain', resolve));
  })();
  await expect.poll(() => input.isPaused() || heard === requests, { timeout: 30_000 }).toBe(true);
  expect(heard).toBeLessThan(30);
  isRead = true;
  for (const done of waiting.splice(0)) done();
  await flow;
  await expect.poll(() => answers.length, { timeout: 30_000 }).toBe(requests);
  await Promise.all(sent);
  await wire.close();
});
