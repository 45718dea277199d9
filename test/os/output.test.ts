import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { outputQueue, type OutputChunk } from '../../src/os/output-queue.ts';
import { lastLine, outputTail, tailText } from '../../src/os/output-tail.ts';

const output = (text: string): OutputChunk => ({ type: 'output', stream: 'stdout', bytes: Buffer.from(text) });

describe('the tail of an output', () => {
  it('the tail of an output is its last bytes, in any chunks', () => {
    const pieces = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 60 });
    fc.assert(
      fc.property(pieces, fc.integer({ min: 1, max: 100 }), (all, limit) => {
        const tail = outputTail(limit);
        for (const piece of all) tail.push(Buffer.from(piece));
        const whole = Buffer.concat(all);
        expect(tail.bytes()).toEqual(whole.subarray(Math.max(0, whole.length - limit)));
      }),
    );
  });

  it('the tail grows past its first size and stops at its limit', () => {
    const tail = outputTail(10_000);
    for (let index = 0; index < 30_000; index += 1) tail.push(Buffer.from([index % 251]));
    expect(tail.bytes()).toEqual(Buffer.from(Array.from({ length: 10_000 }, (_, index) => (20_000 + index) % 251)));
  });

  it.each([
    ['€€', 6, '€€'],
    ['€€', 5, '€'],
    ['€€', 4, '€'],
    ['€€', 3, '€'],
    ['😀a', 4, 'a'],
    ['abc', 2, 'bc'],
    ['', 2, ''],
  ])('the tail of %j in %d bytes is the text %j', (text, limit, expected) => {
    expect(tailText(Buffer.from(text), limit)).toBe(expected);
  });

  it.each([
    ['a\nb\n\n  \n', 'b'],
    ['50%\r100%\r\n', '100%'],
    ['\n', undefined],
    ['', undefined],
  ])('the last line of %j is %j', (text, expected) => {
    expect(lastLine(text)).toBe(expected);
  });
});

describe('a queue of output', () => {
  it('a queue of output gives all pieces in order, then nothing', async () => {
    const queue = outputQueue();
    queue.push(output('a'));
    queue.push(output('b'));
    queue.close();
    expect([await queue.next(), await queue.next(), await queue.next()]).toEqual([output('a'), output('b'), undefined]);
  });

  it('a queue of output wakes a waiting reader for a piece and for the end', async () => {
    const queue = outputQueue();
    const first = queue.next();
    queue.push(output('a'));
    expect(await first).toEqual(output('a'));
    const last = queue.next();
    queue.close();
    expect(await last).toBeUndefined();
  });

  it('a queue of output drops the oldest pieces over the limit, and says how much', async () => {
    const queue = outputQueue(600);
    for (const text of ['1', '22', '333', '4444']) queue.push(output(text));
    const note = await queue.next();
    expect(note?.bytes.toString()).toBe('\n[3 bytes of output were left out here]\n');
    expect([await queue.next(), await queue.next()]).toEqual([output('333'), output('4444')]);
  });

  it('a queue of output keeps one piece of any size', async () => {
    const queue = outputQueue(10);
    queue.push(output('x'.repeat(100)));
    expect((await queue.next())?.bytes).toHaveLength(100);
  });
});
