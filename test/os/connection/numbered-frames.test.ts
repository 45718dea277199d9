import { describe, expect, it } from 'vitest';
import { NumberedFrames, numberedFrame } from '../../../src/os/connection/numbered-frames.ts';

const TEXTS = ['', 'x', 'ä\n"€"', 'y'.repeat(300)];
const SENT = Buffer.concat(TEXTS.map((text, number) => numberedFrame(number * 0x3fff_ffff, text)));

/** Passes the bytes on in pieces that end at these places. */
function readIn(places: readonly number[]): [number, string][] {
  const frames = new NumberedFrames(1_000);
  const found: [number, string][] = [];
  [...places, SENT.length].reduce((from, to) => {
    for (const { number, bytes } of frames.read(SENT.subarray(from, to))) found.push([number, bytes.toString('utf8')]);
    return to;
  }, 0);
  return found;
}

describe('numbered frames', () => {
  const whole = TEXTS.map((text, number) => [number * 0x3fff_ffff, text]);

  it('are the same texts wherever the system cuts them', () => {
    expect(readIn([])).toEqual(whole);
    for (let one = 0; one < SENT.length; one += 1) {
      expect(readIn([one]), String(one)).toEqual(whole);
      expect(readIn([one, Math.min(one + 9, SENT.length)]), String(one)).toEqual(whole);
    }
    expect(readIn(Array.from(SENT.keys()))).toEqual(whole);
  });

  it('give a text that stays as it is when more comes', () => {
    const frames = new NumberedFrames(1_000);
    const bytes = [...frames.read(SENT.subarray(0, 5)), ...frames.read(SENT.subarray(5))].map((one) => one.bytes);
    expect([...frames.read(Buffer.alloc(8, 0))]).toHaveLength(1);
    expect(bytes.map((one) => one.toString('utf8'))).toEqual(TEXTS);
  });

  it('refuse a frame that says it is too long, before it comes', () => {
    const frames = new NumberedFrames(10);
    expect(() => [...frames.read(numberedFrame(1, 'x'.repeat(11)).subarray(0, 8))]).toThrow(RangeError);
    expect([...new NumberedFrames(10).read(numberedFrame(1, 'x'.repeat(10)))]).toHaveLength(1);
  });
});
