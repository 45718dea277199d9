import { Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { roomIn } from '../../src/os/output-queue.ts';

it('there is room up to the limit; above it, room comes when the peer has read or is gone', async () => {
  const waiting: (() => void)[] = [];
  const output = new Writable({ write: (_chunk, _encoding, done) => void waiting.push(done) });
  output.write('x'.repeat(100));
  expect(roomIn(output, 100)).toBeUndefined();
  output.write('x');
  const room = roomIn(output, 100);
  expect(room).toBeInstanceOf(Promise);
  const second = roomIn(output, 100);
  output.destroy();
  await Promise.all([room, second]);
  expect(roomIn(output, 100)).toBeUndefined();
});
