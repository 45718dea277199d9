import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agentForm, agentRulesForm, markForm, reaperMessageForm } from '../../../src/model/agent/plain-agent.ts';
import { storedForm } from '../../../src/model/team/message.ts';
import { configForm, eventForm, processForm, stateForm } from '../../../src/model/config/plain-documents.ts';
import { isList, type DocumentForm } from '../../../src/model/text/plain-fields.ts';
import { checkpointForms } from '../../../src/store/board/checkpoint/checkpoint-forms.ts';
import { tokenForm } from '../../../src/store/lock/token.ts';
import { replicaMarkForm } from '../../../src/store/replica/replica-root.ts';
import { ownerForm } from '../../../src/store/team/lease.ts';
import { ulid } from '../world.ts';

const agent = { kind: 'claude', model: 'opus', options: { permissionMode: 'plan' } };
const member = { name: 'ada', agent_id: 'ada@hello', status: 'active', role: 'executor', color: 36 };
const allOfMember = {
  ...member,
  agent,
  sandbox: 'read-only',
  env: { A: '1', 2: 'b', 1: 'a' },
  plan_approval: true,
  where: ['gpu'],
  approvals: 'ask',
  approval_ms: 5,
  prompt: 'p',
  role_spec: 'roles/a.md',
  revision: 0,
  leaving: true,
};
const config = { version: 1, name: 'hello', created_at: 1.5, profile: 'v8', epoch: 0, members: [member] };
const written = { ...config, places: 'relative', team: ulid(1), seal: 'f' };
const allOfConfig = {
  ...written,
  session_id: 's',
  requirement: 'r',
  pipeline: 'lifecycle',
  subagents: [agent],
  cwd: 'a',
  plan_dir: '.',
  env_pass: ['HTTP_PROXY'],
  isolation: 'trees',
  approvals: 'ask',
  allowed: [{ tool: 'Bash', hash: 'h', text: 't', at: '2026' }],
  members: [member, allOfMember],
  writers: [{ role: 'executor', agent: { kind: 'exec' }, sandbox: 'full', more: 1 }],
};
const rare = {
  ...written,
  trees: { lend: [], setup: ['npm ci'], teardown: [] },
  lend: { read: [], write: [], sockets: [] },
  division: { shared: [], boundary: [{ file: 'a', owner: 'ada' }] },
};

const worker = {
  id: 'ada',
  taskIds: ['1'],
  agentType: 'executor',
  model: 'opus',
  routing: 'r',
  mcpJobId: null,
  exclusiveFiles: ['a'],
  status: 'idle',
  consecutiveErrors: 0,
  restartCount: 1,
  lastActivity: '2026',
  completedTasks: 2,
  totalAssigned: 3,
  spawnedAt: '2026',
};
const state = {
  version: 1,
  teamName: 'hello',
  status: 'active',
  createdAt: '2026',
  template: 't',
  prompt: 'p',
  phase: 'executing',
  workers: [worker],
  sharedFiles: [],
  boundaryFiles: ['b'],
  cascadeEnabled: false,
  cascadeDepth: 0,
  completedTasks: 0,
  totalTasks: 1,
  failedTasks: 0,
  crossCliVerification: { enabled: true, verifier: null, result: 'r' },
  epoch: 1,
  gates: [{ name: 'build', result: 'pass', notes: 'n' }],
};
const commit = 'a'.repeat(40);
const allOfState = {
  ...state,
  planHash: 'h',
  finishedAt: '2026',
  exitCode: 0,
  estimate: {
    turns: { median: 1, p90: 2.5 },
    tokens: null,
    usd: { median: 0, p90: 0.1 },
    durationMs: null,
    pastTasks: 3,
    unknown: ['exec'],
  },
  start: { commit, directory: 'd', git: { directory: 'a', common: 'b', objects: 'c', refs: 'd' }, leftOut: ['big'] },
  lives: [{ start: commit, end: commit, since: 1, leftOut: [], landed: commit, task: '1', back: true, undone: true }],
  host: 'leads',
  waitsFor: 'trust',
  landing: { why: 'w', since: '2026' },
  noiseOffset: 0,
  viewsOffset: 9,
  seal: 's',
  team: ulid(1),
};

const mark = { kind: 'environment', id: 'i', run: ulid(2), since: 0, bootId: 'b' };
const low = 657754656473089;
const locks = { ...mark, kind: 'limit', resource: 'locks', low, high: low + 65_534, value: low + 5 };
const queue = { ...mark, kind: 'limit', resource: 'msgqueue', low: 256, high: 500, value: 256 };
const identity = { pid: 5, startTime: '1', bootId: 'b', pidNamespace: 'pid:[1]' };
const folder = { dev: 1, ino: 2, born: 1.5 };
const record = {
  version: 1,
  name: 'lead',
  phase: 'running',
  ...identity,
  incarnation: ulid(3),
  tokenHash: 'h',
  mark: locks,
  folder: { path: '/a', ...folder },
  marks: [mark, queue],
  run: ulid(2),
  revision: 1,
  by_hand: true,
  host: 'h',
  started_at: 1.5,
  hops: 0,
  note: { state: 'idle', reason: 'r', since: 1, until: 2, more: 3 },
};
const mail = { type: 'message', sender: 'ada', content: 'c', timestamp: 1 };
const allOfMail = {
  ...mail,
  id: 'i',
  recipient: 'bob',
  kind: 'k',
  request_id: 'r',
  task_id: '1',
  reply_to: 'i',
  epoch: 0,
  hops: 8,
  data: { a: [1, null, { b: true }] },
};

const counts = { total: 3, blocked: 0, pending: 1, in_progress: 1, landing: 0, completed: 1 };
const header = {
  format: 9,
  log: { offset: 900, ino: 7, first: 'a', last: 'b' },
  team: { id: ulid(1), name: 'hello' },
  version: 2,
  profile: 'v8',
  claimMode: 'auto',
  phase: 'open',
  lead: { epoch: 1, incarnation: ulid(4), since: '2026' },
  members: [{ name: 'ada', role: 'executor', prefixes: ['IMPL'], state: 'joined', incarnation: null }],
  busy: [['ada', '2']],
  tally: { ...counts, failed: 0, skipped: 1, cancelled: 0 },
  lastTaskId: 3,
  lastEvent: ulid(9),
  lists: [['pending', 24]],
  open: [{ id: '1', state: 'open', more: 1 }],
  sizes: { waiting: 0, unresolved: 1, unique: 2, seen: 9, requests: 1, vouchers: 0 },
  pages: { tasks: 1, marks: 1, subjects: 1, seen: 1, lists: 1 },
};
const task = { id: '1', status: 'pending', subject: 's', blockedBy: ['2'], work: { verify: [], env: {}, files: [] } };
const voucher = {
  event: ulid(2),
  mac: 'm',
  signature: 's',
  commands: [{ task: '1', run: 'true', verify: [], env: {} }],
};
const past = {
  members: [['ada', { spawnedAt: '2026', given: 1, completed: 1, failures: 0, workedMs: 0.5 }]],
  held: [['1', { member: 'ada', epoch: 1, at: '2026' }]],
  unblocked: [['1', { task: '1', owner: 'lead', blocker: '2', event: ulid(3) }]],
  depth: 1,
  trace: {
    members: [
      ['ada', { joined: 'a', started: 'b', freed: 'c', left: 'd', acted: 'e', records: [1], ofProcess: [] }],
      ['bob', { records: [], ofProcess: [2] }],
    ],
    opened: 'a',
    closing: 'b',
    closed: 'c',
    paused: 'd',
    changed: 'e',
    records: [0, 9],
  },
  noise: [{ at: 1, end: 2, lines: 1, why: 'w' }],
};

interface Documents {
  readonly name: string;
  readonly form: DocumentForm<object>;
  /** Read without the schema. */
  readonly plain: readonly object[];
  /** Left to the schema. */
  readonly left?: readonly object[];
}

const ALL: readonly Documents[] = [
  { name: 'config', form: configForm, plain: [config, written, allOfConfig], left: [rare] },
  { name: 'state', form: stateForm, plain: [state, allOfState], left: [{ ...state, gates: undefined }] },
  {
    name: 'process',
    form: processForm,
    plain: [{ version: 1, name: 'ada', phase: 'spawning', mark, run: 'r', folder }, record],
  },
  { name: 'mark', form: markForm, plain: [mark, locks, queue], left: [{ ...queue, resource: undefined }] },
  {
    name: 'reaper message',
    form: reaperMessageForm,
    plain: [{ add: locks, pids: [identity, identity] }, { add: mark, pids: [] }, { remove: 'i' }, { done: true }],
    left: [{ add: mark }, { remove: 'i', more: 1 }],
  },
  {
    name: 'agent',
    form: agentForm,
    plain: [
      { kind: 'exec' },
      agent,
      { command: ['a', 'b'], ...agent, tier: 'haiku', args: ['-x'], env: { A: 'b' }, shutdown: 'ask' },
    ],
    left: [
      { kind: 'exec', command: 'true' },
      { kind: 'openai', baseUrl: 'http://localhost', env: { A: 1 } },
    ],
  },
  {
    name: 'rules',
    form: agentRulesForm,
    plain: [
      { fallback: [], models: {}, defaultModel: 'sonnet' },
      {
        fallback: [agent, { kind: 'codex' }],
        models: { openai: { opus: 'x', haiku: 'y' }, claude: {} },
        defaultModel: 'opus',
        stallMs: 5,
        prices: { b: { input: 1, output: 0.5, cacheWrite: 0 }, a: { output: 1, input: 1 } },
        allowUnpriced: false,
      },
    ],
  },
  {
    name: 'mail',
    form: storedForm,
    plain: [mail, allOfMail, { ...allOfMail, more: 1 }],
    left: [{ ...mail, blob: 'b' }],
  },
  {
    name: 'event',
    form: eventForm,
    plain: [
      { type: 'lead.took', at: '2026' },
      { type: 'agent.printed', at: '2026', member: 'ada', task: '1', text: 't', more: { a: [1] } },
    ],
  },
  {
    name: 'header of a checkpoint',
    form: checkpointForms.header,
    plain: [header, { ...header, members: [], busy: [], lists: [], open: [] }],
    left: [
      { ...header, common: { kind: 'none' } },
      { ...header, format: 8 },
      { ...header, more: 1 },
    ],
  },
  {
    name: 'page of tasks',
    form: checkpointForms.rows,
    plain: [
      [
        [task, ['3'], 1, ['ada', 'lead'], [0, 5], [], null],
        [task, [], 0, [], [], [1], 1],
      ],
    ],
    left: [[[task, [], 0, [], [], []]]],
  },
  {
    name: 'page of marks',
    form: checkpointForms.marks,
    plain: [
      [['key a', '1']],
      [
        ['a', '1'],
        ['b', '2'],
      ],
    ],
  },
  {
    name: 'page of subjects',
    form: checkpointForms.subjects,
    plain: [
      [
        [4_294_967_295, '1'],
        [0, '2'],
      ],
    ],
  },
  { name: 'page of requests', form: checkpointForms.requests, plain: [[{ id: '1', state: 'answered', more: [1] }]] },
  {
    name: 'page of vouchers',
    form: checkpointForms.vouchers,
    plain: [
      [
        [voucher, ['1']],
        [{ event: ulid(1), commands: [] }, []],
      ],
    ],
  },
  {
    name: 'page of the past',
    form: checkpointForms.past,
    plain: [past, { ...past, trace: { members: [], records: [] } }],
  },
  {
    name: 'mark of a replica',
    form: replicaMarkForm,
    plain: [
      { version: 1, store: 'postgres://host/teams' },
      { version: 1, store: 's', folder },
    ],
    left: [
      { version: 2, store: 's' },
      { version: 1, store: 's', more: 1 },
    ],
  },
  {
    name: 'token',
    form: tokenForm,
    plain: [
      { ...identity, nonce: '0123456789abcdef' },
      { ...identity, nonce: '0123456789abcdef', folder },
    ],
  },
  {
    name: 'lease',
    form: ownerForm,
    plain: [
      { ...identity, since: 1 },
      { ...identity, since: 1, folder },
    ],
  },
];

/** What is read without the schema is what the schema reads, with its keys in their order. */
function agrees({ schema, plain }: DocumentForm<object>, value: unknown): boolean {
  const read = plain?.(value);
  if (read === undefined) return false;
  const parsed = schema().parse(value);
  expect(read).toStrictEqual(parsed);
  expect(JSON.stringify(read)).toBe(JSON.stringify(parsed));
  expect(Object.isFrozen(read)).toBe(Object.isFrozen(parsed));
  return true;
}

/** Every value that is somewhere in another one, with the way to it. */
function* places(value: unknown, way: readonly string[] = []): Generator<readonly string[]> {
  yield way;
  if (typeof value === 'object' && value !== null)
    for (const [key, one] of Object.entries(value)) yield* places(one, [...way, key]);
}

function put(value: unknown, [key, ...way]: readonly string[], change: (old: unknown) => unknown): unknown {
  if (key === undefined) return change(value);
  if (typeof value !== 'object' || value === null) return value;
  const changed = (name: string, old: unknown): unknown => (name === key ? put(old, way, change) : old);
  return isList(value)
    ? value.map((old, at) => changed(String(at), old))
    : Object.fromEntries(Object.entries(value).map(([name, old]) => [name, changed(name, old)]));
}

const long = (length: number): string => 'a'.repeat(length);
const TEXTS = ['', 'x', 'con', 'lead', '-x', 'a\0b', '0', 'Ada', 'exec', 'http://a', commit, 'a=b', '\n'];
const NUMBERS = [-1, -0, 0, 1, 1.5, 255, 256, 2 ** 53, -(2 ** 53), 1e21, NaN, Infinity];
const LISTS = [[], [1], ['1'], [null], [''], [[]], Array(1_001).fill('1'), [{}], [{ kind: 'exec' }]];
const OTHERS: readonly unknown[] = [
  null,
  true,
  false,
  {},
  { a: 1 },
  { a: 'b' },
  { constructor: 'a', toString: 'b' },
  { 2: 'b', 1: 'a' },
];
const VALUES: readonly unknown[] = [
  ...TEXTS,
  ...[32, 40, 64, 128, 200, 256, 65_536].flatMap((most) => [long(most), long(most + 1)]),
  ...NUMBERS,
  ...LISTS,
  ...OTHERS,
  { kind: 'exec' },
  { median: 1, p90: -1 },
  undefined,
];

describe.each(ALL)('a document that is read without a schema: $name', ({ form, plain, left = [] }) => {
  it('is what the program writes', () => {
    for (const one of plain) expect(agrees(form, one)).toBe(true);
    for (const one of plain.filter((one) => !isList(one)))
      expect(agrees(form, Object.fromEntries(Object.entries(one).reverse()))).toBe(true);
    for (const one of left) expect(form.plain?.(one)).toBeUndefined();
  });

  it('is read as the schema reads it, or left to it, for a value of another kind in any place', () => {
    let read = 0;
    for (const one of plain)
      for (const way of places(one)) {
        for (const value of VALUES)
          read += Number(
            agrees(
              form,
              put(one, way, () => value),
            ),
          );
        agrees(
          form,
          put(one, way, (old) => (typeof old === 'object' ? { ...old, more: [] } : old)),
        );
        agrees(
          form,
          put(one, way, (old) => (isList(old) ? [...old, old[0]] : old)),
        );
      }
    expect(read).toBeGreaterThan(10);
  });

  it('has no key that names a prototype', () => {
    for (const one of plain) {
      const text = JSON.stringify(one);
      for (const { index } of text.matchAll(/\{/g)) {
        const changed = `${text.slice(0, index + 1)}"__proto__":{"a":1},${text.slice(index + 1)}`.replace(',}', '}');
        agrees(form, JSON.parse(changed));
      }
    }
  });

  it('is read as the schema reads it, or left to it, for any JSON in any place', () => {
    fc.assert(
      fc.property(fc.constantFrom(...plain), fc.nat(), fc.jsonValue(), (one, at, value) => {
        const ways = [...places(one)];
        agrees(
          form,
          put(one, ways[at % ways.length] ?? [], () => value),
        );
      }),
      { numRuns: 1_000 },
    );
  });
});
