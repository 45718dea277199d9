/** Verbs that make, fill, show and remove teams. */
import type { Verb } from '../verb.ts';

export const teams: readonly Verb[] = [
  {
    name: 'create',
    summary: 'make a team; nothing is started',
    words: '<team>',
    options: [
      { flags: '--member <name[:role]>', what: 'a member', many: true },
      { flags: '--profile <profile>', what: 'v8, forge, relay or pipeline (default: v8)' },
    ],
    examples: [
      { line: 'teams create login --member ada:explorer --member bob', what: 'a team of two' },
      { line: 'teams create login --json', what: 'prints {team}' },
    ],
    load: () => import('../commands/teams/create.ts'),
  },
  {
    name: 'spawn',
    summary: "have the team's lead start a teammate",
    words: '[team] [name]',
    options: [
      { flags: '--agent <agent>', what: 'a kind, a configured name, auto, exec:COMMAND or JSON' },
      { flags: '--role <role>', what: 'what it is for (default: executor)' },
      { flags: '--sandbox <sandbox>', what: 'read-only, workspace-write or full' },
      { flags: '--plan-approval', what: 'read-only until its plan is approved' },
    ],
    examples: [
      { line: 'teams spawn login ada --agent exec', what: 'runs the commands of its tasks' },
      { line: "teams spawn login bob --agent 'exec:npm test'", what: 'runs one command for each task' },
      {
        line: 'teams spawn login cy --agent claude --plan-approval',
        what: 'plans first; `teams task approve` lets it begin',
      },
    ],
    load: () => import('../commands/teams/spawn.ts'),
  },
  {
    name: 'lead',
    summary: 'lead a team: start its members, watch over them until it is deleted',
    words: '[team]',
    options: [
      { flags: '--detach', what: 'in the background, log in logs/lead.log' },
      { flags: '--takeover', what: 'replace a lead that is alive' },
    ],
    examples: [
      { line: 'teams lead login', what: 'in the foreground; Ctrl-C ends it' },
      { line: 'teams lead login --detach', what: 'prints team and pid' },
    ],
    load: () => import('../commands/teams/lead.ts'),
  },
  {
    name: 'worker',
    summary: 'be one teammate, in the foreground',
    words: '[team] [name]',
    options: [
      { flags: '--agent <agent>', what: 'a kind, a configured name, auto, exec:COMMAND or JSON' },
      { flags: '--role <role>', what: 'for a member that is not there yet (default: executor)' },
      { flags: '--idle-timeout <duration>', what: 'leave when nothing was to do for this long' },
    ],
    examples: [
      { line: 'teams worker login ada --agent exec', what: 'works on tasks as they come' },
      { line: 'teams worker login ada --agent exec --idle-timeout 30s', what: 'and leaves when there are none' },
    ],
    load: () => import('../commands/teams/worker.ts'),
  },
  {
    name: 'list',
    summary: 'the teams there are',
    options: [{ flags: '--all', what: 'archived ones too' }],
    examples: [
      { line: 'teams list', what: 'active teams' },
      { line: 'teams list --all --json', what: 'all of them, for a program' },
    ],
    load: () => import('../commands/teams/list.ts'),
  },
  {
    name: 'status',
    summary: 'a team at this moment: its members and its board',
    words: '[team]',
    examples: [
      { line: 'teams status', what: 'the only team there is' },
      { line: 'teams status login --json', what: 'for a program' },
    ],
    load: () => import('../commands/teams/status.ts'),
  },
  {
    name: 'delete',
    summary: 'stop a team and put it into the archive',
    words: '[team]',
    options: [
      { flags: '--force', what: 'no teammate may refuse' },
      { flags: '--now', what: 'no waiting' },
    ],
    examples: [
      { line: 'teams delete login', what: 'asks its teammates to stop first' },
      { line: 'teams delete login --force --now', what: 'at once' },
    ],
    load: () => import('../commands/teams/delete.ts'),
  },
  {
    name: 'prune',
    summary: 'remove archived teams',
    options: [
      { flags: '--older-than <duration>', what: 'only those archived longer ago (default: 720h)' },
      { flags: '--dry-run', what: 'only say which' },
    ],
    examples: [
      { line: 'teams prune --dry-run', what: 'which are older than 30 days' },
      { line: 'teams prune --older-than 24h --yes', what: 'remove those older than a day' },
    ],
    load: () => import('../commands/teams/prune.ts'),
  },
];
