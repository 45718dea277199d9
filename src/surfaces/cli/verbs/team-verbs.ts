/** Verbs that create, staff, show and remove teams. */
import type { Verb } from '../verb.ts';
import { budgetOptions } from './budget-options.ts';
import { TRUST } from './trust-option.ts';

export const teams: readonly Verb[] = [
  {
    name: 'create',
    summary: 'create a team; no process is started',
    words: '<team>',
    options: [
      { flags: '--member <name[:role]>', what: 'add a member, with an optional role', many: true },
      { flags: '--profile <profile>', what: 'the rules of the team: v8, forge, relay or pipeline (default: v8)' },
    ],
    examples: [
      { line: 'teams create login --member ada:explorer --member bob', what: 'a team of two members' },
      { line: 'teams create login --json', what: 'print {team}' },
    ],
    load: () => import('../commands/teams/create.ts'),
  },
  {
    name: 'spawn',
    summary: "ask the team's lead to start a teammate; needs a running lead (`teams lead`)",
    words: '[team] [name]',
    options: [
      { flags: '--agent <agent>', what: 'the agent: a kind, a configured name, auto, exec:COMMAND or JSON' },
      { flags: '--role <role>', what: 'the role of the teammate (default: executor)' },
      { flags: '--sandbox <sandbox>', what: 'what it may do to files: read-only, workspace-write or full' },
      { flags: '--plan-approval', what: 'the teammate may only read files until its plan is approved' },
      {
        flags: '--where <labels>',
        what: 'in a store: what the host must have on which it runs, such as gpu,arm64',
        many: true,
      },
      ...budgetOptions('this teammate'),
    ],
    examples: [
      { line: 'teams spawn login ada --agent exec', what: 'runs the commands of its tasks' },
      { line: "teams spawn login bob --agent 'exec:npm test'", what: 'runs one command for each task' },
      {
        line: 'teams spawn login cy --agent claude --plan-approval',
        what: 'plans first and starts after `teams task approve`',
      },
    ],
    load: () => import('../commands/teams/spawn.ts'),
  },
  {
    name: 'lead',
    summary: 'run the lead of a team: start its members and supervise them until the team is deleted',
    words: '[team]',
    options: [
      { flags: '--detach', what: 'run in the background; the log is logs/lead.log' },
      { flags: '--takeover', what: 'replace a lead that is still running' },
      { flags: '--cut-off-after <duration>', what: 'end when the store is not heard for so long (default 10m)' },
      TRUST,
      ...budgetOptions('the team'),
    ],
    examples: [
      { line: 'teams lead login', what: 'run in the foreground; Ctrl-C ends it' },
      { line: 'teams lead login --detach', what: 'run in the background; prints team and pid' },
    ],
    load: () => import('../commands/teams/lead.ts'),
  },
  {
    name: 'worker',
    summary: 'run one teammate in this terminal',
    words: '[team] [name]',
    options: [
      { flags: '--agent <agent>', what: 'the agent: a kind, a configured name, auto, exec:COMMAND or JSON' },
      { flags: '--join', what: 'join the team as a new member' },
      { flags: '--role <role>', what: 'the role of a new member (default: executor)' },
      { flags: '--idle-timeout <duration>', what: 'exit after this time without work' },
      { flags: '--cut-off-after <duration>', what: 'exit when the store is not heard for so long (default 10m)' },
      TRUST,
      ...budgetOptions('this teammate'),
    ],
    examples: [
      { line: 'teams worker login ada --agent exec', what: 'work on tasks as they become ready' },
      { line: 'teams worker login ada --agent exec --idle-timeout 30s', what: 'exit after 30 seconds without work' },
    ],
    load: () => import('../commands/teams/worker.ts'),
  },
  {
    name: 'list',
    summary: 'list teams',
    options: [{ flags: '--all', what: 'also list archived teams' }],
    examples: [
      { line: 'teams list', what: 'active teams' },
      { line: 'teams list --all --json', what: 'all teams, as JSON' },
    ],
    load: () => import('../commands/teams/list.ts'),
  },
  {
    name: 'status',
    summary: 'show the members and the board of a team',
    words: '[team]',
    examples: [
      { line: 'teams status', what: 'the only team' },
      { line: 'teams status login --json', what: 'as JSON' },
    ],
    load: () => import('../commands/teams/status.ts'),
  },
  {
    name: 'delete',
    summary: 'stop a team and move it to the archive',
    words: '[team]',
    options: [
      { flags: '--force', what: 'delete the team even if a teammate refuses to stop' },
      { flags: '--now', what: 'do not wait for teammates' },
    ],
    examples: [
      { line: 'teams delete login', what: 'ask the teammates to stop first' },
      { line: 'teams delete login --force --now', what: 'stop and archive at once' },
    ],
    load: () => import('../commands/teams/delete.ts'),
  },
  {
    name: 'prune',
    summary: 'remove archived teams permanently',
    options: [
      { flags: '--older-than <duration>', what: 'only teams archived longer ago than this (default: 720h)' },
      { flags: '--all', what: 'teams of any age, and the git refs of teams whose folders are gone' },
      { flags: '--dry-run', what: 'list what would be removed and remove nothing' },
    ],
    examples: [
      { line: 'teams prune --dry-run', what: 'list teams archived more than 30 days ago' },
      { line: 'teams prune --older-than 24h --yes', what: 'remove teams archived more than a day ago' },
      { line: 'teams prune --all', what: 'remove all archived teams, and what removed teams left in git' },
    ],
    storeless: true,
    load: () => import('../commands/teams/prune.ts'),
  },
];
