/** Verbs that send a task to backends: `refine` reviews the results, `relay` prints the answer. */
import type { Verb } from '../verb.ts';
import { budgetOptions } from './budget-options.ts';

const BACKENDS = 'codex, gemini, ollama, claude, opencode, exec:CMD, or a configured agent';

export const refining: readonly Verb[] = [
  {
    name: 'refine',
    summary: 'send a task to backends, review the results, repeat until they converge or rounds run out',
    words: '[task...]',
    options: [
      { flags: '--backend <backend>', what: `${BACKENDS}; both (codex and gemini); all (default: codex)`, many: true },
      {
        flags: '--max-rounds <n>',
        what: 'maximum number of rounds, 1 to 5 (default: 3, or as the task says: "…, max 2 rounds")',
      },
      {
        flags: '--reviewer <agent>',
        what: 'the reviewer: a kind, a configured agent, or exec:CMD, whose exit code decides',
      },
      {
        flags: '--validate <command>',
        what: 'a command to run before each review; while it fails, no result converges',
      },
      { flags: '--sandbox <mode>', what: 'read-only, workspace-write or full (default: chosen from the task text)' },
      { flags: '--include-diff', what: 'add the git diff to the prompt (at most 300,000 bytes)' },
      { flags: '--repo <dir>', what: 'the directory to work in (default: current directory)' },
      { flags: '--no-team', what: 'call the backends from this process; start no worker processes' },
      {
        flags: '--isolation <mode>',
        what: 'trees: each backend works in a tree of its own, all at once, and the winner lands; off; auto',
      },
      {
        flags: '--apply',
        what: 'bring what landed into your files at the end, where backends have trees of their own',
      },
      ...budgetOptions('the loop'),
      { flags: '--timeout <duration>', what: 'stop after this time with the best result so far and exit 124' },
    ],
    examples: [
      {
        line: 'teams refine "make the tests pass" --backend codex --reviewer "exec:npm test"',
        what: 'repeat until the tests pass',
      },
      { line: 'teams refine "review src/login.ts, max 2 rounds" --backend both', what: 'two backends, each reviewed' },
      { line: 'teams refine "fix the build" --backend exec:./fix.sh --validate "make"', what: 'without a model' },
      { line: 'teams refine - --sandbox read-only <task.md', what: 'read the task from stdin, unchanged' },
    ],
    load: () => import('../commands/runs/refine.ts'),
  },
  {
    name: 'relay',
    summary: 'send one prompt to one backend and print its answer',
    options: [
      { flags: '--to <backend>', what: BACKENDS },
      { flags: '--repo <dir>', what: 'the directory that the backend works in (default: current directory)' },
      { flags: '--prompt <text>', what: 'the prompt; - reads it from stdin' },
      { flags: '--context-text <text>', what: 'additional context for the backend (at most 200,000 bytes)' },
      { flags: '--include-diff', what: 'add the git diff to the prompt (at most 300,000 bytes)' },
      { flags: '--sandbox <mode>', what: 'read-only (default), workspace-write or full' },
      ...budgetOptions('the call'),
      { flags: '--timeout <seconds>', what: 'stop after this time with exit 124 (default: relayTimeoutMs)' },
    ],
    examples: [
      { line: 'teams relay --to codex --prompt "Review the last commit" --include-diff', what: 'a second opinion' },
      { line: 'teams relay --to exec:./ask.sh --prompt - <question.md', what: 'ask any program that reads stdin' },
    ],
    storeless: true,
    load: () => import('../commands/runs/relay.ts'),
  },
];
