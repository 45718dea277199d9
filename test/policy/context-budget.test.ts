/** The size limits of a call, to the byte (docs/specification.md R9.9). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytesOf, clip, headOf, LIMITS, refusalOf, refusalText } from '../../src/policy/context-budget.ts';

const utf8 = (text: string): number => Buffer.byteLength(text, 'utf8');

describe('the limits', () => {
  it('the limits of a call are given in decimal bytes', () => {
    expect(LIMITS).toEqual({ context: 200_000, diff: 300_000, prompt: 500_000 });
  });

  it.each(['context', 'diff', 'prompt'] as const)(
    'the limit of the %s is exact to the byte, and a refusal gives the size',
    (part) => {
      const limit = LIMITS[part];
      expect(refusalOf(part, 'x'.repeat(limit))).toBeUndefined();
      expect(refusalOf(part, 'é'.repeat(limit / 2))).toBeUndefined();
      const over = refusalOf(part, `${'x'.repeat(limit - 1)}é`);
      expect(over).toEqual({ part, bytes: limit + 1, limit });
      expect(over && refusalText(over)).toMatch(
        new RegExp(`^The ${part} is [\\d,]+,001 bytes; the limit is [\\d,]+,000\\.$`),
      );
    },
  );
});

describe('bytes', () => {
  it('bytes are those of UTF-8, for any text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => bytesOf(text) === utf8(text)));
    fc.assert(
      fc.property(
        fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) }),
        (text) => bytesOf(text) === utf8(text),
      ),
    );
  });
});

describe('clipping', () => {
  it('clipping never cuts a character and never exceeds the limit', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), fc.nat(600), (text, limit) => {
        const clipped = clip(text, limit);
        expect(utf8(clipped)).toBeLessThanOrEqual(limit);
        expect(Buffer.from(clipped).toString()).toBe(clipped);
        if (utf8(text) <= limit) expect(clipped).toBe(text);
        expect(text.startsWith(headOf(text, limit))).toBe(true);
      }),
    );
  });

  it('clipping keeps the beginning and the end, and says how much is missing', () => {
    const text = `begin ${'🙂'.repeat(1_000)} end`;
    const clipped = clip(text, 400);
    expect(clipped).toMatch(/^begin 🙂+\n\[… 3,[\d]{3} of 4,010 bytes left out …\]\n🙂+ end$/u);
  });

  it('clipping a large text is fast', () => {
    expect(bytesOf(clip('é'.repeat(5_000_000), LIMITS.context))).toBeLessThanOrEqual(LIMITS.context);
  });
});
