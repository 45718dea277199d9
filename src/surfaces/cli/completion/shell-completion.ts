/**
 * Answers a shell at each TAB: what the word may be, one value a line with a tab and what it is; `:files` or `:dirs` at
 * the end lets the shell complete paths. It runs no verb, changes nothing, and says nothing about what it cannot read.
 */
import { safeLine } from '../../../app.ts';
import { COMMON } from '../global-options.ts';
import type { CliIo } from '../io.ts';
import type { Verb } from '../verb.ts';
import { verbs } from '../verbs/all-verbs.ts';
import { NOTHING, TeamWords, type Offer } from './team-words.ts';

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
  const known = new TeamWords(verb, before, io);
  if (valueOf !== undefined) return known.offer(valueOf, undefined);
  if (verb === undefined) return current.startsWith('-') ? optionsOf(undefined) : verbsAfter(words);
  if (current.startsWith('-')) return optionsOf(verb);
  return known.positional(verb, wordsAfter(verb, before));
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
