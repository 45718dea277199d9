/**
 * Every `TEAMS_*` variable that our processes hand to each other. A person sets configuration by variables as well; their
 * names follow from the keys (`model/config/config-env.ts`), and the second group below repeats the few that a lead
 * hands down.
 */

/** What a teammate, a task's command and an agent's tools find in their environment. */
const RUNTIME = {
  /** The directory that holds `.teams` and `.tasks`. */
  root: 'TEAMS_ROOT',
  team: 'TEAMS_TEAM',
  member: 'TEAMS_MEMBER',
  role: 'TEAMS_ROLE',
  /** Proves which member a process belongs to. */
  token: 'TEAMS_TOKEN',
  /** The same for commands of Codex, which hands on no variable whose name contains KEY, SECRET or TOKEN. */
  proof: 'TEAMS_PROOF',
  /** In a program's isolation, instead of the token: the socket by which it speaks as its member. */
  socket: 'TEAMS_SOCKET',
  /** The run's ULID, for people. */
  run: 'TEAMS_RUN',
  /** The mark by which the sweep finds a process (`os/mark-environment.ts`). */
  mark: 'TEAMS_MARK',
  /** A persistent program and all that it starts carry this. */
  program: 'TEAMS_PROGRAM',
  taskId: 'TEAMS_TASK_ID',
  /** A file with the task as JSON. */
  taskFile: 'TEAMS_TASK_FILE',
  /** A file with the mail of this turn, one message a line. */
  mailFile: 'TEAMS_MAIL_FILE',
  /** The hash of the task's commands, which its runner found to be given by its user. */
  vouched: 'TEAMS_VOUCHED',
  /** What the person who retried the task says to this attempt. */
  note: 'TEAMS_NOTE',
  /** The directory of the plan file. */
  planDir: 'TEAMS_PLAN_DIR',
  /** With trees: the first of ten ports for what this member starts. */
  portBase: 'TEAMS_PORT_BASE',
  /** A pipeline role: the phase of the turn, 2 to 4. */
  phase: 'TEAMS_PHASE',
  requirement: 'TEAMS_REQUIREMENT',
  roleSpec: 'TEAMS_ROLE_SPEC',
  /** The session folder of a pipeline, and its id. */
  session: 'TEAMS_SESSION',
  sessionId: 'TEAMS_SESSION_ID',
  /** A subagent of a role: `discuss` or `explore`, and what it is asked for. */
  subagent: 'TEAMS_SUBAGENT',
  perspective: 'TEAMS_PERSPECTIVE',
  angle: 'TEAMS_ANGLE',
  artifact: 'TEAMS_ARTIFACT',
  round: 'TEAMS_ROUND',
  /** Set inside of a refine loop: loops do not nest. */
  refine: 'TEAMS_REFINE',
  /** Agents that may replace another, and models by tier, as JSON. */
  agentRules: 'TEAMS_AGENT_RULES',
  /** Milliseconds without a word of the team's store after which a member ends. */
  cutOffAfter: 'TEAMS_CUT_OFF_AFTER',
  /** Public keys whose signatures count as the user's, separated by commas. A person may set it as well. */
  trust: 'TEAMS_TRUST',
  /** The command of the hook `onTaskCompleted`, as JSON. */
  hookOnTaskCompleted: 'TEAMS_HOOK_ON_TASK_COMPLETED',
} as const;

/** What a person sets, and no program of a member gets. */
const OF_A_PERSON = {
  /** The URL of a store; it may have a password. */
  store: 'TEAMS_STORE',
} as const;

/** Configuration keys that a lead hands down to its teammates, under the keys' own variables. */
const HANDED_DOWN = {
  agentSendRate: 'TEAMS_AGENT_SEND_RATE',
  maxConsecutiveErrors: 'TEAMS_MAX_CONSECUTIVE_ERRORS',
  inboxMaxMessages: 'TEAMS_INBOX_MAX_MESSAGES',
  inboxMaxBytes: 'TEAMS_INBOX_MAX_BYTES',
  sandboxBwrap: 'TEAMS_SANDBOX_BWRAP',
  sandboxLend: 'TEAMS_SANDBOX_LEND',
  gatesSandbox: 'TEAMS_GATES_SANDBOX',
  gatesNetwork: 'TEAMS_GATES_NETWORK',
} as const;

export const ENV = { ...RUNTIME, ...OF_A_PERSON, ...HANDED_DOWN } as const;

/** True for a variable that is no configuration, however similar to a key it looks. */
export const isRuntimeVariable = (name: string): boolean =>
  Object.values({ ...RUNTIME, ...OF_A_PERSON }).some((one) => one === name);
