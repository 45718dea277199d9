/** Verbs about the installation and a project's set-up. */
import type { Verb } from '../verb.ts';

export const setup: readonly Verb[] = [
  {
    name: 'mcp',
    summary: 'be an MCP server on stdio: a host leads a team, or works in one',
    options: [
      { flags: '--team <team>', what: 'work in this team, as the member of --as; without it, lead' },
      { flags: '--with-shell', what: 'offer bash, read_file, write_file and edit_file, too, in this directory' },
      {
        flags: '--detach',
        what: 'when the host goes away, hand the team to a lead in the background; the next host takes it up',
      },
    ],
    examples: [
      { line: 'teams mcp', what: 'as the command of an MCP server in a host' },
      { line: 'teams mcp --with-shell', what: 'for a host without tools of its own' },
      { line: 'teams mcp --team login --as ada', what: 'as a member that nobody else is' },
    ],
    load: () => import('../commands/setup/mcp.ts'),
  },
  {
    name: 'init',
    summary: 'set up a project: configuration and git excludes; or an MCP host: our entry in its configuration',
    options: [
      { flags: '--host <host>', what: 'claude, codex, gemini or opencode: add `teams mcp` to its MCP servers' },
      { flags: '--print', what: 'with --host: print the entry and write nothing' },
    ],
    examples: [
      { line: 'teams init', what: 'says what it will write, then writes it' },
      { line: 'teams init --yes', what: 'without asking' },
      { line: 'teams init --host claude', what: 'into .mcp.json of this project' },
      { line: 'teams init --host codex --print', what: 'only shows what would be added' },
    ],
    load: () => import('../commands/setup/init.ts'),
  },
  {
    name: 'doctor',
    summary: 'what works here, what does not, and the cure',
    options: [
      { flags: '--break-lock', what: 'remove left-over locks that no living process holds' },
      { flags: '--trust [team]', what: 'trust a team folder, or without a name what the project itself brings' },
    ],
    examples: [
      { line: 'teams doctor', what: 'a table of checks' },
      { line: 'teams doctor --break-lock', what: 'after a LOCK_TIMEOUT' },
      { line: 'teams doctor --trust login', what: 'after looking into .teams/login' },
    ],
    load: () => import('../commands/setup/doctor.ts'),
  },
  {
    name: 'config show',
    summary: 'the configuration in force',
    options: [{ flags: '--origin', what: 'and where each value comes from' }],
    examples: [
      { line: 'teams config show --origin', what: 'flags, environment, files, defaults' },
      { line: 'teams config show --json', what: 'for a program' },
    ],
    load: () => import('../commands/setup/config-show.ts'),
  },
  {
    name: 'completion',
    summary: 'a script that completes verbs and options in your shell',
    words: '<shell>',
    examples: [
      { line: 'source <(teams completion bash)', what: 'in ~/.bashrc' },
      { line: 'source <(teams completion zsh)', what: 'in ~/.zshrc' },
      { line: 'teams completion fish | source', what: 'in config.fish' },
    ],
    load: () => import('../commands/setup/completion.ts'),
  },
];
