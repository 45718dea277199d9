/**
 * The goals, and their limits. A goal compares ours with a yardstick (`times`: the median of the ratios of each round)
 * or is a figure of ours alone (`figure`, with its unit). The numbers before the point are the rows of
 * docs/bench/README.md.
 */
const times = (says, limit) => ({ says, unit: '×', ...limit });
const figure = (says, unit, limit) => ({ says, unit, ...limit });
const atLeast = (least) => ({ least });
const atMost = (most) => ({ most });

const COMMAND_LINE = ['send', 'status', 'task list', 'task get', 'task claim', 'inbox', 'why', 'list', 'log'];
/** Verbs that only look: a living lead answers them. */
const LOOKING = ['status', 'task list', 'task get', 'inbox', 'why', 'list', 'log'];
const NOT_GROWING = [
  'send',
  'status',
  'task get',
  'task claim',
  'task claim --next',
  'task complete',
  'task create',
  'inbox',
  'why',
  'why of the team',
];

export const verbId = (row, verb) => `${row}.${verb.replaceAll(/[ -]+/g, '-')}`;

export const ledId = (verb) => verbId(11, `led ${verb}`);

export const GOALS = {
  '1.reference': times('send, 8 processes, one at a time: × the reference', atLeast(7)),
  '1.proper-lockfile': times('send, 8 processes, one at a time: × proper-lockfile', atLeast(100)),
  '1.raw': times('send, 8 processes, one at a time: × raw appends', atLeast(0.05)),
  '2.reference': times('group commit of 64: × the reference', atLeast(25)),
  '2.raw': times('group commit of 64: × raw single appends', atLeast(0.7)),
  3: times('durable group commit of 64, 8 processes: × one process that flushes', atLeast(25)),
  '4.fs-watch': times('delivery p50: × a bare fs.watch', atMost(3)),
  '4.chokidar': times('delivery p50: × chokidar', atMost(1 / 25)),
  '4.p99': times('delivery p99: × its p50', atMost(20)),
  '4.stuck': figure('messages stuck', 'messages', atMost(0)),
  '5.idle': figure('32 idle teammates', '% of a core', atMost(1)),
  '5.idle-200': figure('200 idle teammates', '% of a core', atMost(4)),
  '5.woken': figure('processes that a message wakes', 'processes', atMost(1)),
  '5.cpu': figure('processor time a message', 'ms', atMost(0.3)),
  '6.rss': times('drain of a million, resident memory: × the bare parser', atMost(1.2)),
  '6.lock': figure('drain of a million: the lock is held', 'ms', atMost(2)),
  '6.parse': times('drain of a million, speed: × bare JSON.parse', atLeast(0.4)),
  '7.sqlite': times('claims, 8 claimants: × SQLite WAL, neither flushed', atLeast(1)),
  '7.sqlite-durable': times('claims, 8 claimants, as shipped: × SQLite WAL, both flushed', atLeast(1.5)),
  '7.file-per-task': times('claims, 8 claimants: × a file per task', atLeast(10)),
  '7.growth': times('claims, 10,000 tasks: × the rate of 100 tasks', atLeast(1)),
  '7.double': figure('double and missed claims', 'tasks', atMost(0)),
  '8.sqlite': times('add and process, batches of 64: × a SQLite queue', atLeast(1.5)),
  '8.redis-stream': times('add and process, batches of 64: × a Redis stream', atLeast(3)),
  '8.jetstream': times('add and process, batches of 64: × JetStream', atLeast(10)),
  '8.bullmq': times('add and process, batches of 64: × BullMQ', atLeast(20)),
  '8.p50': times('p50 of single messages: × BullMQ', atMost(0.6)),
  '9.teammate': times('a teammate’s start: × an empty .cjs', atMost(1.8)),
  '9.version': times('teams --version: × an empty .cjs', atMost(1.2)),
  '9.pss': figure('an idle teammate, its share of memory (PSS)', 'MB', atMost(30)),
  '9.rss': times('an idle teammate, resident memory: × an empty Node', atMost(1.35)),
  '10.parallel': times('200 × `true` on 4 teammates: × GNU parallel -j4', atMost(1.5)),
  '10.growth': times('cost of a task, last 100 of 1,000: × the first 100', atMost(1)),
  ...Object.fromEntries(
    COMMAND_LINE.map((verb) => [
      verbId(11, verb),
      times(`teams ${verb}, processor time: × an empty .cjs`, atMost(1.6)),
    ]),
  ),
  ...Object.fromEntries(
    LOOKING.map((verb) => [
      ledId(verb),
      times(`teams ${verb} that a lead answers, processor time of its own process: × an empty .cjs`, atMost(1.3)),
    ]),
  ),
  ...Object.fromEntries(
    NOT_GROWING.map((verb) => [
      verbId(12, verb),
      times(`${verb} at 100,000 tasks, processor time: × at 100`, atMost(1.5)),
    ]),
  ),
  '12.list': figure('task list of all at 100,000 tasks, a row more than at 100', 'µs', atMost(10)),
  '12.mail': times('1,500 sends and takes, the last: × the first', atMost(1.3)),
  '12.lead-ready': figure('a lead of 100,000 tasks is ready in', 's', atMost(2)),
  '12.lead-memory': figure('a lead of 100,000 tasks, resident memory', 'MB', atMost(200)),
  '13.time': figure('a turn, over the CLI’s own time', 'ms', atMost(5)),
  '13.memory': figure('leading a CLI, memory of the teammate', 'MB', atMost(10)),
  '13.isolated': figure('a turn in an isolation, over one outside', 'ms', atMost(40)),
  '14.paint': figure('page of 5,000 tasks: first paint', 'ms', atMost(300)),
  '14.data': figure('page of 5,000 tasks: its board is there', 'ms', atMost(600)),
  '14.scroll': figure('page of 5,000 tasks: p99 frame while scrolling', 'ms', atMost(17)),
  '14.loop': figure('page of 5,000 tasks: the server’s loop, its worst pause', 'ms', atMost(100)),
  '14.watch': figure('watch at 200 events a second', '% of a core', atMost(15)),
  '15.attempt': figure('an attempt is kept', 'ms', atMost(150)),
  '15.attempt-50k': figure('an attempt is kept, 50,000 files', 'ms', atMost(1_000)),
  '15.land': times('a change lands: × git merge', atMost(1.5)),
  '15.first': figure('the first tree', 'ms', atMost(1_000)),
  '15.first-50k': figure('the first tree, 50,000 files', 'ms', atMost(6_000)),
  '16.rate': times('claims in a store, 8 claimants on 2 machines: × on files', atLeast(0.35)),
  '16.lost': times('claims that another had made: × those that were won', atMost(0.15)),
  '16.wake': times('send → handler on another machine, p50: × on files', atMost(3)),
  '16.promotion': figure('from the promotion of a standby to the next answer on two machines', 's', atMost(3)),
  '16.takeover': figure('a claim of a lost machine is taken over, with a lease of 10 s', 's', atMost(11)),
  '16.cold-open': times('a process opens a team of 10,000 tasks in a store: × on files', atMost(1.5)),
  '16.idle': figure('a member and its part of the relays, idle', '% of a core', atMost(0.5)),
  'fence.send': times('teams send in an isolation: × an empty Node program there', atMost(1.5)),
  'fence.mcp': figure('an MCP call through the socket, over one on stdio', 'ms', atMost(0.3)),
  'fence.gone': figure('processes of an isolation after kill -9 of its teammate', 'ms', atMost(100)),
  'manners.fairness-8': times('the slowest of 8 writers: × the mean', atLeast(1 / 3)),
  'manners.fairness-32': times('the slowest of 32 writers: × the mean', atLeast(1 / 3)),
  'manners.loop': figure('event-loop delay p99 with 1,000 waiting sends', 'ms', atMost(50)),
};

/**
 * Goals that cannot be met, each with the page that proves it. Where a least program is measured, too, it decides in each
 * run.
 */
export const WAIVED = {
  ...Object.fromEntries(COMMAND_LINE.map((verb) => [verbId(11, verb), 'docs/decisions/142-frequent-verbs.md'])),
  ...Object.fromEntries(
    [
      '1.reference',
      '1.raw',
      '4.fs-watch',
      '5.cpu',
      '6.rss',
      '6.parse',
      '8.sqlite',
      '8.redis-stream',
      '8.bullmq',
      '8.p50',
      '10.parallel',
    ].map((id) => [id, 'docs/decisions/154-the-least-a-rule-costs.md']),
  ),
};

/** The verbs of a row. */
export const VERBS = { commandLine: COMMAND_LINE, looking: LOOKING, notGrowing: NOT_GROWING };

/** `≥ 7 ×`, `≤ 30 MB`. */
export const limitText = ({ least, most, unit }) => {
  const bound = least ?? most;
  const number = bound < 1 && bound > 0 ? Number(bound.toPrecision(2)) : bound.toLocaleString('en');
  return `${least === undefined ? '≤' : '≥'} ${number} ${unit}`;
};
