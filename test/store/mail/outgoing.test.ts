import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseMail, type Draft } from '../../../src/model/team/message.ts';
import { parseName } from '../../../src/model/text/names.ts';
import { safeJson } from '../../../src/model/text/safe-text.ts';
import { lineOf } from '../../../src/store/mail/outgoing.ts';

const ADA = parseName('member', 'ada');

describe('the line of a message', () => {
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
    fc.constantFrom('"', '\\', '\u2028', '\ud800', 'ü'),
  );

  it('of text alone is the JSON of its fields in their order, whatever is in them and whoever wrote before', () => {
    const recipient = fc.constantFrom(ADA, parseName('member', 'bob'));
    const type = fc.constantFrom<Draft['type'][]>('message', 'broadcast');
    const sender = fc.oneof(text, fc.constantFrom('lead', 'bob'));
    const message = fc.record({ type, sender, content: text, recipient, id: fc.oneof(text, fc.constant('x')) });
    const ms = fc.integer({ min: 0, max: 2 ** 48 });
    fc.assert(
      fc.property(fc.array(fc.tuple(message, ms), { minLength: 1, maxLength: 6 }), (mail) => {
        for (const [one, time] of mail) {
          const timestamp = time / 1_000;
          const id = one.id.slice(0, 200) || 'x';
          const { type, content, recipient } = one;
          const stored = { type, sender: one.sender.slice(0, 100), content, timestamp, id, recipient };
          const line = lineOf({ sender: stored.sender, recipient, draft: { type, content } }, id, timestamp);
          expect(line).toBe(`${safeJson(stored)}\n`);
          expect(parseMail(line)).toEqual({ ok: true, line: stored });
        }
      }),
    );
  });

  it('says nothing of what a caller leaves undefined', () => {
    const draft = { type: 'message', content: 'hi' } as const;
    const more = { kind: undefined, hops: undefined, data: undefined, reply_to: undefined };
    const line = lineOf({ sender: 'lead', recipient: ADA, draft }, 'x', 1);
    expect(lineOf({ sender: 'lead', recipient: ADA, draft: { ...draft, ...more } }, 'x', 1)).toBe(line);
    expect(lineOf({ sender: 'lead', recipient: ADA, draft: { ...draft, ...more, hops: 0 } }, 'x', 1)).toBe(
      `${line.slice(0, -2)},"hops":0}\n`,
    );
    const long = { sender: 's'.repeat(129), recipient: ADA, draft: { ...draft, ...more } };
    expect(() => lineOf(long, 'x', 1)).toThrow('"sender" to have at most 128 characters.');
  });

  it('of more than text has the rest after it', () => {
    const draft = { type: 'message' as const, content: 'hi', kind: 'note', data: { a: [1] } } satisfies Draft;
    expect(lineOf({ sender: 'lead', recipient: ADA, draft }, 'x', 1)).toBe(
      '{"type":"message","sender":"lead","content":"hi","timestamp":1,"id":"x","recipient":"ada","kind":"note","data":{"a":[1]}}\n',
    );
  });

  it.each<[string, { sender?: string; timestamp?: number; id?: string }, string]>([
    ['a sender that is too long', { sender: 's'.repeat(129) }, '"sender" to have at most 128 characters.'],
    ['a time that is none', { timestamp: Number.NaN }, '"timestamp" to be a number, got NaN.'],
    ['an id that is empty', { id: '' }, '"id" not to be empty.'],
    ['an id that is too long', { id: 'i'.repeat(257) }, '"id" to have at most 256 characters.'],
  ])('is not made with %s', (_, { sender = 'lead', timestamp = 1, id = 'x' }, why) => {
    const draft = { type: 'message', content: 'hi' } as const;
    expect(() => lineOf({ sender, recipient: ADA, draft }, id, timestamp)).toThrow(why);
  });
});
