/** Verbs for the installation and the setup of a project. */
import type { Verb } from '../verb.ts';
import { budgetOptions } from './budget-options.ts';

export const setup: readonly Verb[] = [
  {
    name: 'mcp',
    summary: 'run an MCP server, on stdio or over HTTP: the host leads a team, or works as a member of one',
    options: [
      { flags: '--team <team>', what: 'work in this team as the member of --as; without --team, the host leads' },
      { flags: '--with-shell', what: 'also offer bash, read_file, write_file and edit_file in this directory' },
      {
        flags: '--detach',
        what: 'when the host exits, a background lead takes over the team; the next host takes it back',
      },
      {
        flags: '--http <[host:]port>',
        what: 'serve any number of hosts over HTTP until Ctrl-C, and print the token of each; 0 is any free port',
      },
      ...budgetOptions('a team that the host makes'),
    ],
    examples: [
      { line: 'teams mcp', what: 'the command of the MCP server in a host' },
      { line: 'teams mcp --with-shell', what: 'for a host without its own tools' },
      { line: 'teams mcp --team login --as ada', what: 'work as ada, if no other process is ada' },
      { line: 'teams mcp --http 8080 --team login', what: 'hosts on this machine work as the members of login' },
    ],
    load: () => import('../commands/setup/mcp.ts'),
  },
  {
    name: 'acp',
    summary: 'run an agent of the Agent Client Protocol on stdio: an editor leads teams',
    options: [
      {
        flags: '--agent <agent>',
        what: 'the agent of members without one: a kind, a configured name, auto, exec:COMMAND or JSON',
      },
      { flags: '--planner <agent>', what: 'the agent that divides a prompt into tasks (default: the default agent)' },
      { flags: '--reviewer <agent>', what: 'the agent that verifies the finished work: PASS, or FAIL with the reason' },
      ...budgetOptions('the team of a prompt'),
    ],
    examples: [
      { line: 'teams acp', what: 'the command of the agent in an editor' },
      {
        line: 'teams acp --agent claude --max-cost 5',
        what: 'all members use Claude; a prompt costs at most 5 dollars',
      },
    ],
    load: () => import('../commands/setup/acp.ts'),
  },
  {
    name: 'init',
    summary: 'set up a project (a plan, configuration, git excludes), or add teams to the configuration of an MCP host',
    options: [
      { flags: '--host <host>', what: 'claude, codex, gemini or opencode: add `teams mcp` to its MCP servers' },
      { flags: '--print', what: 'with --host: print the entry and write nothing' },
    ],
    examples: [
      { line: 'teams init', what: 'list the changes, ask, then write them' },
      { line: 'teams init --yes', what: 'write without a question' },
      { line: 'teams init --host claude', what: 'add the entry to .mcp.json of this project' },
      { line: 'teams init --host codex --print', what: 'only print the entry' },
    ],
    storeless: true,
    load: () => import('../commands/setup/init.ts'),
  },
  {
    name: 'doctor',
    summary: 'check what works on this machine, and show how to fix what does not',
    options: [
      { flags: '--break-lock', what: 'remove locks that no living process holds' },
      {
        flags: '--trust [team]',
        what: 'trust a team folder, or a public key (ed25519:…); without one, the files of this project',
      },
    ],
    examples: [
      { line: 'teams doctor', what: 'print a table of checks' },
      { line: 'teams doctor --break-lock', what: 'after a LOCK_TIMEOUT error' },
      { line: 'teams doctor --trust login', what: 'after you have inspected .teams/login' },
    ],
    storeless: true,
    load: () => import('../commands/setup/doctor.ts'),
  },
  {
    name: 'config show',
    summary: 'show the effective configuration',
    options: [{ flags: '--origin', what: 'also show where each value comes from' }],
    examples: [
      { line: 'teams config show --origin', what: 'with the source: flag, environment, file or default' },
      { line: 'teams config show --json', what: 'as JSON' },
    ],
    storeless: true,
    load: () => import('../commands/setup/config-show.ts'),
  },
  {
    name: 'completion',
    summary: 'print a script that completes verbs, options, teams, tasks, members and files in your shell',
    words: '<shell>',
    examples: [
      { line: 'source <(teams completion bash)', what: 'in ~/.bashrc' },
      { line: 'source <(teams completion zsh)', what: 'in ~/.zshrc' },
      { line: 'teams completion fish | source', what: 'in config.fish' },
    ],
    storeless: true,
    load: () => import('../commands/setup/completion.ts'),
  },
];
