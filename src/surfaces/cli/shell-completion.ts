/**
 * Answers a shell at each TAB: what the word may be, one value a line with a tab and what it is; `:files` or `:dirs` at
 * the end lets the shell complete paths. It runs no verb, changes nothing, and says nothing about what it cannot read.
 */
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
  safeLine,
  sandboxSchema,
  TASK_STATUSES,
  ENV,
  type TeamReader,
} from '../../app.ts';
import { SCRIPTS } from './completion-scripts.ts';
import { CliContext } from './context.ts';
import { rootOf } from './input/root.ts';
import { lookIntoStore } from './named-store.ts';
import { settings } from './input/settings.ts';
import type { CliIo } from './io.ts';
import { COMMON } from './global-options.ts';
import type { Verb } from './verb.ts';
import { verbs } from './verbs/all-verbs.ts';

interface Choice {
  readonly value: string;
  readonly what: string;
}

/** What a word may be, and which paths besides. */
interface Offer {
  readonly choices: readonly Choice[];
  readonly paths?: 'files' | 'dirs';
}

const NOTHING: Offer = { choices: [] };
const plain = (values: readonly string[], what = ''): Offer => ({ choices: values.map((value) => ({ value, what })) });

/**
 * Answers `teams complete -- WORD…`; the last word is the one at the cursor.
 * @returns the exit code
 */
export function complete(words: readonly string[], io: CliIo): number {
  const current = words.at(-1) ?? '';
  const { choices, paths = 'none' } = offerFor(words.slice(0, -1), current, io);
  const lines = choices
    .filter(({ value }) => value.startsWith(current))
    .map(({ value, what }) => `${safeLine(value)}\t${safeLine(what).replaceAll('\t', ' ')}`);
  io.stdout.write([...lines, `:${paths}`, ''].join('\n'));
  return 0;
}

function offerFor(before: readonly string[], current: string, io: CliIo): Offer {
  try {
    return offered(before, current, io);
  } catch {
    // A root of somebody else, a damaged team: a TAB is no place for an error.
    return NOTHING;
  }
}

/** bash gives `--root=dir` as three words. */
function offered(given: readonly string[], current: string, io: CliIo): Offer {
  const before = given.filter((word) => word !== '=');
  const words = withoutOptions(before);
  const verb = verbOf(words);
  const valueOf = optionOf(verb, before.at(-1));
  const place = new Place(verb, before, io);
  if (valueOf !== undefined) return place.offer(valueOf, undefined);
  if (verb === undefined) return current.startsWith('-') ? optionsOf(undefined) : verbsAfter(words);
  if (current.startsWith('-')) return optionsOf(verb);
  return place.positional(verb, wordsAfter(verb, before));
}

/** Options may stand before the verb, some with a value. */
const withoutOptions = (before: readonly string[]): string[] =>
  before.filter((word, at) => !word.startsWith('-') && optionOf(undefined, before[at - 1]) === undefined);

/** `task create` before `task`. */
const verbOf = (words: readonly string[]): Verb | undefined =>
  verbs.find(({ name }) => name.includes(' ') && name === words.slice(0, 2).join(' ')) ??
  verbs.find(({ name }) => name === words[0]);

/** The verbs, or those of a group. */
function verbsAfter([group]: readonly string[]): Offer {
  if (group !== undefined) {
    const inner = verbs.filter(({ name }) => name.startsWith(`${group} `));
    return { choices: inner.map(({ name, summary }) => ({ value: name.slice(group.length + 1), what: summary })) };
  }
  const groups = [...new Set(verbs.flatMap(({ name }) => (name.includes(' ') ? [name.split(' ')[0] ?? ''] : [])))];
  const single = verbs.filter(({ name }) => !name.includes(' '));
  return {
    choices: [
      ...single.map(({ name, summary }) => ({ value: name, what: summary })),
      ...groups.map((value) => ({ value, what: `${value} verbs` })),
    ],
  };
}

const longOf = (flags: string): string => /--[a-z-]+/.exec(flags)?.[0] ?? '';
const valueIn = (flags: string): string | undefined => /[<[]([a-z-]+)[\]>]/.exec(flags)?.[1];

const flagsOf = (verb: Verb | undefined): readonly (readonly [flags: string, what: string])[] => [
  ...(verb?.options ?? []).map(({ flags, what }) => [flags, what] as const),
  ...COMMON,
  ['-h, --help', 'show this help'],
];

const optionsOf = (verb: Verb | undefined): Offer => ({
  choices: flagsOf(verb).map(([flags, what]) => ({ value: longOf(flags), what })),
});

/** The option before the word, and what its value is called; undefined if it takes none. */
function optionOf(verb: Verb | undefined, word: string | undefined): { option: string; token: string } | undefined {
  if (word?.startsWith('--') !== true) return undefined;
  const flags = flagsOf(verb).find(([one]) => longOf(one) === word)?.[0];
  const token = flags === undefined ? undefined : valueIn(flags);
  return token === undefined ? undefined : { option: word, token };
}

/** The words between the verb and the cursor, without options and their values. */
function wordsAfter(verb: Verb, before: readonly string[]): string[] {
  const words: string[] = [];
  let isValue = false;
  for (const word of before) {
    if (isValue) isValue = false;
    else if (word.startsWith('-')) isValue = optionOf(verb, word) !== undefined;
    else words.push(word);
  }
  return words.slice(verb.name.split(' ').length);
}

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

/** The teams and what is in them, as far as they can be read. */
class Place {
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
