/**
 * Frames that no SDK client sends: nonsense on every level of the protocol. The server survives, and its answers are
 * well formed.
 */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { TOOL_NAMES } from '../../../src/model/team/tool.ts';
import { until, Workplace } from '../../support/cli.ts';
import { bareServer, type Server } from '../../support/mcp-host.ts';
import { SIZES, TIMEOUT_MS } from '../../support/sizes.ts';

let place: Workplace;
beforeEach(() => {
  place = new Workplace();
});

const id = z.union([z.string(), z.number()]);
const answerSchema = z.union([
  z.strictObject({ jsonrpc: z.literal('2.0'), id, result: z.looseObject({}) }),
  z.strictObject({
    jsonrpc: z.literal('2.0'),
    id: z.union([id, z.null()]).optional(),
    error: z.looseObject({ code: z.int(), message: z.string().min(1) }),
  }),
  z.strictObject({ jsonrpc: z.literal('2.0'), method: z.string(), params: z.looseObject({}).optional() }),
]);
/** An answer of a tool is text, for any call. */
const toolResult = z.looseObject({
  content: z.tuple([z.looseObject({ type: z.literal('text'), text: z.string().min(1).max(65_536) })]),
  isError: z.literal(true).optional(),
});

const json = fc.jsonValue({ maxDepth: 3 });
const hostile = fc.constantFrom(
  '__proto__',
  'constructor',
  '../../etc',
  '\u0000',
  '\u202E',
  'login',
  'lead',
  'ada',
  '1',
);
const KEYS = [
  'taskId',
  'name',
  'recipient',
  'content',
  'prompt',
  'type',
  'status',
  'owner',
  'result',
  'blockedBy',
  'kind',
  'task_id',
  'subject',
  'description',
  'team_name',
  'request_id',
  'approve',
  'agent',
  '__proto__',
  'force',
];
const value = fc.oneof(
  json,
  hostile,
  fc.constantFrom('message', 'broadcast', 'completed', 'in_progress', true, [], {}),
);
const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bare', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const method = fc.constantFrom(
  'tools/list',
  'resources/list',
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
  'ping',
  'initialize',
  'logging/setLevel',
  'notifications/cancelled',
  'server/discover',
  'subscriptions/listen',
  'x/y',
);
/** Without TeamDelete, which would end the team of the others. */
const tool = fc.constantFrom(
  ...TOOL_NAMES.filter((name) => name !== 'TeamDelete'),
  'nothing',
  '__proto__',
  'tools/call',
);

const frame = fc.oneof(
  json.map((one) => JSON.stringify(one)),
  fc.string({ maxLength: 80 }).map((text) => text.replaceAll(/[\r\n]/g, ' ')),
  fc
    .record({ jsonrpc: fc.constantFrom('2.0', '1.0'), id: fc.oneof(fc.nat(), json), method: fc.string(), params: json })
    .map((one) => JSON.stringify(one)),
  fc
    .record({ name: tool, arguments: fc.oneof(json, fc.dictionary(fc.constantFrom(...KEYS), value)) })
    .map((params) => JSON.stringify({ jsonrpc: '2.0', id: 'tool', method: 'tools/call', params })),
  fc
    .tuple(method, fc.oneof(json, fc.record({ uri: fc.oneof(hostile, fc.constant('teams://login/tasks')) })))
    .map(([called, params]) => JSON.stringify({ jsonrpc: '2.0', id: 8, method: called, params })),
  fc
    .tuple(method, fc.dictionary(fc.string(), json, { maxKeys: 3 }))
    .map(([called, params]) =>
      JSON.stringify({ jsonrpc: '2.0', id: 9, method: called, params: { ...params, _meta: envelope } }),
    ),
);

/** Reads all output of a server and checks each line as it comes. */
function hearing({ stdout }: Server) {
  const heard = { answers: 0, bad: [] as string[], isOver: false };
  createInterface({ input: stdout }).on('line', (line) => {
    heard.answers += 1;
    heard.isOver ||= line.includes('"id":"last"');
    if (!isWellFormed(line) && heard.bad.length < 10) heard.bad.push(line);
  });
  return heard;
}

function isWellFormed(line: string): boolean {
  if (!line.startsWith('{')) return false;
  const answer = answerSchema.safeParse(JSON.parse(line));
  if (!answer.success) return false;
  const { data } = answer;
  return !('result' in data) || data.id !== 'tool' || toolResult.safeParse(data.result).success;
}

/** Sends `count` frames, and waits while they are not read. */
async function flood(server: Server, count: number): Promise<void> {
  for (let sent = 0; sent < count; sent += 1_000) {
    const some = fc.sample(frame, Math.min(1_000, count - sent));
    if (!server.stdin.write(`${some.join('\n')}\n`)) await once(server.stdin, 'drain');
  }
}

const WHO: readonly { who: string; args: readonly string[]; first: readonly [string, object][] }[] = [
  { who: 'a lead without a team', args: [], first: [] },
  {
    who: 'a lead with a team',
    args: [],
    first: [
      ['TeamCreate', { name: 'login' }],
      ['TaskCreate', { subject: 'One', description: 'x' }],
    ],
  },
  { who: 'a member', args: ['--team', 'login', '--as', 'ada'], first: [] },
];

describe.each(WHO)('frames of nonsense at $who', ({ who, args, first }) => {
  test(
    'nonsense frames leave a running server whose every answer is well formed',
    async () => {
      if (who === 'a member') await place.teams('create', 'login', '--member', 'ada');
      const { server, send } = bareServer(place, ...args);
      const heard = hearing(server);
      for (const [name, input] of first)
        send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } });
      await flood(server, Math.ceil(SIZES.rpcFrames / 3));
      send({ jsonrpc: '2.0', id: 'last', method: 'tools/list', params: {} });
      await until(() => heard.isOver, 'the last frame is answered', TIMEOUT_MS);
      expect(server.exitCode).toBeNull();
      server.stdin.end();
      await once(server, 'exit');
      expect([server.exitCode, heard.bad]).toEqual([0, []]);
      expect(heard.answers).toBeGreaterThan(SIZES.rpcFrames / 10);
    },
    TIMEOUT_MS,
  );
});

describe('a library that prints', () => {
  test('a library that prints, prints to stderr: stdout is the protocol’s alone', async () => {
    const noise = place.put(
      'noise.cjs',
      `const parse = JSON.parse; let isOn = false;
       JSON.parse = (text, ...more) => {
         isOn ||= String(text).includes('"initialize"');
         if (isOn) { console.log('noise'); process.stdout.write('noise\\n'); console.info('{"jsonrpc":"1.0"}'); }
         return parse(text, ...more);
       };`,
    );
    place.environment['NODE_OPTIONS'] = `--require ${noise}`;
    const { server, send } = bareServer(place);
    const heard = hearing(server);
    for (const called of ['tools/list', 'resources/list', 'ping']) send({ jsonrpc: '2.0', id: called, method: called });
    send({ jsonrpc: '2.0', id: 'last', method: 'tools/call', params: { name: 'Skill', arguments: {} } });
    await until(() => heard.isOver, 'the last frame is answered');
    server.stdin.end();
    await once(server, 'exit');
    expect(heard).toEqual({ answers: 5, bad: [], isOver: true });
  });
});
