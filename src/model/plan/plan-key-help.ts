/** The keys of a plan file, for people; see `key-help.ts`. */
import { AGENT_KEY_HELP } from '../agent/agent-key-help.ts';
import { BUDGET_KEY_HELP } from '../team/budget-key-help.ts';
import { TREE_KEY_HELP } from '../team/isolation-key-help.ts';
import { helpBelow, type KeyHelpTable } from '../text/key-help.ts';

const PLAN: KeyHelpTable = {
  name: {
    text: "The team's name: 1–64 lower-case letters, digits and inner hyphens. `--name` overrides it.",
    otherwise: "the file's name",
    example: 'nightly',
  },
  profile: { text: 'Which rules hold for messages and claims.', example: 'v8' },
  cwd: {
    text: "The directory that all members work in, relative to the plan's file.",
    otherwise: 'the directory where `teams run` was called',
    example: 'packages/api',
  },
  members: {
    text: 'The members of the team, at most `maxMembers` of the configuration (64).',
    example: [{ name: 'ada', agent: { kind: 'exec' } }],
  },
  tasks: {
    text: 'The tasks, at most 10,000. Their numbers begin at 1.',
    example: [{ subject: 'Test', run: 'npm test' }],
  },
  gates: { text: 'Checks that run after all tasks. A failed gate fails the run.', example: { test: 'npm test' } },
  cascade: {
    text: 'Follow-up tasks of a finished task, for all roles (`true`) or by the role of its worker.',
    default: false,
    example: { executor: 'test', 'test-engineer': 'none' },
  },
  cascadeDepth: {
    text: 'The most follow-up tasks of a chain: implement, test, review. 0: none.',
    otherwise: '`cascadeDepth` of the configuration',
    example: 1,
  },
  sharedFiles: {
    text: 'Patterns of files that only the lead changes. Members ask for a change in their results.',
    example: ['package.json'],
  },
  lead: {
    text: 'The agent that makes the changes of `sharedFiles`: an AgentSpec, or the name of an agent.',
    otherwise: 'no agent; the report lists the wishes as open',
    example: { kind: 'claude', tier: 'sonnet' },
  },
  envPass: {
    text: 'Names of variables of your environment that every member gets, besides the fixed list.',
    example: ['DATABASE_URL'],
  },
  approvals: {
    text: 'Who decides on what agents ask to do, for members that do not say otherwise: their sandbox, or you within the sandbox (`ask`). See [plans](plans.md#be-asked-before-an-agent-acts).',
    otherwise: '`approvals` of the configuration',
    example: 'ask',
  },
  approvalTimeout: {
    text: 'How long an agent waits for your permission before it counts as refused.',
    otherwise: '30 minutes',
    example: '10m',
  },
  sandbox: { text: 'How sandboxes of members are enforced.' },
  'sandbox.lend': {
    text: 'What programs of members in their isolation get besides what they need, and `sandbox.lend` of the configuration.',
    example: { read: ['~/data'], write: ['~/.cache/pip'] },
  },
  'sandbox.lend.read': { text: 'Files and directories that they may read.', example: ['~/data'] },
  'sandbox.lend.write': { text: 'Files and directories that they may change.', example: ['~/.cache/pip'] },
  'sandbox.lend.sockets': {
    text: 'Unix sockets that they may connect to.',
    example: ['/run/postgresql/.s.PGSQL.5432'],
  },
  isolation: {
    text: '`trees`: each member works in a tree of its own, and its changes land one after the other; `teams apply` brings them into your files. `auto`: so where it helps and is possible. `off`: all work in your files. See [isolation](isolation.md).',
    otherwise: '`off`, or `trees` if the configuration says so; for a task in words `isolation` of the configuration',
    example: 'trees',
  },
  'isolation.mode': { text: 'The mode, where trees need more than that.', otherwise: '`trees`', example: 'auto' },
  ...helpBelow('isolation', TREE_KEY_HELP),
  budget: {
    text: 'What the team may use together; see [budgets](budgets.md). A member and a task may have a budget, too.',
    otherwise: '`budget` of the configuration, else no limit',
    example: { cost: 5, tokens: 2_000_000 },
  },
  ...helpBelow('budget', BUDGET_KEY_HELP),
  decomposed: { text: 'What a planner divided. `teams run "TASK"` writes it; leave it out of plans by hand.' },
};

const MEMBERS: KeyHelpTable = {
  name: { text: 'A unique name: 1–64 lower-case letters, digits and inner hyphens.', example: 'ada' },
  role: { text: 'What the member is for. Reviewers and `explorer` only read.', example: 'code-reviewer' },
  agent: {
    text: 'What does the thinking: an AgentSpec, a kind, the name of a configured agent, or `auto`.',
    otherwise: '`defaultAgent` of the configuration',
    example: 'claude',
  },
  sandbox: {
    text: 'What the member may do to files.',
    otherwise: 'by its role',
    example: 'workspace-write',
  },
  env: {
    text: "Environment variables for the member's programs. They are stored in clear, so put no secret here.",
    default: {},
    example: { NODE_ENV: 'test' },
  },
  planApproval: { text: 'The member may only read until its plan for a task is approved.', example: true },
  where: {
    text: 'In a store: labels of the hosts on which the member may run (`teams host --labels`).',
    otherwise: 'on any host, or on the machine of the lead',
    example: ['gpu'],
  },
  approvals: {
    text: 'Who decides on what its agent asks to do: its sandbox, or you within the sandbox (`ask`).',
    otherwise: 'as the plan says',
    example: 'ask',
  },
  prompt: { text: 'What its agent is told of its role.', otherwise: "the role's own text" },
  budget: { text: 'What this member may use.', otherwise: 'no limit of its own', example: { cost: 2 } },
  ...helpBelow('budget', BUDGET_KEY_HELP),
};

const TASKS: KeyHelpTable = {
  key: { text: 'A unique name by which other tasks refer to this one.', example: 'build' },
  subject: { text: 'What the task is, on one line.', example: 'Implement the parser' },
  description: { text: 'The whole text of the task, for the agent.' },
  owner: {
    text: 'The member that does the task. Not together with `role`.',
    otherwise: 'any idle member that can do it',
    example: 'ada',
  },
  role: {
    text: 'Any idle member of this role does the task. Not together with `owner`.',
    otherwise: 'any idle member that can do it',
    example: 'executor',
  },
  run: {
    text: 'The command of the task: a text for `/bin/sh -c`, or an argv. It needs a member with an `exec` agent.',
    example: 'npm run build',
  },
  prompt: {
    text: 'A text for the agent. Not together with `run`.',
    otherwise: 'subject and description',
  },
  blockedBy: {
    text: 'Tasks that must end first: keys, subjects, codes at the head of a subject, or numbers in plan order.',
    default: [],
    example: ['build', 2],
  },
  files: { text: 'Patterns of the files that the task may write.', example: ['src/login/**'] },
  verify: {
    text: 'Commands that run after the turn. The first that fails makes the attempt a failed one.',
    example: ['npm test'],
  },
  timeout: {
    text: 'The longest time of the turn, and of each `verify` command. A bare number is seconds.',
    example: '30s',
  },
  retries: { text: 'How many failed attempts are forgiven: attempts allowed are 1 + `retries`.', example: 2 },
  env: {
    text: 'Environment variables for this task. They are stored in clear, so put no secret here.',
    default: {},
    example: { NODE_ENV: 'test' },
  },
  required: { text: 'With `false`, a failure of this task does not fail the run.', example: false },
  artifact: { text: 'A file that must exist afterwards and not be empty.', example: 'dist/index.html' },
  acceptance: {
    text: 'Sentences that must be true at the end. Agent and reviewer see them.',
    example: ['All tests pass.'],
  },
  tier: { text: 'How strong a model this task wants.', otherwise: "the member's", example: 'opus' },
  budget: { text: 'What this task may use.', otherwise: 'no limit of its own', example: { turns: 3 } },
  ...helpBelow('budget', BUDGET_KEY_HELP),
};

const GATES: KeyHelpTable = {
  ownership: { text: 'Compares all changed files with the `files` of the tasks. A file of no task fails the gate.' },
  build: {
    text: 'The build. `true` takes the configured or detected command; a text or a list is the command.',
    example: 'npm run build',
  },
  test: {
    text: 'The tests. `true` takes the configured or detected command; a text or a list is the command.',
    example: 'npm test',
  },
  lint: {
    text: 'The linter. `true` takes the configured or detected command; a text or a list is the command.',
    example: 'npm run lint',
  },
  crossVerify: { text: 'An agent of another vendor reads the work and answers PASS or FAIL, at most three rounds.' },
};

const DECOMPOSED: KeyHelpTable = {
  task: { text: 'The task in words that the planner divided.' },
  spec: { text: 'The specification before the task, for example `3:executor`.', example: '3:executor' },
  template: { text: 'The template that the division follows.' },
  boundaryFiles: { text: 'Files between two owners, and the member that may write each.' },
  'boundaryFiles[].file': { text: 'The path of the file.' },
  'boundaryFiles[].owner': { text: 'The member that may write the file.' },
};

export const PLAN_KEY_HELP: KeyHelpTable = {
  ...PLAN,
  ...helpBelow('members[]', MEMBERS),
  ...helpBelow('members[].agent', AGENT_KEY_HELP),
  ...helpBelow('tasks[]', TASKS),
  ...helpBelow('gates', GATES),
  ...helpBelow('lead', AGENT_KEY_HELP),
  ...helpBelow('decomposed', DECOMPOSED),
};
