import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { depthOf, isDeep, MAX_DEPTH } from '../../../src/model/text/json-depth.ts';
import {
  isMessageType,
  judgeReceived,
  mailMarks,
  mayPass,
  MESSAGE_TYPES,
  parseMail,
  sideOf,
  storedSchema,
  type MessageType,
  type Stored,
} from '../../../src/model/team/message.ts';
import { LEAD } from '../../../src/model/text/names.ts';
import { ada, bob } from '../world.ts';

const NAMES = [LEAD, ada, bob];

/** The table of docs/specification.md R2.3, written a second time. */
const ALLOWED: Record<MessageType, readonly string[]> = {
  message: ['lead → teammate', 'teammate → lead', 'teammate → teammate', 'lead → lead'],
  broadcast: ['lead → teammate', 'teammate → lead', 'teammate → teammate'],
  shutdown_request: ['lead → teammate'],
  shutdown_response: ['teammate → lead'],
  plan_approval_response: ['lead → teammate'],
};

const stored = (fields: Partial<Stored>): Stored => ({
  type: 'message',
  sender: 'ada',
  content: 'hi',
  timestamp: 1,
  ...fields,
});
const ours = (type: string, sender: string, recipient: string): Stored => stored({ type, sender, recipient, id: 'x' });

const PAIRS = NAMES.flatMap((from) => NAMES.map((to) => [from, to] as const));
const PRODUCT = MESSAGE_TYPES.flatMap((type) => PAIRS.map(([from, to]) => [type, from, to] as const));

describe('the role × type table', () => {
  it.each(PRODUCT)('%s from %s to %s', (type, from, to) => {
    const isAllowed = ALLOWED[type].includes(`${sideOf(from)} → ${sideOf(to)}`);
    expect(mayPass(type, from, to)).toBe(isAllowed);
    const judged = judgeReceived(ours(type, from, to), to);
    expect(judged.type).toBe(isAllowed ? type : 'message');
    expect(judged.denied?.includes(type)).toBe(isAllowed ? undefined : true);
  });

  it('the table is closed: every other type is plain text', () => {
    const foreign = [
      'task_assignment',
      'permission_response',
      'mode_set',
      'Message',
      'MESSAGE',
      ' message',
      '',
      '__proto__',
      'constructor',
      'toString',
      'shutdown',
    ];
    for (const type of foreign) {
      expect(isMessageType(type), type).toBe(false);
      for (const sender of ['lead', 'bob'])
        expect(judgeReceived(ours(type, sender, 'ada'), ada)).toEqual({ type: 'message' });
    }
  });

  it.each(['shutdown_request', 'plan_approval_response'] satisfies MessageType[])(
    'no %s is accepted without an id, a recipient and the right sender',
    (type) => {
      const line = ours(type, 'lead', 'ada');
      expect(judgeReceived(line, ada)).toEqual({ type });
      const { id: _, ...noId } = line;
      const { recipient: __, ...noRecipient } = line;
      for (const bad of [
        noId,
        noRecipient,
        { ...line, recipient: 'bob' },
        { ...line, sender: 'team-lead' },
        { ...line, sender: 'Lead' },
      ]) {
        const judged = judgeReceived(stored(bad), ada);
        expect(judged.type).toBe('message');
        expect(judged.denied).toBeDefined();
      }
    },
  );

  it('the table knows the lead by one name; an alias has no rights', () => {
    expect(NAMES.map((name) => sideOf(name))).toEqual(['lead', 'teammate', 'teammate']);
    expect(sideOf('coordinator')).toBe('teammate');
  });
});

describe('parseMail', () => {
  const four = '{"type":"message","sender":"a","content":"c","timestamp":1.5}';
  const good: [string, string][] = [
    ['the four required keys', four],
    ['a BOM before it', `\uFEFF${four}`],
    ['a CR behind it', `${four}\r`],
    ['white space around it', `  ${four}\t`],
    ['foreign keys', four.replace('{', '{"x":{"y":[1]},')],
    ['a foreign type', four.replace('"message"', '"greeting"')],
    [
      'colons and quotes in texts, and a key twice further in',
      four.replace('"c"', '"\\":{\\"a\\":1,:"').replace('{', '{"x":{"y":1,"y":2},'),
    ],
    ['U+2028, NUL and a lone surrogate, escaped', four.replace('"c"', '"\\u2028\\u0000\\ud800"')],
    [
      'all of our keys',
      four.replace(
        '}',
        ',"id":"i","recipient":"b","kind":"k","request_id":"r","task_id":"1","reply_to":"i","epoch":1,"hops":0,"data":{"a":[null]}}',
      ),
    ],
    [
      'the deepest allowed nesting',
      four.replace('}', `,"x":${'['.repeat(MAX_DEPTH - 1)}${']'.repeat(MAX_DEPTH - 1)}}`),
    ],
  ];
  it.each(good)('parseMail reads %s', (_, raw) => {
    expect(parseMail(raw)).toMatchObject({ ok: true, line: { sender: 'a', timestamp: 1.5 } });
  });

  it('parseMail keeps foreign keys and a foreign type unchanged', () => {
    const parsed = parseMail('{"type":"greeting","sender":"a","content":"c","timestamp":1,"x":{"y":[1]}}');
    expect(parsed.ok && parsed.line).toEqual({
      type: 'greeting',
      sender: 'a',
      content: 'c',
      timestamp: 1,
      x: { y: [1] },
    });
  });

  const bad: [string, string, RegExp][] = [
    ['nothing', '', /not a JSON object/],
    ['no JSON object', '[1]', /not a JSON object/],
    ['half a line', four.slice(0, -3), /./],
    ['two objects', four + four, /./],
    ['a NUL run', `\0\0\0${four}`, /NUL/],
    ['a NUL inside', four.replace('c"', 'c\0"'), /NUL/],
    ['a key missing', '{"type":"message","sender":"a","content":"c"}', /timestamp/],
    ['content that is not a string', four.replace('"c"', '7'), /content/],
    ['a time that is not a number', four.replace('1.5', '"1.5"'), /timestamp/],
    ['1e999', four.replace('1.5', '1e999'), /timestamp/],
    ['2^53+1 as a count', four.replace('}', ',"hops":9007199254740993}'), /hops/],
    ['a negative epoch', four.replace('}', ',"epoch":-1}'), /epoch/],
    ['a sender over the limit', four.replace('"a"', `"${'a'.repeat(129)}"`), /sender/],
    ['a blob that is not a hash', four.replace('}', ',"blob":"../../etc/passwd"}'), /blob/],
    ['one level too deep', four.replace('}', `,"x":${'['.repeat(MAX_DEPTH)}${']'.repeat(MAX_DEPTH)}}`), /nested/],
    ['depth 5,000', four.replace('}', `,"data":{"x":${'['.repeat(5_000)}${']'.repeat(5_000)}}}`), /nested/],
    ['depth 100,000, unclosed', `{"x":${'['.repeat(100_000)}`, /nested/],
    ['two senders', four.replace('}', ',"sender":"lead"}'), /repeated/],
    ['two senders, one of them escaped', four.replace('}', ',"\\u0073ender":"lead"}'), /repeated/],
    ['a foreign key twice', four.replace('{', '{"x":[{"x":1,"x":2}],"x":":",'), /repeated/],
    ['two __proto__', four.replace('{', '{"__proto__":1,"__proto__":2,'), /repeated/],
  ];
  it.each(bad)('parseMail sets aside %s', (_, raw, why) => {
    const parsed = parseMail(raw);
    expect(parsed.ok ? 'read' : parsed.why).toMatch(why);
  });

  it('parseMail keeps hostile keys as data', () => {
    const parsed = parseMail(
      four.replace('{', '{"__proto__":{"x":1},"data":{"__proto__":{"x":1},"constructor":{"prototype":{"x":1}}},'),
    );
    expect(parsed.ok).toBe(true);
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
    if (parsed.ok) expect(Object.getPrototypeOf(parsed.line)).toBe(Object.prototype);
  });

  it('parseMail reads what the schema reads, key by key, also of a message that no schema judges', () => {
    const ordinary = { type: 'message', sender: 'ada', content: 'c', timestamp: 1.5, id: 'x', recipient: 'bob' };
    const limits = [0, 1, 63, 64, 65, 127, 128, 129, 255, 256, 257].map((length) => 'é'.repeat(length));
    const values = fc.oneof(fc.constantFrom(...limits, '-0', null, true, -0, 1e300), fc.jsonValue());
    const keys = fc.constantFrom(...Object.keys(ordinary), 'kind', 'hops', 'blob', 'constructor', '__proto__', 'x');
    const change = fc.record({ key: keys, value: values, do: fc.constantFrom('set', 'remove', 'move') });
    const changed = fc.array(change, { maxLength: 3 }).map((changes) =>
      changes.reduce<readonly (readonly [string, unknown])[]>((lines, { key, value, do: what }) => {
        const others = lines.filter(([name]) => name !== key);
        const at = lines.findIndex(([name]) => name === key);
        if (what === 'remove') return others;
        if (what === 'move') return [...others, ...lines.filter(([name]) => name === key)];
        return at < 0 ? [...lines, [key, value] as const] : lines.with(at, [key, value]);
      }, Object.entries<unknown>(ordinary)),
    );
    fc.assert(
      fc.property(changed, (lines) => {
        const raw = `{${lines.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(',')}}`;
        const [read, known] = [parseMail(raw), storedSchema.safeParse(JSON.parse(raw))];
        expect(read.ok).toBe(known.success);
        if (read.ok) expect(JSON.stringify(read.line)).toBe(JSON.stringify(known.data));
      }),
      { numRuns: 3_000 },
    );
    const infinite = '{"type":"message","sender":"a","content":"c","timestamp":1e999,"id":"x","recipient":"b"}';
    expect(parseMail(infinite).ok).toBe(false);
    expect(parseMail(JSON.stringify(ordinary))).toEqual({ ok: true, line: ordinary });
  });

  it('parseMail never throws on any bytes', () => {
    const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array).toString('utf8'));
    const spliced = fc
      .tuple(fc.nat({ max: four.length }), fc.string({ unit: 'binary', maxLength: 5 }))
      .map(([at, text]) => four.slice(0, at) + text + four.slice(at + text.length));
    fc.assert(
      fc.property(fc.oneof(bytes, spliced, fc.json()), (raw) => void parseMail(raw)),
      { numRuns: 1_000 },
    );
  });
});

describe('depth', () => {
  it('the depth is the depth that a parser finds; brackets in strings do not count', () => {
    const deepest = (value: unknown): number =>
      value === null || typeof value !== 'object' ? 0 : 1 + Math.max(0, ...Object.values(value).map(deepest));
    fc.assert(
      fc.property(fc.jsonValue(), (value) => depthOf(JSON.stringify(value)) === deepest(value)),
      { numRuns: 500 },
    );
    expect(['"[[["', '["\\"[[",[]]', '["\\\\",[]]', '{"[":"]"}', '"', '"\\'].map(depthOf)).toEqual([0, 2, 2, 1, 0, 0]);
  });

  it('the depth of a short text is not measured; a long one over the limit is', () => {
    expect(isDeep('['.repeat(MAX_DEPTH) + ']'.repeat(MAX_DEPTH))).toBe(false);
    expect(isDeep('['.repeat(MAX_DEPTH + 1) + ']'.repeat(MAX_DEPTH + 1))).toBe(true);
  });

  it('the depth is measured in linear time', () => {
    const start = performance.now();
    for (const hostile of [
      '\\'.repeat(1_000_000),
      `"${'\\'.repeat(1_000_000)}`,
      '"\\"'.repeat(300_000),
      '"'.repeat(1_000_000),
    ])
      depthOf(hostile);
    expect(performance.now() - start).toBeLessThan(20_000);
  });
});

describe('what a line says to whoever delivers it', () => {
  const plain = { type: 'message', sender: 'ada', content: 'hello', timestamp: 1 };

  it.each([
    [
      { ...plain, id: 'a1' },
      { id: 'a1', type: 'message', blob: undefined },
    ],
    [
      { ...plain, id: 'a1', type: 'shutdown_request', blob: 'ab12' },
      { id: 'a1', type: 'shutdown_request', blob: 'ab12' },
    ],
    [plain, { id: '', type: 'message', blob: undefined }],
    [
      { id: 7, type: null, blob: ['x'] },
      { id: '', type: '', blob: undefined },
    ],
  ])('is in it: %j', (value, marks) => {
    expect(mailMarks(JSON.stringify(value))).toEqual(marks);
    // As its reader tolerates it.
    expect(mailMarks(`\uFEFF${JSON.stringify(value)}\r`)).toEqual(marks);
  });

  it.each(['', 'hello', '7', 'null', '[1]', '{"id":'])('is nothing in %j', (line) => {
    expect(mailMarks(line)).toEqual({ id: '', type: '', blob: undefined });
  });

  it('is the id that its reader finds', () => {
    fc.assert(
      fc.property(fc.record({ id: fc.string({ minLength: 1, maxLength: 40 }), content: fc.string() }), (given) => {
        const line = JSON.stringify({ ...plain, ...given });
        const read = parseMail(line);
        expect(read.ok && read.line.id).toBe(mailMarks(line).id);
      }),
    );
  });
});
