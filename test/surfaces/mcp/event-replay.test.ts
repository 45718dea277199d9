/** What a host gets that asks for what it missed. */
import { expect, test } from 'vitest';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { EventReplay } from '../../../src/surfaces/mcp/event-replay.ts';

const note = (text: string): JSONRPCMessage => ({ jsonrpc: '2.0', method: 'notifications/message', params: { text } });

async function after(kept: EventReplay, id: string): Promise<{ stream: string; ids: string[] }> {
  const ids: string[] = [];
  const stream = await kept.replayEventsAfter(id, {
    send(one) {
      ids.push(one);
      return Promise.resolve();
    },
  });
  return { stream, ids };
}

test('the messages of the same stream are repeated, in order, and no empty one', async () => {
  const kept = new EventReplay();
  // The SDK keeps an empty message for the event that opens a stream.
  const empty = JSON.parse('{}') as JSONRPCMessage;
  for (const [stream, message] of [
    ['a', empty],
    ['a', note('1')],
    ['b', note('2')],
    ['a', empty],
    ['a', note('3')],
  ] as const)
    await kept.storeEvent(stream, message);
  expect(await after(kept, '1')).toEqual({ stream: 'a', ids: ['2', '5'] });
  expect(await after(kept, '3')).toEqual({ stream: 'b', ids: [] });
  expect(await kept.getStreamIdForEventId('5')).toBe('a');
  expect(await kept.getStreamIdForEventId('6')).toBeUndefined();
  await expect(after(kept, 'foreign')).rejects.toThrow(/no longer kept/);
});

test('memory is bounded by number and by bytes, and what is older is refused', async () => {
  const kept = new EventReplay();
  for (let each = 1; each <= 1_001; each += 1) await kept.storeEvent('a', note(String(each)));
  await expect(after(kept, '1')).rejects.toThrow(/no longer kept/);
  expect((await after(kept, '2')).ids).toHaveLength(999);
  for (let each = 1; each <= 3; each += 1) await kept.storeEvent('a', note('x'.repeat(4 * 1024 * 1024)));
  await expect(after(kept, '1001')).rejects.toThrow(/no longer kept/);
  expect((await after(kept, '1004')).ids).toEqual([]);
});
