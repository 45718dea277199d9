/** Options of every verb, in commander's syntax. */
export const COMMON: readonly [flags: string, what: string][] = [
  [
    '--root <dir>',
    'the directory that holds .teams (default: the nearest parent directory with .teams, else the current one)',
  ],
  [
    '--store <url>',
    'work on the teams of a store on PostgreSQL (default: TEAMS_STORE, or `store` of the configuration); a password only in TEAMS_STORE',
  ],
  ['--as <name>', 'act as this member'],
  ['--json', 'print one JSON object on stdout, also for errors'],
  ['--quiet', 'print only data and errors'],
  ['--verbose', 'print more detail'],
  ['--yes', 'answer every question with yes'],
  ['--no-color', 'print without colours'],
];
