/** What a word of a command line may be: teams and what is in them, as far as they can be read, and words that are always the same. */
import {
  AGENT_KINDS,
  BACKEND_WORDS,
  SINGLE_BACKEND_WORDS,
  isName,
  isolationModeSchema,
  LEAD,
  listPipelines,
  listTeams,
  MCP_HOSTS,
  MESSAGE_TYPES,
  METERS,
  openForReading,
  profileSchema,
  realClock,
  sandboxSchema,
  TASK_STATUSES,
  ENV,
  type TeamReader,
} from '../../../app.ts';
import { CliContext } from '../context.ts';
import { rootOf } from '../input/root.ts';
import { settings } from '../input/settings.ts';
import type { CliIo } from '../io.ts';
import { lookIntoStore } from '../named-store.ts';
import type { Verb } from '../verb.ts';
import { SCRIPTS } from './completion-scripts.ts';

interface Choice {
  readonly value: string;
  readonly what: string;
}

/** What a word may be, and which paths besides. */
export interface Offer {
  readonly choices: readonly Choice[];
  readonly paths?: 'files' | 'dirs';
}

export const NOTHING: Offer = { choices: [] };
const plain = (values: readonly string[], what = ''): Offer => ({ choices: values.map((value) => ({ value, what })) });

const TASK_TOKENS = new Set(['task', 'blocker', 'task-id']);

/** The verbs that only look: they take an archived team, too. */
const LOOKING: ReadonlySet<string> = new Set([
  'at',
  'diff',
  'export',
  'inbox',
  'log',
  'logs',
  'replay',
  'report',
  'status',
  'task get',
  'task list',
  'ui',
  'wait',
  'watch',
  'why',
]);

export class TeamWords {
  readonly #context: CliContext;
  readonly #isBack: boolean;
  /** The verb takes an archived team, too. */
  readonly #isLooking: boolean;
  readonly #isStoreless: boolean;

  constructor(verb: Verb | undefined, before: readonly string[], io: CliIo) {
    this.#isLooking = verb !== undefined && LOOKING.has(verb.name);
    this.#isBack = before.includes('--back');
    this.#isStoreless = verb?.storeless === true;
    const valueOf = (option: string): string | undefined =>
      before.includes(option) ? before[before.indexOf(option) + 1] : undefined;
    const flags = { json: false, quiet: true, verbose: false, yes: false, color: false };
    this.#context = new CliContext(io, { ...flags, root: valueOf('--root'), store: valueOf('--store') });
  }

  /** A word at its position: a team may be left out where there is only one. */
  positional(verb: Verb, words: readonly string[]): Offer {
    const tokens = [...(verb.words ?? '').matchAll(/[[<]([a-z-]+)(?:\.\.\.)?[\]>]/g)].map(([, token = '']) => token);
    // With --back the word of `up` is a team.
    if (verb.name === 'up' && this.#isBack) tokens[0] = 'team';
    const offer = (token: string | undefined, team: string | undefined): Offer =>
      token === undefined ? NOTHING : this.offer({ option: verb.name, token }, team);
    if (tokens[0] !== 'team') return offer(tokens[words.length], undefined);
    const [first] = words;
    if (first !== undefined && this.#isTeam(first)) return offer(tokens[words.length], first);
    const only = this.#onlyTeam();
    if (first !== undefined) return offer(tokens[words.length + 1], only);
    const next = only === undefined ? NOTHING : offer(tokens[1], only);
    const teams = this.offer({ option: verb.name, token: 'team' }, undefined);
    return { ...next, choices: [...teams.choices, ...next.choices] };
  }

  /** @param given the verb or option, and what it calls its word */
  offer({ option, token }: { readonly option: string; readonly token: string }, team = this.#onlyTeam()): Offer {
    if (option === 'create') return NOTHING;
    if (token === 'team') return { choices: [...this.#teams(), ...this.#archived()] };
    if (option === 'pipeline' && token === 'name') return this.#pipelines();
    if (option === 'why' && token === 'subject')
      return this.#inTeam(team, (store) => [...tasks(store), ...members(store)]);
    if (TASK_TOKENS.has(token)) return this.#inTeam(team, tasks);
    if (token === 'member' || token === 'to' || (token === 'name' && option !== '--name'))
      return this.#inTeam(team, members);
    if (token === 'limit') return this.#limits(team);
    if (token === 'id') return this.#inTeam(team, requests);
    if (token === 'agent')
      return plain([...new Set([...settings(this.#context).agents.keys(), ...AGENT_KINDS])], 'agent');
    return fixed(option, token);
  }

  #isTeam(word: string): boolean {
    return isName(word) && [...this.#teams(), ...this.#archived()].some(({ value }) => value === word);
  }

  #onlyTeam(): string | undefined {
    const named = this.#context.io.environment[ENV.team];
    const teams = this.#teams();
    return named !== undefined && named !== '' ? named : teams.length === 1 ? teams[0]?.value : undefined;
  }

  #teams(): Choice[] {
    return this.#found().flatMap(({ name, archivedAt }) => (archivedAt ? [] : [{ value: name, what: 'team' }]));
  }

  /** One of each name that no living team has: the one that a verb would take. */
  #archived(): Choice[] {
    if (!this.#isLooking) return [];
    const living = new Set(this.#teams().map(({ value }) => value));
    const names = new Set(this.#found().flatMap(({ name }) => (living.has(name) ? [] : [name])));
    return [...names].map((value) => ({ value, what: 'archived team' }));
  }

  #found(): ReturnType<typeof listTeams> {
    if (!this.#isStoreless) lookIntoStore(this.#context);
    return listTeams(rootOf(this.#context));
  }

  /** What stands before the number of a limit. */
  #limits(team: string | undefined): Offer {
    const keys = METERS.map((key) => `${key}=`);
    const { choices } = this.#inTeam(team, members);
    const named = choices.filter(({ value }) => value !== LEAD);
    return plain([...keys, ...named.flatMap(({ value }) => keys.map((key) => `member.${value}.${key}`))], 'limit');
  }

  #pipelines(): Offer {
    const found = listPipelines(rootOf(this.#context));
    return { choices: found.map(({ name, description }) => ({ value: name, what: description })) };
  }

  #inTeam(team: string | undefined, look: (store: TeamReader) => Choice[]): Offer {
    const named = this.#found().filter(({ name, archivedAt }) => name === team && (this.#isLooking || !archivedAt));
    const found = named.find(({ archivedAt }) => !archivedAt) ?? named.at(-1);
    if (found === undefined) return NOTHING;
    const store = openForReading(found.paths, { clock: realClock });
    try {
      return { choices: look(store) };
    } finally {
      store.close();
    }
  }
}

const tasks = ({ board }: TeamReader): Choice[] =>
  [...board.fold().tasks.values()].map(({ id, subject, status }) => ({ value: id, what: `${status}: ${subject}` }));

const members = ({ board }: TeamReader): Choice[] => [
  ...[...board.fold().members.values()].map(({ name, role }) => ({ value: name, what: role })),
  { value: LEAD, what: 'the lead' },
];

const requests = ({ board }: TeamReader): Choice[] =>
  [...board.fold().open.values()].map(({ id, from, text }) => ({ value: id, what: `${from}: ${text.slice(0, 60)}` }));

/** Words that do not depend on any team. */
function fixed(option: string, token: string): Offer {
  switch (token) {
    case 'plan':
    case 'spec':
    case 'file':
    case 'path':
      return option === 'wisdom'
        ? plain(['learnings', 'decisions', 'conventions', 'issues'])
        : { choices: [], paths: 'files' };
    case 'dir':
      return { choices: [], paths: 'dirs' };
    case 'shell':
      return plain([...SCRIPTS.keys()]);
    case 'sandbox':
    case 'mode':
      if (option === '--isolation') return plain(isolationModeSchema.options);
      return plain(sandboxSchema.options);
    case 'profile':
      return plain(profileSchema.options);
    case 'backend':
      return plain((option === '--to' ? SINGLE_BACKEND_WORDS : BACKEND_WORDS).filter((word) => !word.includes(':')));
    case 'host':
      return plain([...MCP_HOSTS]);
    case 'status':
      return plain([...TASK_STATUSES]);
    case 'type':
      return plain([...MESSAGE_TYPES]);
    case 'role':
      return plain(['executor', 'explorer', 'reviewer', 'tester']);
    default:
      return NOTHING;
  }
}
