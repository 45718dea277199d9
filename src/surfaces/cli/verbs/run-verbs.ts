/** Verbs that run a plan, and verbs for an existing run: resume, wait, cancel. */
import type { Verb } from '../verb.ts';
import { budgetOptions } from './budget-options.ts';
import { TRUST } from './trust-option.ts';

export const runs: readonly Verb[] = [
  {
    name: 'run',
    summary: 'run a plan, or a task that a planner divides: start the team, supervise it, report',
    words: '[spec] [task...]',
    options: [
      {
        flags: '--agent <agent>',
        what: 'the agent of members without one: a kind, a configured name, auto, exec:COMMAND or JSON',
      },
      { flags: '--planner <agent>', what: 'the agent that divides a task into tasks (default: the default agent)' },
      { flags: '--reviewer <agent>', what: 'the agent that verifies the finished work: PASS, or FAIL with the reason' },
      { flags: '--name <name>', what: 'the team name (default: the name in the plan)' },
      { flags: '--var <k=v>', what: 'the value v for {{k}} in the plan', many: true },
      { flags: '--timeout <duration>', what: 'stop after this time with exit 124' },
      ...budgetOptions('the team'),
      {
        flags: '--isolation <mode>',
        what: 'trees: each member works in a tree of its own, and `teams apply` brings what landed into your files; off; auto',
      },
      { flags: '--apply', what: 'bring what landed into your files at the end, where members have trees of their own' },
      { flags: '--fail-fast', what: 'end the run when a required task fails' },
      { flags: '--strict', what: 'count a skipped gate as failed' },
      { flags: '--detach', what: 'run the lead in the background; its log is logs/lead.log' },
      { flags: '--takeover', what: 'replace a lead that is still running' },
      { flags: '--cut-off-after <duration>', what: 'end when the store is not heard for so long (default 10m)' },
      { flags: '--dry-run', what: 'print what the run would do and start nothing' },
      { flags: '--resume', what: 'continue the unfinished run of this name' },
      { flags: '--fresh', what: 'archive the team of this name and start a new one' },
    ],
    examples: [
      { line: 'teams run', what: 'run teams.yaml, the plan of this project, in this terminal' },
      { line: 'teams run 3:executor "fix all type errors"', what: 'a planner divides the task among three members' },
      { line: 'teams run - --var branch=main <plan.yaml', what: 'read the plan from stdin and set {{branch}}' },
      { line: 'teams run plan.yaml --detach', what: 'run in the background; `teams wait` waits for the end' },
    ],
    load: () => import('../commands/runs/run.ts'),
  },
  {
    name: 'validate',
    summary: 'check a plan and its agents, and print what it would do',
    words: '[plan]',
    options: [
      { flags: '--agent <agent>', what: 'check as a run with this --agent would' },
      { flags: '--var <k=v>', what: 'the value v for {{k}} in the plan', many: true },
    ],
    examples: [
      { line: 'teams validate plan.yaml', what: 'list every error with line and column' },
      { line: 'teams validate plan.yaml --json', what: 'print the parsed plan' },
    ],
    storeless: true,
    load: () => import('../commands/runs/validate.ts'),
  },
  {
    name: 'route',
    summary: 'show which agent and tier a task would get, and why',
    words: '<text...>',
    options: [{ flags: '--agent <agent>', what: 'decide as a run with this --agent would' }],
    examples: [
      {
        line: 'teams route "Add user authentication with JWT"',
        what: 'print domain, tier, agent and the words that decided',
      },
      { line: 'teams route - --json <task.md', what: 'print {domain, score, tier, agent, words, why}' },
    ],
    storeless: true,
    load: () => import('../commands/runs/route.ts'),
  },
  {
    name: 'resume',
    summary: 'continue an interrupted run',
    words: '[team]',
    options: [
      { flags: '--timeout <duration>', what: 'stop after this time with exit 124' },
      ...budgetOptions('the team'),
      { flags: '--apply', what: 'bring what landed into your files at the end, where members have trees of their own' },
      { flags: '--fail-fast', what: 'end the run when a required task fails' },
      { flags: '--strict', what: 'count a skipped gate as failed' },
      { flags: '--detach', what: 'run the lead in the background; its log is logs/lead.log' },
      { flags: '--takeover', what: 'replace a lead that is still running' },
      { flags: '--cut-off-after <duration>', what: 'end when the store is not heard for so long (default 10m)' },
      { flags: '--retry-failed', what: 'first retry every failed task, with what was skipped because of it' },
      { flags: '--note <text>', what: 'with --retry-failed: what the next attempts are told' },
      {
        flags: '--from-engine',
        what: 'first take what the store has for what only this machine has (ENGINE_DIVERGED)',
      },
      TRUST,
    ],
    examples: [
      { line: 'teams resume login --retry-failed', what: 'mend a red run: only what failed or was skipped is done' },
      { line: 'teams resume', what: 'the only team' },
      { line: 'teams resume login --takeover', what: 'take the run over from a lead that hangs' },
    ],
    load: () => import('../commands/runs/resume.ts'),
  },
  {
    name: 'wait',
    summary: "wait for the end of a run and exit with the run's code",
    words: '[team]',
    options: [{ flags: '--timeout <duration>', what: 'stop waiting after this time with exit 124; the run continues' }],
    examples: [
      { line: 'teams wait login', what: 'after `teams run --detach`' },
      { line: 'teams wait login --timeout 10m', what: 'wait at most 10 minutes' },
    ],
    load: () => import('../commands/runs/wait.ts'),
  },
  {
    name: 'pause',
    summary: 'let present turns end and begin nothing new',
    words: '[team]',
    options: [],
    examples: [
      { line: 'teams pause login', what: 'until `teams unpause login` or `teams resume login`' },
      { line: 'teams pause', what: 'the only team' },
    ],
    load: async () => ({ act: (await import('../commands/runs/pause.ts')).pause }),
  },
  {
    name: 'unpause',
    summary: 'end a pause',
    words: '[team]',
    options: [],
    examples: [
      { line: 'teams unpause login', what: 'its members go on within a second' },
      { line: 'teams unpause', what: 'the only team' },
    ],
    load: async () => ({ act: (await import('../commands/runs/pause.ts')).unpause }),
  },
  {
    name: 'up',
    summary: 'compare a changed plan with its team, show what it changes, ask, and carry it out',
    words: '[plan]',
    options: [
      { flags: '--agent <agent>', what: 'the agent of members without one' },
      { flags: '--name <name>', what: 'the team (default: the name in the plan)' },
      { flags: '--var <k=v>', what: 'the value v for {{k}} in the plan', many: true },
      { flags: '--dry-run', what: 'print what would change and change nothing' },
      { flags: '--detailed-exitcode', what: 'exit with 0 if nothing changes, 1 for an error, 2 for changes' },
      { flags: '--back', what: 'the plan before the last change; the word is then the team' },
    ],
    examples: [
      {
        line: 'teams up plan.yaml',
        what: 'new tasks and members come, pending tasks change, removed ones are cancelled',
      },
      { line: 'teams up plan.yaml --dry-run', what: 'only show it' },
      { line: 'teams up --back shop', what: 'take the last change of the plan back' },
    ],
    load: () => import('../commands/runs/up.ts'),
  },
  {
    name: 'budget',
    summary: 'show what a team, or all teams in a day, may use, what is used and who waits; set limits',
    words: '[team]',
    options: [
      {
        flags: '--set <limit>',
        what: 'a limit such as cost=8, member.ada.turns=10 or task.3.tokens=50000',
        many: true,
      },
      { flags: '--add <limit>', what: 'raise a limit by this much: 5 (dollars) or tokens=100000', many: true },
      { flags: '--day', what: 'the limits of all your teams for the day (UTC)' },
      {
        flags: '--settle <team/member>',
        what: 'with --day in a store: what a member of a machine that is lost had reserved counts as used',
        many: true,
      },
    ],
    examples: [
      { line: 'teams budget login', what: 'every limit: spent, reserved, left' },
      { line: 'teams budget login --add 5', what: 'five dollars more; members that wait go on' },
      { line: 'teams budget --day --set cost=20', what: 'all your teams together: 20 dollars a day' },
    ],
    load: () => import('../commands/runs/budget.ts'),
  },
  {
    name: 'cancel',
    summary: 'stop a run permanently; file changes and the archive stay',
    words: '[team]',
    options: [{ flags: '--force', what: 'stop at once; teammates cannot refuse' }],
    examples: [
      { line: 'teams cancel login', what: 'let teammates finish their current step first' },
      { line: 'teams cancel login --force', what: 'stop at once' },
    ],
    load: () => import('../commands/runs/cancel.ts'),
  },
];
