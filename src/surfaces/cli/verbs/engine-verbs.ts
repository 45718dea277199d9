/** Verbs for the store of teams on several machines. */
import type { Verb } from '../verb.ts';
import { TRUST } from './trust-option.ts';

export const engine: readonly Verb[] = [
  {
    name: 'store init',
    summary: 'make the schema of teams in a PostgreSQL database, and let roles use it',
    words: '[url]',
    options: [
      {
        flags: '--grant <role>',
        what: 'let a role act as a host, or with ROLE=TEAM/MEMBER as one member of a team (its ULID)',
        many: true,
      },
    ],
    examples: [
      { line: 'teams store init postgres://owner@db.example.org/agents', what: 'the password is in ~/.pgpass' },
      { line: 'teams store init --grant host_a --grant host_b', what: 'the URL is in TEAMS_STORE' },
    ],
    storeless: true,
    load: () => import('../commands/engine/store-init.ts'),
  },
  {
    name: 'store check',
    summary: 'show what a PostgreSQL server can be trusted with, as the store of teams',
    words: '[url]',
    examples: [
      { line: 'teams store check', what: 'the server that TEAMS_STORE names' },
      { line: 'teams store check postgres://a,b/agents --json', what: 'of several hosts, the one that takes writes' },
    ],
    storeless: true,
    load: () => import('../commands/engine/store-check.ts'),
  },
  {
    name: 'store relay',
    summary: 'keep a replica of the teams of a store in the folder of --root, until it is interrupted',
    words: '[url]',
    options: [{ flags: '--idle <duration>', what: 'end when no process has asked it for so long' }],
    examples: [
      { line: 'teams store relay --root ~/agents', what: 'one for each machine; TEAMS_STORE names the store' },
      {
        line: 'teams store relay postgres://host_a@db.example.org/agents --root ~/agents',
        what: 'an address without a password may stand here',
      },
    ],
    storeless: true,
    load: () => import('../commands/engine/store-relay.ts'),
  },
  {
    name: 'host',
    summary: 'start the members that leads of a store place on this machine, until it is interrupted',
    options: [
      { flags: '--slots <number>', what: 'the most members that run here at once (default 8)' },
      { flags: '--team <team>', what: 'only members of this team' },
      { flags: '--labels <labels>', what: 'what this machine has, such as gpu,arm64', many: true },
      { flags: '--name <name>', what: 'its name in the store (default: the name of the machine)' },
      {
        flags: '--cut-off-after <duration>',
        what: 'members end when the store is not heard for so long (default 10m)',
      },
      TRUST,
    ],
    examples: [
      { line: 'teams host --store postgres://host_a@db.example.org/agents', what: 'members work in this directory' },
      { line: 'teams host --slots 4 --team login', what: 'the URL is in TEAMS_STORE' },
      { line: 'teams host --trust ed25519:KEY', what: 'what `teams store check` shows where the teams are made' },
    ],
    load: () => import('../commands/engine/host.ts'),
  },
  {
    name: 'migrate',
    storeless: true,
    summary: 'move a team between the files of a folder and a store',
    words: '<team>',
    options: [
      { flags: '--to <where>', what: 'a URL, `store` (TEAMS_STORE, or `store` of the configuration), or `files`' },
      { flags: '--from <url>', what: 'with --to files: the store (default: as with --to store)' },
    ],
    examples: [
      { line: 'teams migrate login --to postgres://host_a@db.example.org/agents', what: 'its files are archived here' },
      { line: 'teams migrate login --to store', what: 'the store that TEAMS_STORE names' },
      { line: 'teams migrate login --to files --root ~/project', what: 'and back, into a folder' },
    ],
    load: () => import('../commands/engine/migrate.ts'),
  },
];
