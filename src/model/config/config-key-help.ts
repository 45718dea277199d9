/** The keys of a configuration file, for people; see `key-help.ts`. */
import { AGENT_KEY_HELP } from '../agent/agent-key-help.ts';
import { BUDGET_KEY_HELP } from '../team/budget-key-help.ts';
import { TREE_KEY_HELP } from '../team/isolation-key-help.ts';
import { helpBelow, type KeyHelpTable } from '../text/key-help.ts';

const CONFIG: KeyHelpTable = {
  maxAgents: { text: 'The most workers of a task in words, and the most members that follow-up tasks may add up to.' },
  hardCap: { text: 'The upper limit of `maxAgents`.' },
  maxMembers: { text: 'The most members of a plan, and another upper limit of `maxAgents`.' },
  defaultAgent: {
    text: 'The agent where none is named: a kind, a name of `agents`, or `auto` for the first available of `fallback`.',
    example: 'claude',
  },
  fallback: {
    text: 'Agents in order of preference, for `auto` and for an agent that fails.',
    example: ['claude', 'codex'],
  },
  defaultAgentType: { text: 'The role of a worker where no other role is named.' },
  defaultModel: { text: 'The tier of an agent where none is named.' },
  models: { text: 'The model of a tier, by kind of agent.', example: { openai: { haiku: 'gpt-5-mini' } } },
  prices: {
    text: 'Prices by model in US dollars for a million tokens. They go before the prices that are known.',
    example: { 'my-model': { input: 1, output: 5 } },
  },
  budget: { text: 'What a team may use together whose plan has no budget; see [budgets](budgets.md).' },
  ...helpBelow('budget', BUDGET_KEY_HELP),
  perDay: {
    text: 'What all your teams may use together in a day (UTC); see [budgets](budgets.md#a-limit-for-the-day).',
  },
  ...helpBelow('perDay', BUDGET_KEY_HELP),
  allowUnpriced: {
    text: 'A model without a price may work under a limit of cost; what it costs is then not counted.',
  },
  agents: {
    text: 'Agents by name, each an AgentSpec.',
    default: {},
    example: { fast: { kind: 'anthropic', tier: 'haiku' } },
  },
  monitorIntervalMs: { text: 'Milliseconds between two looks of the lead at its team.' },
  shutdownTimeoutMs: {
    text: 'Milliseconds from the request to stop to the first signal.',
    otherwise: "the profile's: 30,000 for relay, 15,000 for the others",
    example: 15_000,
  },
  watchdogWarningMs: { text: 'Milliseconds without progress of a task until its member is warned.' },
  watchdogReassignMs: {
    text: 'Milliseconds without progress until another member gets the task. More than `watchdogWarningMs`.',
  },
  maxConsecutiveErrors: {
    text: 'Failed tasks in a row until a member gets no new tasks (quarantine). Attempts that `retries` allows and exit codes of commands do not count.',
  },
  agentStallMs: { text: 'Milliseconds without any output of an agent until its turn is ended.' },
  enableCascade: { text: 'Plans that a planner makes have follow-up tasks.' },
  notify: {
    text: 'How the terminal of `run` and `watch` tells that something waits for you or that a run is over: by bell and, where the terminal can, on the desktop; by bell; not at all.',
  },
  cascadeDepth: { text: 'The most follow-up tasks of a chain: implement, test, review. 0: none.' },
  enableCrossCliVerification: { text: 'Plans that a planner makes are verified by an agent of another vendor.' },
  lockTimeoutMs: { text: 'Milliseconds that a write waits for a lock until it fails with LOCK_TIMEOUT.' },
  inboxMaxMessages: { text: 'The most messages of an inbox that are not read yet. A further one is refused: QUOTA.' },
  inboxMaxBytes: { text: 'The most bytes of an inbox that are not read yet. A further message is refused: QUOTA.' },
  agentSendRate: { text: 'The most messages that one agent may send in a second.' },
  relayTimeoutMs: { text: 'Milliseconds until a call of a planner or of a backend of `refine` and `relay` is ended.' },
  routing: { text: 'How the agent of a task is chosen.' },
  'routing.byType': { text: 'The type of a task chooses its agent before its domain does.' },
  approvals: {
    text: 'Who decides on what agents ask to do, in new teams whose plan says nothing of it: their sandbox, or you within the sandbox (`ask`). It holds in teams that an MCP host makes, too.',
    example: 'ask',
  },
  store: {
    text: 'The store of the teams of this project, a URL of PostgreSQL without a password: verbs work on the teams of the store. `--store` and `TEAMS_STORE` are stronger. See [several machines](scale-out.md).',
    otherwise: 'none',
    example: 'postgres://agents@db.example.org/agents',
  },
  isolation: {
    text: 'Whether each member works in a tree of its own, from which changes land and `teams apply` brings them into your files: `auto` for tasks in words where it helps and is possible, `trees` also for plans that say nothing, or `off`. See [isolation](isolation.md).',
    example: 'off',
  },
  'isolation.mode': { text: 'The mode, where trees need more than that.', otherwise: '`auto`', example: 'trees' },
  ...helpBelow('isolation', TREE_KEY_HELP),
  sandbox: { text: 'How sandboxes are enforced.' },
  'sandbox.bwrap': {
    text: 'Whether bubblewrap fences commands: where it works (`auto`), always or not at all (`required`), or never.',
  },
  'sandbox.lend': {
    text: 'What programs in their isolation get besides what they need. A path is absolute, or begins with `~/`.',
    example: { read: ['~/data'], write: ['~/.cache/pip'], sockets: ['/run/postgresql/.s.PGSQL.5432'] },
  },
  'sandbox.lend.read': { text: 'Files and directories that they may read.', example: ['~/data'] },
  'sandbox.lend.write': { text: 'Files and directories that they may change.', example: ['~/.cache/pip'] },
  'sandbox.lend.sockets': {
    text: 'Unix sockets that they may connect to.',
    example: ['/run/postgresql/.s.PGSQL.5432'],
  },
  safetyPoint: { text: 'What a run in a git repository keeps before agents write.' },
  'safetyPoint.maxFileBytes': {
    text: 'Larger untracked files are not kept; the report names them, and the undo does not touch them.',
  },
  subscribers: {
    text: 'Commands that get events of the team as lines of JSON on stdin, by the name of the event: `task.failed`, `task.*`, `*`.',
    example: { 'task.failed': '~/bin/notify', 'team.*': ['logger', '-t', 'teams'] },
  },
  hooks: {
    text: 'Commands of yours that get an event as JSON on stdin.',
    example: { onWaiting: 'notify-send waiting' },
  },
  'hooks.onTaskCompleted': {
    text: 'Before the end of a task is written. Exit code 2 refuses it, with the output as feedback.',
    example: './check.sh',
  },
  'hooks.onTeammateIdle': {
    text: 'A member has no more work. Exit code 2 sends it the output as a message.',
    example: ['./more-work.sh'],
  },
  'hooks.onWaiting': { text: 'A question or a plan waits for a person.', example: ['notify-send', 'teams waits'] },
  'hooks.onFinished': { text: 'The run is over. The event is the report.', example: 'notify-send "teams is done"' },
  gates: {
    text: 'Commands of the gates that a plan asks for with `true`.',
    example: { test: 'make check', lint: false },
  },
  'gates.build': { text: 'The build: a command, `true` to detect it, `false` for none.', example: 'make' },
  'gates.test': { text: 'The tests: a command, `true` to detect it, `false` for none.', example: 'make check' },
  'gates.lint': { text: 'The linter: a command, `true` to detect it, `false` for none.', example: false },
  'gates.sandbox': {
    text: 'Gates, `verify:` and hooks that may refuse run isolated if a member that wrote was: `auto`. `off`: as you.',
    example: 'off',
  },
  'gates.network': { text: 'Whether isolated gates, `verify:` and such hooks have a network.', example: true },
  telemetry: { text: 'Where a run is reported besides its files: `otlp` is an OpenTelemetry collector.' },
  envPass: {
    text: "Names of variables that every member gets from its lead's environment, besides the fixed list.",
    example: ['DATABASE_URL'],
  },
};

const PRICES: KeyHelpTable = {
  input: { text: 'US dollars for a million tokens of input.' },
  output: { text: 'US dollars for a million tokens of output.' },
  cacheRead: { text: 'US dollars for a million tokens that are read from a cache.', otherwise: 'as `input`' },
  cacheWrite: { text: 'US dollars for a million tokens that are written to a cache.', otherwise: 'as `input`' },
};

export const CONFIG_KEY_HELP: KeyHelpTable = {
  ...CONFIG,
  ...helpBelow('prices.*', PRICES),
  ...helpBelow('agents.*', AGENT_KEY_HELP),
};
