import fc from 'fast-check';
import { expect, it } from 'vitest';
import { storedSchema } from '../../../src/model/team/message.ts';
import { compiledWhenHot } from '../../../src/model/text/hot-schema.ts';

const schema = storedSchema.omit({ data: true });
const four = { type: 'message', sender: 'ada', content: 'hello', timestamp: 1 };

it('a schema gives the same result after many uses', () => {
  const parse = compiledWhenHot({ schema: () => schema });
  for (let uses = 0; uses < 2_000; uses += 1) expect(parse(four).success).toBe(true);
  const keys = fc.constantFrom(...Object.keys(schema.shape), '__proto__', 'constructor', 'x');
  const values = fc.oneof(fc.jsonValue(), fc.string(), fc.nat(), fc.constant('a'.repeat(300)));
  const lines = fc.array(fc.tuple(keys, values), { maxLength: 6 }).map((entries) => {
    const text = [...Object.entries(four), ...entries].map(([key, value]) => `"${key}":${JSON.stringify(value)}`);
    return `{${text.join(',')}}`;
  });
  fc.assert(
    fc.property(lines, (line) => {
      const [now, first] = [parse(JSON.parse(line)), schema.safeParse(JSON.parse(line))];
      expect(now.success).toBe(first.success);
      expect(now.error?.issues).toEqual(first.error?.issues);
      expect(JSON.stringify(now.data)).toBe(JSON.stringify(first.data));
      expect(Object.getPrototypeOf(now.data ?? {})).toBe(Object.prototype);
    }),
    { numRuns: 1_000 },
  );
});
