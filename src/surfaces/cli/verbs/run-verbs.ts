/** Verbs that carry out a plan, and what may be done to a run. */
import type { Verb } from '../verb.ts';

export const runs: readonly Verb[] = [
  {
    name: 'run',
    summary: 'carry out a plan, or a task that a planner takes apart: start the team, watch over it, report',
    words: '[spec] [task...]',
    options: [
      {
        flags: '--agent <agent>',
        what: 'for members without one: a kind, a configured name, auto, exec:COMMAND or JSON',
      },
      { flags: '--planner <agent>', what: 'takes a task apart; the same, and by default the default agent' },
      { flags: '--reviewer <agent>', what: 'verifies the finished work: PASS, or FAIL and what is wrong' },
      { flags: '--name <name>', what: "the team's name, instead of the plan's" },
      { flags: '--var <k=v>', what: 'a value for {{k}} in the plan', many: true },
      { flags: '--timeout <duration>', what: 'stop after this time, exit 124' },
      { flags: '--max-cost <dollars>', what: 'stop hard when so much was spent' },
      { flags: '--max-tokens <number>', what: 'stop hard when so many tokens were used' },
      { flags: '--fail-fast', what: 'the first failed required task ends the run' },
      { flags: '--strict', what: 'a skipped gate counts as a failed one' },
      { flags: '--detach', what: 'lead in the background, log in logs/lead.log' },
      { flags: '--takeover', what: 'replace a lead that is alive' },
      { flags: '--dry-run', what: 'print what would be done and start nothing' },
      { flags: '--resume', what: 'go on with the unfinished run of this name' },
      { flags: '--fresh', what: 'put a team of this name away and begin anew' },
    ],
    examples: [
      { line: 'teams run plan.yaml', what: 'carry it out here' },
      { line: 'teams run 3:executor "fix all type errors"', what: 'a planner divides it among three' },
      { line: 'teams run - --var branch=main <plan.yaml', what: 'a plan from stdin, with a value filled in' },
      { line: 'teams run plan.yaml --detach', what: 'in the background; `teams wait` waits for its end' },
    ],
    load: () => import('../commands/runs/run.ts'),
  },
  {
    name: 'validate',
    summary: 'check a plan and print what it would do',
    words: '<plan>',
    options: [{ flags: '--var <k=v>', what: 'a value for {{k}} in the plan', many: true }],
    examples: [
      { line: 'teams validate plan.yaml', what: 'every mistake, with line and column' },
      { line: 'teams validate plan.yaml --json', what: 'the parsed plan' },
    ],
    load: () => import('../commands/runs/validate.ts'),
  },
  {
    name: 'route',
    summary: 'say which agent and tier a task would get, and why',
    words: '<text...>',
    options: [{ flags: '--agent <agent>', what: 'as a run with this flag would decide' }],
    examples: [
      {
        line: 'teams route "Add user authentication with JWT"',
        what: 'domain, tier, agent and the words that decided',
      },
      { line: 'teams route - --json <task.md', what: 'prints {domain, score, tier, agent, words, why}' },
    ],
    load: () => import('../commands/runs/route.ts'),
  },
  {
    name: 'resume',
    summary: 'go on with an interrupted run',
    words: '[team]',
    options: [
      { flags: '--timeout <duration>', what: 'stop after this time, exit 124' },
      { flags: '--max-cost <dollars>', what: 'stop hard when so much was spent' },
      { flags: '--max-tokens <number>', what: 'stop hard when so many tokens were used' },
      { flags: '--fail-fast', what: 'the first failed required task ends the run' },
      { flags: '--strict', what: 'a skipped gate counts as a failed one' },
      { flags: '--detach', what: 'lead in the background, log in logs/lead.log' },
      { flags: '--takeover', what: 'replace a lead that is alive' },
    ],
    examples: [
      { line: 'teams resume', what: 'the only team there is' },
      { line: 'teams resume login --takeover', what: 'from a lead that hangs' },
    ],
    load: () => import('../commands/runs/resume.ts'),
  },
  {
    name: 'wait',
    summary: "wait for the end of a run, and exit with the run's code",
    words: '[team]',
    options: [{ flags: '--timeout <duration>', what: 'give up after this time, exit 124; the run goes on' }],
    examples: [
      { line: 'teams wait login', what: 'after `teams run --detach`' },
      { line: 'teams wait login --timeout 10m', what: 'not longer than that' },
    ],
    load: () => import('../commands/runs/wait.ts'),
  },
  {
    name: 'cancel',
    summary: 'stop a run for good; file changes and the archive stay',
    words: '[team]',
    options: [{ flags: '--force', what: 'no waiting and no refusals' }],
    examples: [
      { line: 'teams cancel login', what: 'teammates finish their step first' },
      { line: 'teams cancel login --force', what: 'at once' },
    ],
    load: () => import('../commands/runs/cancel.ts'),
  },
];
