/** What a relay answers is read by hand: as the schema below would, which it had. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { relayAnswer, relayAnswerIn, type RelayAnswer } from '../../../src/store/replica/relay-answer.ts';

const schema = z.union([
  z.object({
    ok: z.literal(true),
    owner: z.string().optional(),
    isBehind: z.boolean().optional(),
    text: z.string().optional(),
  }),
  z.object({ ok: z.literal(false), code: z.string(), why: z.string() }),
]);

it.each<RelayAnswer>([
  { ok: true },
  { ok: true, owner: '{"pid":1}' },
  { ok: true, isBehind: false },
  { ok: true, text: '' },
  { ok: false, code: 'TEAM_GONE', why: 'It is gone.' },
])('an answer is read as it was given', (answer) => {
  expect(relayAnswerIn(relayAnswer(answer))).toEqual(answer);
});

it('what is an answer, and what is none, is as by the schema', () => {
  const value = fc.oneof(fc.constantFrom(true, false, null, 0, ''), fc.string(), fc.array(fc.string()));
  const keys = ['ok', 'owner', 'isBehind', 'text', 'code', 'why', 'more'];
  const answer = fc.oneof(
    fc.record(Object.fromEntries(keys.map((key) => [key, value])), { requiredKeys: ['ok'] }),
    fc.record(
      { ok: fc.constant(true), owner: fc.string(), isBehind: fc.boolean(), text: value },
      { requiredKeys: ['ok'] },
    ),
    fc.record({ ok: fc.constant(false), code: fc.string(), why: value }, { requiredKeys: ['ok', 'code'] }),
    fc.jsonValue(),
  );
  fc.assert(
    fc.property(answer, (one) => {
      expect(relayAnswerIn(JSON.stringify(one))).toEqual(schema.safeParse(JSON.parse(JSON.stringify(one))).data);
    }),
    { numRuns: 2_000 },
  );
  for (const text of ['', 'ok', '{"ok":true', '```json\n{"ok":true}\n```']) expect(relayAnswerIn(text)).toBeUndefined();
});
