/** Verbs that put a task to backends and judge what comes back. */
import type { Verb } from '../verb.ts';

const BACKENDS = 'codex, gemini, ollama, claude, opencode, exec:CMD, or a configured agent';

export const refining: readonly Verb[] = [
  {
    name: 'refine',
    summary: 'put a task to backends, review, and iterate until it converges or the rounds are over',
    words: '[task...]',
    options: [
      { flags: '--backend <backend>', what: `${BACKENDS}; both (codex and gemini); all (default: codex)`, many: true },
      {
        flags: '--max-rounds <n>',
        what: 'rounds at most, 1 to 5 (default: 3, or what the task says: "…, max 2 rounds")',
      },
      {
        flags: '--reviewer <agent>',
        what: 'who reviews: a kind, a configured agent, or exec:CMD whose exit code decides',
      },
      { flags: '--validate <command>', what: 'run before each review; when it fails nothing converges' },
      { flags: '--sandbox <mode>', what: 'read-only, workspace-write or full (default: by what the task asks for)' },
      { flags: '--include-diff', what: 'send along what git shows as changed (300,000 bytes at most)' },
      { flags: '--repo <dir>', what: 'where the work is (default: here)' },
      { flags: '--no-team', what: 'no worker processes: every call directly from here' },
      { flags: '--timeout <duration>', what: 'stop after this time, with the best result so far, exit 124' },
    ],
    examples: [
      {
        line: 'teams refine "make the tests pass" --backend codex --reviewer "exec:npm test"',
        what: 'fix until green',
      },
      { line: 'teams refine "review src/login.ts, max 2 rounds" --backend both', what: 'two opinions, each reviewed' },
      { line: 'teams refine "fix the build" --backend exec:./fix.sh --validate "make"', what: 'without any model' },
      { line: 'teams refine - --sandbox read-only <task.md', what: 'a task from stdin, taken as it is' },
    ],
    load: () => import('../commands/runs/refine.ts'),
  },
  {
    name: 'relay',
    summary: 'put one prompt to one backend and print its answer',
    options: [
      { flags: '--to <backend>', what: BACKENDS },
      { flags: '--repo <dir>', what: 'where it works (default: here)' },
      { flags: '--prompt <text>', what: 'what is asked; - reads it from stdin' },
      { flags: '--context-text <text>', what: 'what it should know besides (200,000 bytes at most)' },
      { flags: '--include-diff', what: 'send along what git shows as changed (300,000 bytes at most)' },
      { flags: '--sandbox <mode>', what: 'read-only (default), workspace-write or full' },
      { flags: '--timeout <seconds>', what: 'how long it may take, exit 124 (default: relayTimeoutMs)' },
    ],
    examples: [
      { line: 'teams relay --to codex --prompt "Review the last commit" --include-diff', what: 'a second opinion' },
      { line: 'teams relay --to exec:./ask.sh --prompt - <question.md', what: 'any program that reads stdin' },
    ],
    load: () => import('../commands/runs/relay.ts'),
  },
];
